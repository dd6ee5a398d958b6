"""Extraction of a release's contract from an installed hermes-agent.

`hermes_sdk.contract.probe` runs in the host's own Python; this module starts it and writes its result.
"""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path
from typing import Any

from hermes_sdk.contract.imitations import read_imitated
from hermes_sdk.contract.loader import read_releases, section_names
from hermes_sdk.contract.weave import Woven, weave
from hermes_sdk.documents import parse_json
from hermes_sdk.errors import UnavailableError, UsageError
from hermes_sdk.files import write_files
from hermes_sdk.journal import scratch_directory

TIMEOUT = 300  # Seconds.
WIDTH = 120
FIX = "Pass the Python of an environment with hermes-agent, such as one made by `uv pip install hermes-agent`."
# The probe's folder is appended to the path only for the import, so that it does not hide modules of the host.
START = "import runpy, sys; sys.path.append(sys.argv.pop(1)); runpy.run_module('probe')"


def extract(python: Path) -> dict[str, Any]:
    """Read the contract of the hermes-agent in a Python environment.

    Args:
        python: The interpreter of an environment with hermes-agent. Use a fresh environment, because all other
            installed packages are treated as part of the release.

    Returns:
        The contract as plain JSON values, with a key for each section.

    Raises:
        UnavailableError: There is no such interpreter, or no readable hermes-agent in it.
    """
    return _run_probe(python)


def extract_fingerprints(python: Path) -> dict[str, str]:
    """Read the fingerprints of a Python's hermes-agent from its source; see `extract`."""
    found: dict[str, str] = _run_probe(python, "fingerprints")["fingerprints"]
    return found


def _run_probe(python: Path, *only: str) -> dict[str, Any]:
    with scratch_directory() as scratch:
        answer = Path(scratch, "contract.json")
        command = [str(python), "-I", "-c", START, str(Path(__file__).parent), str(answer), *only]
        try:
            completed = subprocess.run(
                command,
                cwd=scratch,
                env=_make_environment(str(scratch)),
                input=json.dumps(sorted(read_imitated())),
                capture_output=True,
                text=True,
                timeout=TIMEOUT,
                check=False,
            )
        except (OSError, subprocess.TimeoutExpired) as error:
            raise UnavailableError(f"{python} cannot be run: {error}", fix=FIX) from error
        if not answer.exists():
            raise UnavailableError(_explain_failure(python, completed.stderr), fix=FIX)
        contract: dict[str, Any] = parse_json(answer.read_text(encoding="utf-8"))
    return contract


def _make_environment(scratch: str) -> dict[str, str]:
    inherited = {name: value for name, value in os.environ.items() if not name.startswith(("HERMES", "PYTHON"))}
    own = {"HOME": scratch, "HERMES_HOME": str(Path(scratch, "home")), "HERMES_DISABLE_LAZY_INSTALLS": "1"}
    return {**inherited, **own, "PYTHONDONTWRITEBYTECODE": "1"}


def _explain_failure(python: Path, stderr: str) -> str:
    last = stderr.strip().rsplit("\n", 1)[-1]
    if "PackageNotFoundError" in last:
        return f"hermes-agent is not installed for {python}."
    return f"The hermes-agent of {python} cannot be read: {last}"


def render(contract: dict[str, Any]) -> str:
    """Format a contract as JSON that is easy to diff.

    Sections and their entries are sorted; nested values keep the host's order. Values that fit are written on one line.
    """
    lines = [f"{json.dumps(name)}: {_render_value(contract[name], 0)}" for name in sorted(contract)]
    return "{\n" + ",\n".join(lines) + "\n}\n"


def add_release(contract: dict[str, Any], data: Path) -> None:
    """Add a release's contract to a data folder, or replace an existing contract.

    Raises:
        UsageError: The folder contains no data.
    """
    if not (data / "release.txt").exists():
        raise UsageError(f"There are no contracts in {data}.", fix="Pass a file, or hermes_sdk/contract/data.")
    releases = read_releases(data)
    files: dict[Path, bytes] = {}
    for name in {*section_names(data), *contract}:
        file = data / f"{name}.txt"
        woven = Woven(file.read_text(encoding="utf-8") if file.exists() else "")
        versions = {release: woven.text(release) for release in releases}
        versions[contract["release"]] = render_section(contract[name]) if name in contract else ""
        files[file] = weave(versions).encode()
    write_files(files)


def render_section(section: Any) -> str:
    """Format a section of a contract; see `render`."""
    return _render_value(section, 0)


def _render_value(value: Any, depth: int) -> str:
    compact = json.dumps(value, ensure_ascii=False)
    if not value or not isinstance(value, dict | list) or (depth and depth + len(compact) <= WIDTH):
        return compact
    indent = " " * (depth + 1)
    if isinstance(value, dict):
        pairs = value.items() if depth else sorted(value.items())
        items = [f"{json.dumps(key, ensure_ascii=False)}: {_render_value(item, depth + 1)}" for key, item in pairs]
        opening, closing = "{", "}"
    else:
        items = [_render_value(item, depth + 1) for item in value]
        opening, closing = "[", "]"
    return opening + "".join(f"\n{indent}{item}," for item in items)[:-1] + "\n" + " " * depth + closing
