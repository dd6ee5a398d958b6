import os
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

from hermes_sdk import manifest
from hermes_sdk.errors import UnavailableError, UsageError
from hermes_sdk.hosts.real import environments
from hermes_sdk.hosts.real.cache import cache_dir, make_once
from hermes_sdk.hosts.real.environments import environment, overlay, requirements
from hermes_sdk.hosts.real.installer import InstallError


@pytest.fixture
def empty_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("HERMES_SDK_CACHE", str(tmp_path / "cache"))
    return tmp_path / "cache"


@pytest.mark.parametrize("release", ["documented", "9.9.9"])
def test_only_real_releases_have_an_environment(release: str) -> None:
    with pytest.raises(UsageError, match=r"there is no real host .*\n.*0\.19\.0"):
        environment(release)


def test_without_network_one_sentence_says_what_to_run(empty_cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    # Both installers then look at a port where nobody listens.
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
    assert caught.value.fix.startswith("Run the same command again with network")
    assert not [path for path in (empty_cache / "environments").iterdir() if not path.name.endswith(".lock")]


def test_a_python_that_no_release_runs_on_is_refused() -> None:
    with pytest.raises(UnavailableError, match=r"needs Python 3\.11, 3\.12 or 3\.13"):
        environment("0.19.0", python="false")


@pytest.mark.parametrize(
    ("variables", "expected"),
    [
        ({"HERMES_SDK_CACHE": "/a"}, "/a"),
        ({"XDG_CACHE_HOME": "/b"}, "/b/hermes-sdk"),
        ({"HOME": "/c"}, "/c/.cache/hermes-sdk"),
    ],
)
def test_the_cache_follows_the_environment(
    variables: dict[str, str], expected: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("HERMES_SDK_CACHE", "XDG_CACHE_HOME"):
        monkeypatch.delenv(name, raising=False)
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    assert cache_dir() == Path(expected)


def test_a_folder_is_made_once_and_again_when_it_broke(tmp_path: Path) -> None:
    calls = []

    def make(made: Path) -> None:
        calls.append(made)
        made.mkdir()
        (made / "probe").touch()

    for _ in range(2):
        make_once(tmp_path / "folder", make, what="it", fix="", probe="probe")
    assert len(calls) == 1
    (tmp_path / "folder" / "probe").unlink()
    make_once(tmp_path / "folder", make, what="it", fix="", probe="probe")
    assert len(calls) == 2


@pytest.mark.parametrize("error", [InstallError("no"), OSError("no"), KeyboardInterrupt()])
def test_a_half_made_folder_is_not_there(tmp_path: Path, error: BaseException) -> None:
    def make(made: Path) -> None:
        made.mkdir()
        (made / "half").touch()
        raise error

    expected = KeyboardInterrupt if isinstance(error, KeyboardInterrupt) else UnavailableError
    with pytest.raises(expected):
        make_once(tmp_path / "folder", make, what="it", fix="")
    assert [path.name for path in tmp_path.iterdir()] == [".folder.lock"]


def test_processes_that_want_the_same_folder_make_it_once(tmp_path: Path) -> None:
    program = f"""
        from pathlib import Path
        from hermes_sdk.hosts.real.cache import make_once
        def make(made):
            made.mkdir()
            print("made", flush=True)
        make_once(Path({str(tmp_path)!r}) / "folder", make, what="it", fix="")
    """
    command = [sys.executable, "-c", textwrap.dedent(program)]
    both = [subprocess.Popen(command, stdout=subprocess.PIPE, text=True) for _ in range(2)]
    assert "".join(one.communicate()[0] for one in both) == "made\n"


@pytest.mark.parametrize(
    ("files", "expected"),
    [
        ({}, ()),
        ({"notes/requirements.txt": "# all\nhttpx>=0.27  # http\n-r other.txt\n\nrich\n"}, ("httpx>=0.27", "rich")),
        (
            {"pyproject.toml": "[project]\nname='x'\ndependencies=['Hermes_SDK','hermes-agent>=0.19','yarl>1']\n"},
            ("yarl>1",),
        ),
        ({"pyproject.toml": "[project]\nname='x'\ndependencies=[]\n", "notes/requirements.txt": "rich\n"}, ()),
        ({"pyproject.toml": "[tool.other]\n", "notes/requirements.txt": "rich\n"}, ("rich",)),
    ],
)
def test_what_a_plugin_needs(files: dict[str, str], expected: tuple[str, ...], tmp_path: Path) -> None:
    for name, text in {"notes/plugin.yaml": "name: notes\n", "notes/__init__.py": "", **files}.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text)
    located = manifest.Located(tmp_path / "notes", tmp_path / "notes" / "plugin.yaml", tmp_path, None)
    assert requirements(located) == expected


@pytest.mark.parametrize(("name", "text"), [("pyproject.toml", "[project\n"), ("notes/requirements.txt", "a b c\n")])
def test_requirements_that_cannot_be_read_are_located(name: str, text: str, tmp_path: Path) -> None:
    (tmp_path / "notes").mkdir()
    (tmp_path / name).write_text(text)
    located = manifest.Located(tmp_path / "notes", tmp_path / "notes" / "plugin.yaml", tmp_path, None)
    with pytest.raises(UsageError, match="cannot be read") as caught:
        requirements(located)
    assert caught.value.where == str(tmp_path / name)


def test_nothing_needed_is_no_overlay() -> None:
    assert overlay("0.19.0", ()) == ()


@pytest.mark.real_host
def test_an_environment_has_its_release_and_compiled_bytecode(real_python) -> None:
    python = real_python("0.19.0")
    found = environments.environment("0.19.0")
    assert found.python == python
    assert (found.site_packages / "hermes_cli" / "__pycache__").is_dir()
    program = "import importlib.metadata; print(importlib.metadata.version('hermes-agent'))"
    done = subprocess.run([python, "-I", "-c", program], capture_output=True, text=True, check=True, env={**os.environ})
    assert done.stdout == "0.19.0\n"
