"""Pytest sessions that end because the real host cannot be created."""

import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

TESTS = "def test_it(hermes): pass\n" + "".join(f"def test_{number}(hermes): pass\n" for number in range(14))


@pytest.mark.parametrize("options", [[], pytest.param(["-n", "2"], marks=pytest.mark.slow)])
def test_session_ends_after_the_first_failed_attempt(
    options: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "plugin.yaml").write_text("name: notes\nkind: standalone\n")
    (tmp_path / "__init__.py").write_text("def register(ctx): pass\n")
    (tmp_path / "tests").mkdir()
    (tmp_path / "tests" / "test_it.py").write_text(TESTS)
    monkeypatch.setenv("HERMES_SDK_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("UV_CACHE_DIR", str(tmp_path / "uv"))
    # No server listens on this port.
    for name in ("UV_INDEX_URL", "UV_DEFAULT_INDEX", "PIP_INDEX_URL"):
        monkeypatch.setenv(name, "http://127.0.0.1:9/simple")
    for name in ("UV_FIND_LINKS", "PIP_FIND_LINKS"):
        monkeypatch.setenv(name, "")
    command = [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", *options]
    command += ["--hermes-host", "real", "--hermes-release", "0.19.0"]
    begin = time.monotonic()
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False, env=os.environ)
    cause = "hermes-agent 0.19.0 is not on this machine and could not be installed: 127.0.0.1:9 cannot be reached"
    assert f": {cause} !" in done.stdout
    if options:
        # Each worker reports the test that tried to create the host.
        assert done.stdout.count("ERROR at setup") <= 2
    else:
        assert done.stdout.count(cause) == 1
        assert done.returncode == 3
        assert time.monotonic() - begin < 10
