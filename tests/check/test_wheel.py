"""The wheel of a project is built in a child process, and read."""

import tarfile
import zipfile
from pathlib import Path

import pytest
from wheels import build

from hermes_sdk.check import wheel
from hermes_sdk.check.plugin import Plugin
from hermes_sdk.check.releases import Outcome
from hermes_sdk.check.rules import RULES
from hermes_sdk.check.wheel import Wheel, checking_wheel
from hermes_sdk.errors import HermesSdkError, UnavailableError
from hermes_sdk.hosts.processes import isolation
from hermes_sdk.manifest import locate

# A build backend in the project itself, as PEP 517 allows: it needs no package and no network.
BACKEND = """\
import io, pathlib, tarfile, zipfile

def build_wheel(directory, config_settings=None, metadata_directory=None):
    EXTRA
    name = "example-1.0-py3-none-any.whl"
    with zipfile.ZipFile(pathlib.Path(directory, name), "w") as archive:
        for path in ("example/__init__.py", "example/plugin.yaml"):
            archive.writestr(path, pathlib.Path(path).read_bytes())
        archive.writestr("example-1.0.dist-info/METADATA", "Metadata-Version: 2.1\\nName: example\\nVersion: 1.0\\n")
        points = "[hermes_agent.plugins]\\nExample = example\\n[console_scripts]\\nex = example:main\\n"
        archive.writestr("example-1.0.dist-info/entry_points.txt", points)
    return name

def build_sdist(directory, config_settings=None):
    with tarfile.open(pathlib.Path(directory, "example-1.0.tar.gz"), "w:gz") as bundle:
        for path in ("pyproject.toml", "example/plugin.yaml"):
            bundle.add(path, f"example-1.0/{path}")
    return "example-1.0.tar.gz"
"""
PYPROJECT = """\
[build-system]
requires = []
build-backend = "backend"
backend-path = ["."]

[project]
name = "example"
version = "1.0"
"""


@pytest.fixture
def project(write):
    def make(extra: str = "pass", pyproject: str = PYPROJECT) -> Plugin:
        root = write(
            {
                "pyproject.toml": pyproject,
                "backend.py": BACKEND.replace("EXTRA", extra),
                "example/plugin.yaml": "name: example\nkind: standalone\n",
                "example/__init__.py": "def register(ctx):\n    ctx.register_command('example', print)\n",
                ".git/HEAD": "",
            }
        )
        return Plugin(locate(root), root)

    return make


def test_reading_a_wheel_returns_files_metadata_and_entry_points(project):
    made = build(project())
    assert set(made.files) == {
        "example/__init__.py",
        "example/plugin.yaml",
        "example-1.0.dist-info/METADATA",
        "example-1.0.dist-info/entry_points.txt",
    }
    assert made.files["example/plugin.yaml"].startswith(b"name: example")
    assert "Name: example" in made.metadata
    assert made.entry_points == {
        "hermes_agent.plugins": {"Example": "example"},
        "console_scripts": {"ex": "example:main"},
    }
    assert made.sources == {"pyproject.toml", "example/plugin.yaml"}


def test_build_does_not_change_the_project(project):
    plugin = project("pathlib.Path('example/made').write_text('x'); print('building')")
    before = sorted(path.name for path in plugin.base.rglob("*"))
    assert isinstance(build(plugin), Wheel)
    assert sorted(path.name for path in plugin.base.rglob("*")) == before


@pytest.mark.parametrize(
    ("extra", "message"),
    [
        ("raise ValueError('no luck')", "no luck"),
        ("import os; os._exit(3)", "exited"),
        ("return 'x'", "created no wheel"),
    ],
)
def test_failed_build_has_a_reason(project, extra, message):
    with pytest.raises(HermesSdkError, match=f"the wheel cannot be built: .*{message}"):
        build(project(extra))


@pytest.mark.parametrize(
    "extra",
    [
        "name = 'a.whl'; pathlib.Path(directory, name).write_text('no archive'); return name",
        "import os; os.makedirs(os.path.join(directory, 'a.whl')); return 'a.whl'",
    ],
)
def test_invalid_wheel_is_an_error(project, extra):
    with pytest.raises(HermesSdkError, match=r"cannot be read|Is a directory"):
        build(project(extra))


def test_build_is_isolated(project, tmp_path):
    plugin = project(f"pathlib.Path({str(tmp_path / 'made')!r}).write_text('x')")
    with pytest.raises(HermesSdkError, match="made"):
        build(plugin)
    assert not (tmp_path / "made").exists()


def test_missing_backend_is_downloaded_only_online(project, tmp_path, monkeypatch):
    monkeypatch.setenv("HERMES_SDK_CACHE", str(tmp_path / "cache"))
    pyproject = PYPROJECT.replace('"backend"', '"no_such_backend.api"').replace('backend-path = ["."]\n', "")
    with pytest.raises(UnavailableError, match="--online"):
        build(project(pyproject=pyproject))
    assert not (tmp_path / "cache").exists()


def test_plugin_without_a_project_has_no_wheel(plugin):
    directory: Path = plugin({})
    assert judge(Plugin(locate(directory), directory)) == []


BACKEND_LACKS = "[build-system]\nrequires = []\nbuild-backend = 'no_such_backend'\n"


@pytest.mark.parametrize(
    ("pyproject", "concerns"),
    [
        ("[project]\nname = 'example'\n", False),
        (f"[project]\nname = 'example'\n{BACKEND_LACKS}", True),
        ("[project]\nname = 'a'\n[project.entry-points.'hermes_agent.plugins']\na = 'a'\n", True),
    ],
)
def test_wheel_rules_apply_to_projects_with_a_build_configuration(project, pyproject, concerns, monkeypatch):
    monkeypatch.setattr(wheel, "find_spec", lambda name: None)
    outcomes = judge(project(pyproject=pyproject))
    assert [one.unavailable for one in outcomes] == [True] * concerns
    assert all("or `hermes-sdk check --online`" in one.reason for one in outcomes)


def test_wheel_rules_do_not_run_when_the_build_fails(project):
    (entry,) = judge(project("raise ValueError('no luck')"))
    assert "no luck" in entry.reason


def judge(plugin: Plugin, *, full_isolation: bool = False) -> list[Outcome]:
    rules = [rule for rule in RULES if rule.code == "HS605"]
    with checking_wheel(plugin, rules, online=False, full_isolation=full_isolation) as check_wheel:
        return list(check_wheel())


def test_only_the_beginning_of_a_large_file_is_read(tmp_path):
    with zipfile.ZipFile(tmp_path / "a.whl", "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("big.py", b"x" * 30_000_000)
    with tarfile.open(tmp_path / "a.tar.gz", "w:gz"):
        pass
    with (tmp_path / "a.whl").open("rb") as archive, (tmp_path / "a.tar.gz").open("rb") as bundle:
        assert len(wheel.read(archive, bundle).files["big.py"]) == 1_000_000


@pytest.mark.parametrize("made", ["a.whl", "a.tar.gz"])
def test_pipe_in_place_of_a_wheel_times_out(project, made, monkeypatch):
    monkeypatch.setattr(wheel, "_TIME_LIMIT", 1.0)
    extra = f"import os; os.mkfifo(os.path.join(directory, {made!r})); os.mkfifo(os.path.join(directory, 'b.whl'))"
    with pytest.raises(HermesSdkError, match="time limit"):
        build(project(f"{extra}; return 'a'"))


def test_wheel_that_is_too_large_is_not_read(tmp_path, monkeypatch):
    monkeypatch.setattr(wheel, "_MAX_SIZE", 1024**2)
    with zipfile.ZipFile(tmp_path / "a.whl", "w", zipfile.ZIP_DEFLATED) as archive:
        for number in range(4):
            archive.writestr(f"{number}.py", bytes(300_000))
    with tarfile.open(tmp_path / "a.tar.gz", "w:gz"):
        pass
    with (
        (tmp_path / "a.whl").open("rb") as archive_file,
        (tmp_path / "a.tar.gz").open("rb") as bundle,
        pytest.raises(HermesSdkError, match=r"has more than 20,000 files or 1 MB"),
    ):
        wheel.read(archive_file, bundle)


def test_full_isolation_applies_to_the_build(project, tmp_path, monkeypatch):
    monkeypatch.setattr(isolation, "FULL", (*isolation.FULL, "a wall"))
    plugin = project()
    with pytest.raises(UnavailableError, match="missing: a wall"):
        judge(plugin, full_isolation=True)
