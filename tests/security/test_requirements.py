"""Installers receive only requirements on releases from the package index, and run no code of packages."""

from __future__ import annotations

import io
import json
import os
import subprocess
import sys
import tarfile
import zipfile
from collections.abc import Mapping
from pathlib import Path

import pytest
from conftest import RealPython
from operate.conftest import write
from wheels import build

from hermes_sdk.check.engine import check
from hermes_sdk.check.options import Options
from hermes_sdk.check.plugin import Plugin
from hermes_sdk.errors import HermesSdkError, UnavailableError, UsageError
from hermes_sdk.hosts.dependencies import find_requirements
from hermes_sdk.hosts.inspection import show
from hermes_sdk.manifest import locate
from hermes_sdk.requirements import ALLOWED, parse_requirements

RELEASE = "0.19.0"
PLUGIN = {
    "plugin.yaml": "name: demo\nversion: 1\ndescription: A demo.\n",
    "__init__.py": "def register(ctx): pass\n",
}
OPTIONS = [
    "--target=/tmp/x",
    "-e .",
    "-r /etc/passwd",
    "--index-url=https://example.org",
    "./evil",
    "git+https://example.org/evil",
    "https://example.org/evil.whl",
    "file:///tmp/evil",
    "a\n--index-url=https://example.org",
]
ADDRESSES = [
    "evil @ git+https://example.org/evil",
    "evil @ file:///tmp/evil-1.0-py3-none-any.whl",
    "evil@https://a.b/c",
]


@pytest.fixture
def index(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Create a directory as the only package index of the installers, and use empty caches."""
    folder = tmp_path / "index"
    folder.mkdir()
    for tool in ("UV", "PIP"):
        monkeypatch.setenv(f"{tool}_FIND_LINKS", str(folder))
        monkeypatch.setenv(f"{tool}_NO_INDEX", "1")
    monkeypatch.setenv("UV_CACHE_DIR", str(tmp_path / "uv-cache"))
    monkeypatch.setenv("HERMES_SDK_CACHE", str(tmp_path / "cache"))
    return folder


@pytest.fixture
def uv(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Replace uv with a program that writes its arguments, environment and directory to the returned file."""
    asked, program = tmp_path / "asked.json", tmp_path / "bin" / "uv"
    write(
        program.parent,
        {
            "uv": f"#!{sys.executable}\nimport json, os, pathlib, sys\n"
            f"pathlib.Path({str(asked)!r}).write_text(json.dumps([sys.argv, dict(os.environ), os.getcwd()]))\n"
        },
    )
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{program.parent}:{os.environ['PATH']}")
    return asked


def make_wheel(index: Path, name: str, files: Mapping[str, str]) -> Path:
    info = f"{name}-1.0.dist-info"
    everything = {
        **files,
        f"{info}/METADATA": f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n",
        f"{info}/WHEEL": "Wheel-Version: 1.0\nGenerator: test\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
    }
    everything[f"{info}/RECORD"] = "".join(f"{path},,\n" for path in (*everything, f"{info}/RECORD"))
    file = index / f"{name}-1.0-py3-none-any.whl"
    with zipfile.ZipFile(file, "w") as archive:
        for path, text in everything.items():
            archive.writestr(path, text)
    return file


def make_sdist(index: Path, name: str, marker: Path) -> None:
    """Create a source distribution with its own build backend."""
    files = {
        "PKG-INFO": f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n",
        "pyproject.toml": '[build-system]\nrequires = []\nbuild-backend = "own"\nbackend-path = ["."]\n',
        "own.py": f"import os, pathlib\npathlib.Path({str(marker)!r}).write_text(os.environ.get('SECRET_TOKEN', ''))\n",
    }
    with tarfile.open(index / f"{name}-1.0.tar.gz", "w:gz") as archive:
        for path, text in files.items():
            member = tarfile.TarInfo(f"{name}-1.0/{path}")
            member.size = len(text)
            archive.addfile(member, io.BytesIO(text.encode()))


def project(folder: Path, text: str) -> Plugin:
    """Create a project whose `pyproject.toml` begins with a text."""
    root = write(folder / "demo", {**PLUGIN, "pyproject.toml": f'{text}\n[project]\nname = "demo"\nversion = "1"\n'})
    return Plugin(locate(root), root)


def format_build_system(*requires: str) -> str:
    return f'[build-system]\nrequires = {json.dumps(requires)}\nbuild-backend = "evil_backend"\n'


BACKEND = """\
import os, pathlib, tarfile, zipfile

def build_wheel(directory, *_):
    try:
        pathlib.Path({marker!r}).write_text("build")
    except OSError:
        pass
    with zipfile.ZipFile(pathlib.Path(directory, "demo-1-py3-none-any.whl"), "w") as archive:
        archive.writestr("demo-1.dist-info/METADATA", "Name: demo\\nSecret: " + os.environ.get("SECRET_TOKEN", "none"))

def build_sdist(directory, *_):
    tarfile.open(pathlib.Path(directory, "demo-1.tar.gz"), "w:gz").close()
"""


@pytest.mark.parametrize("requirement", [*OPTIONS, *ADDRESSES])
def test_requirement_that_is_not_on_the_index_is_rejected(
    tmp_path: Path, index: Path, uv: Path, requirement: str
) -> None:
    with pytest.raises(UsageError, match="requirement"):
        build(project(tmp_path, format_build_system(requirement)), online=True)
    dependent = write(
        tmp_path / "other",
        {**PLUGIN, "pyproject.toml": f"[project]\nname = 'demo'\nversion = '1'\ndependencies = [{requirement!r}]\n"},
    )
    with pytest.raises(UsageError, match="requirement"):
        find_requirements(locate(dependent))
    result = check(dependent, Options(static=True, online=True, profile="catalog"))
    assert "HS691" in {one.code for one in result.not_run}
    assert not uv.exists()


def test_user_may_allow_a_direct_reference_by_name(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(ALLOWED, "other Evil_1")
    (allowed,) = parse_requirements(["evil.1 @ https://example.org/evil_1-1.0-py3-none-any.whl"], "")
    assert allowed.name == "evil.1"
    with pytest.raises(UsageError, match=f"(?s)evil .*{ALLOWED}=evil"):
        parse_requirements(["evil @ https://example.org/evil-1.0-py3-none-any.whl"], "")


@pytest.mark.parametrize(
    "table",
    ["requires = 5", "requires = [5]", 'requires = "x"', "build-backend = 5", 'backend-path = "x"', "requires = {}"],
)
def test_rule_does_not_run_for_invalid_build_system(tmp_path: Path, table: str) -> None:
    root = project(tmp_path, f"[build-system]\n{table}\n").base
    result = check(root, Options())
    reasons = {one.reason for one in result.not_run if one.code == "HS605"}
    assert len(reasons) == 1
    assert "bug in hermes-sdk" not in reasons.pop()


def test_backend_without_a_wheel_is_not_built(tmp_path: Path, index: Path, marker: Path) -> None:
    make_sdist(index, "evil_backend", marker)
    with pytest.raises(UnavailableError, match="could not be installed"):
        build(project(tmp_path, format_build_system("evil-backend")), online=True)
    assert not marker.exists()


def test_fetched_backend_runs_only_in_the_sandbox(tmp_path: Path, index: Path, marker: Path) -> None:
    start = f"import pathlib; pathlib.Path({str(marker)!r}).write_text('start')\n"
    files = {"evil_backend.py": BACKEND.format(marker=str(marker)), "evil.pth": start, "sitecustomize.py": start}
    make_wheel(index, "evil_backend", files)
    plugin = project(tmp_path, format_build_system("evil-backend"))
    for _ in range(2):
        made = build(plugin, online=True)
        assert "Secret: none" in made.metadata
        assert not marker.exists()
    assert build(plugin).metadata == made.metadata


def test_installer_does_not_inherit_the_environment(tmp_path: Path, index: Path, uv: Path, marker: Path) -> None:
    with pytest.raises(HermesSdkError):
        build(project(tmp_path, format_build_system("evil-backend")), online=True)
    arguments, variables, directory = json.loads(uv.read_text())
    assert arguments[-4:] == ["--only-binary", ":all:", "--", "evil-backend"]
    assert "SECRET_TOKEN" not in variables
    assert variables["HOME"] == directory != str(Path.home())
    assert variables["UV_FIND_LINKS"] == str(index)


@pytest.mark.parametrize("place", [".venv/bin/python", "pip/__main__.py", "venv/__main__.py", "uv.toml"])
def test_files_of_the_plugin_are_not_used_as_tools(
    tmp_path: Path, index: Path, marker: Path, monkeypatch: pytest.MonkeyPatch, place: str
) -> None:
    make_wheel(index, "idna", {"idna.py": ""})
    dependencies = "[project]\nname = 'demo'\nversion = '1'\ndependencies = ['idna']\n"
    root = write(
        tmp_path / "demo",
        {
            **PLUGIN,
            "pyproject.toml": dependencies,
            ".venv/pyvenv.cfg": f"home = {Path(sys.executable).parent}\n",
            place: f"#!{sys.executable}\nimport pathlib\npathlib.Path({str(marker)!r}).touch()\n",
        },
    )
    (root / place).chmod(0o755)
    monkeypatch.chdir(root)
    monkeypatch.delenv("VIRTUAL_ENV", raising=False)
    check(root, Options(static=True, online=True, profile="catalog"))
    assert not marker.exists()


def test_quarantine_check_builds_nothing(tmp_path: Path, index: Path, marker: Path) -> None:
    make_sdist(index, "evil", marker)
    root = write(
        tmp_path / "demo",
        {**PLUGIN, "pyproject.toml": "[project]\nname = 'demo'\nversion = '1'\ndependencies = ['evil']\n"},
    )
    check(root, Options(static=True, online=True, profile="catalog"))
    assert not marker.exists()


@pytest.fixture
def host_python(real_python: RealPython) -> Path:
    return real_python(RELEASE)


@pytest.fixture
def installed(host_python: Path, index: Path, tmp_path: Path) -> Path:
    """Return the index, with a cache that contains only a real host."""
    environment = host_python.parent.parent
    write(tmp_path / "cache", {"environments/.keep": ""})
    (tmp_path / "cache" / "environments" / environment.name).symlink_to(environment)
    return index


def dependent(folder: Path) -> Path:
    text = "[project]\nname = 'demo'\nversion = '1'\ndependencies = ['evil']\n"
    return write(
        folder / "demo", {**PLUGIN, "pyproject.toml": text, "__init__.py": "import evil\n" + PLUGIN["__init__.py"]}
    )


@pytest.mark.real_host
def test_requirements_are_installed_only_with_consent(installed: Path, tmp_path: Path, marker: Path) -> None:
    start = f"import pathlib; pathlib.Path({str(marker)!r}).write_text('start')\n"
    make_wheel(installed, "evil", {"evil.py": "", "evil.pth": start, "sitecustomize.py": start})
    root = dependent(tmp_path)
    with pytest.raises(UnavailableError, match=r"(?s)evil, which is not installed.*--install"):
        show(root, host="real", release=RELEASE)
    assert not (tmp_path / "cache" / "overlays").exists()
    assert show(root, host="real", release=RELEASE, install=True)["status"] == "loaded"
    assert show(root, host="real", release=RELEASE)["status"] == "loaded"
    assert not marker.exists()


@pytest.mark.real_host
def test_requirement_without_a_wheel_is_not_built(installed: Path, tmp_path: Path, marker: Path) -> None:
    make_sdist(installed, "evil", marker)
    with pytest.raises(UnavailableError, match="could not be installed"):
        show(dependent(tmp_path), host="real", release=RELEASE, install=True)
    assert not marker.exists()


@pytest.mark.slow
@pytest.mark.real_host
@pytest.mark.parametrize(
    "command",
    [["show", "--host=real", f"--release={RELEASE}"], ["compat", f"--only=real:{RELEASE}"]],
    ids=["show", "compat"],
)
def test_requirements_are_installed_from_a_directory_of_wheels(index, tmp_path, command, real_python: RealPython):
    cache = Path(os.environ["HERMES_SDK_CACHE"])
    cache.mkdir()
    with pytest.MonkeyPatch.context() as context:
        context.delenv("HERMES_SDK_CACHE")
        (cache / "environments").symlink_to(real_python(RELEASE).parent.parent.parent)
    make_wheel(index, "helper_of_demo", {"helper_of_demo.py": "name = 'helped'\n"})
    source = "import helper_of_demo\ndef register(ctx): ctx.register_command(helper_of_demo.name, lambda line: line)\n"
    write(tmp_path / "demo", {**PLUGIN, "__init__.py": source, "requirements.txt": "helper-of-demo>=1\n"})
    code = "from hermes_sdk.cli.main import run; run()"

    def run(*options: str) -> subprocess.CompletedProcess[str]:
        argv = [sys.executable, "-c", code, *command, "--json", *options, str(tmp_path / "demo")]
        return subprocess.run(argv, capture_output=True, text=True, timeout=200, check=False)

    refused = run()
    assert "requires helper-of-demo>=1, which is not installed for the real host" in refused.stdout + refused.stderr
    assert "pass --install" in refused.stdout + refused.stderr
    assert not (cache / "overlays").exists()
    done = run("--install")
    assert done.returncode == 0, done.stderr
    assert '"helped"' in done.stdout
    # Installed requirements need no second consent.
    assert '"helped"' in run().stdout
