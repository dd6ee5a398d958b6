"""hermes-sdk can be installed next to every release of Hermes: pins and bounds have a common solution."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from hermes_sdk.contract.sources import Source, find_source
from hermes_sdk.hosts.environments import list_releases

uv = pytest.importorskip("uv")
ROOT = Path(__file__).parents[1]

# One resolution with an extra for each release, so that uv looks up each package only once.
PROJECT = """
[project]
name = "beside"
version = "0"
requires-python = ">=3.11"
dependencies = ["hermes-sdk[test]"]

[project.optional-dependencies]
{extras}

[tool.uv]
conflicts = [[{conflicts}]]
environments = ["python_version < '3.14'"]

[tool.uv.sources]
hermes-sdk = {{ path = "{root}" }}
"""

ON_INDEX = [release for release in list_releases() if find_source(release) == Source(f"hermes-agent=={release}")]
"""Releases of which upstream publishes wheels."""


def lock(project: Path, *options: str) -> subprocess.CompletedProcess[str]:
    command = [uv.find_uv_bin(), "lock", "--quiet", "--no-config", "--python", sys.executable, *options]
    return subprocess.run(command, cwd=project, capture_output=True, text=True, check=False)


def test_dependency_bounds_are_compatible_with_the_pins_of_each_release(tmp_path: Path) -> None:
    extras = {f"release-{release.replace('.', '-')}": release for release in ON_INDEX}
    text = PROJECT.format(
        extras="\n".join(f'{extra} = ["hermes-agent=={release}"]' for extra, release in extras.items()),
        conflicts=", ".join(f'{{ extra = "{extra}" }}' for extra in extras),
        root=ROOT,
    )
    (tmp_path / "pyproject.toml").write_text(text, encoding="utf-8")
    # The cache is enough to prove that a solution exists, but not that there is none.
    if lock(tmp_path, "--offline").returncode == 0:
        return
    done = lock(tmp_path)
    if done.returncode == 2 and not os.environ.get("CI"):
        pytest.skip(f"uv did not reach the package index: {done.stderr.strip().splitlines()[-1].strip()}")
    assert done.returncode == 0, done.stderr
