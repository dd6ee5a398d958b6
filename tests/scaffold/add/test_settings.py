"""`add setting` and `add env`: code that reads the value and logs invalid ones, and the declaration in the manifest."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner
from conftest import RealPython
from scaffold.add.open_plugin import MANIFEST, plugin, snapshot

from hermes_sdk import contract
from hermes_sdk.cli.add import command
from hermes_sdk.errors import UsageError
from hermes_sdk.home import Home
from hermes_sdk.hosts.staging import StagedHome
from hermes_sdk.manifest import load_yaml, locate
from hermes_sdk.scaffold.add.engine import add
from hermes_sdk.scaffold.new import new

SHOWS = """\
from . import settings


def register(ctx):
    ctx.register_command("show", lambda line: f"{settings.greeting(ctx)}/{settings.acme_key()}")
"""


def fields(path: Path) -> dict[str, object]:
    found = load_yaml((path / "plugin.yaml").read_text())
    assert isinstance(found, dict)
    return found


def run(project: Path, program: str, *argv: str) -> None:
    """Run a tool on a project, and assert that it succeeds."""
    done = subprocess.run(
        [sys.executable, "-m", program, *argv],
        cwd=project,
        env={**os.environ, "PYTEST_ADDOPTS": "-p no:cacheprovider"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.parametrize(
    ("config", "variable", "shown"),
    [
        ({"greeting": "tea"}, "k1", "tea/k1"),
        ({"greeting": 7}, "k1", "/k1"),
        ({"greeting": ["tea"]}, "", "/"),
        (None, "k1", "/k1"),
        ("nonsense", "k1", "/k1"),
    ],
)
@pytest.mark.parametrize("release", [contract.OLDEST_MODELLED, contract.DEFAULT])
def test_readers_return_the_configured_values(
    tmp_path: Path, release: str, config: object, variable: str, shown: str
) -> None:
    path = plugin(tmp_path / "notes", SHOWS, settings="")
    add("setting", "greeting", path).changes.write()
    add("env", "ACME_KEY", path).changes.write()
    with Home.temporary() as home:
        home.update_config({"plugins": {"entries": {"notes": {"settings": config}}}})
        home.set_env("ACME_KEY", variable)
        staged = StagedHome(home, release=release)
        staged.add(locate(path))
        with staged.open() as host:
            assert host.command("/show") == shown


@pytest.mark.parametrize(("name", "secret"), [("ACME_API_KEY", True), ("TOKEN", True), ("ACME_REGION", False)])
def test_manifest_declares_the_variable(tmp_path: Path, name: str, secret: bool) -> None:
    path = plugin(tmp_path / "notes", manifest=MANIFEST + "requires_env:\n  - OTHER  # mine\n")
    add("env", name, path).changes.write()
    assert "- OTHER  # mine" in (path / "plugin.yaml").read_text()
    other, entry = fields(path)["requires_env"]  # type: ignore[misc]
    assert other == "OTHER"
    assert entry["name"] == name
    assert entry["description"]
    assert entry["prompt"]
    assert entry.get("secret", False) is secret


def test_manifest_describes_the_setting(tmp_path: Path) -> None:
    path = plugin(tmp_path / "notes", manifest=MANIFEST + "config_schema:\n  limit: {type: int}  # mine\n")
    add("setting", "greeting", path).changes.write()
    assert "limit: {type: int}  # mine" in (path / "plugin.yaml").read_text()
    schema = fields(path)["config_schema"]
    assert isinstance(schema, dict)
    assert list(schema) == ["limit", "greeting"]
    assert (schema["greeting"]["type"], schema["greeting"]["default"]) == ("string", "")


def test_plugin_for_older_releases_gets_no_schema(tmp_path: Path) -> None:
    path = plugin(tmp_path / "notes", manifest=MANIFEST + 'requires_hermes: ">=0.13, <0.20"\n')
    add("setting", "greeting", path).changes.write()
    assert "config_schema" not in fields(path)
    assert "def greeting(ctx" in (path / "__init__.py").read_text()


@pytest.mark.parametrize(
    ("manifest", "handed_out", "read"),
    [("", True, True), ('requires_hermes: ">=0.19"\n', True, True), ('requires_hermes: ">=0.21"\n', True, False)],
)
def test_configuration_is_read_only_for_releases_without_get_config(
    tmp_path: Path, manifest: str, handed_out: bool, read: bool
) -> None:
    path = plugin(tmp_path / "notes", manifest=MANIFEST + manifest)
    add("setting", "greeting", path).changes.write()
    text = (path / "__init__.py").read_text()
    assert ("ctx.get_config(name)" in text, "load_config" in text) == (handed_out, read)
    assert "config_schema" in fields(path)


def test_parameter_of_register_is_used_as_context(tmp_path: Path) -> None:
    path = plugin(tmp_path / "notes", "def register(hermes):\n    pass\n")
    add("setting", "greeting", path).changes.write()
    assert "    greeting(hermes)  # " in (path / "__init__.py").read_text()
    assert add("setting", "greeting", path).existing


def test_existing_reader_is_not_replaced(tmp_path: Path) -> None:
    path = plugin(tmp_path / "notes", "def read_setting():\n    pass\n\n\ndef register(ctx):\n    pass\n")
    with pytest.raises(UsageError, match="`read_setting` already exists"):
        add("setting", "greeting", path)


def test_variable_that_the_code_reads_is_only_declared(tmp_path: Path) -> None:
    source = "import os\n\n\ndef register(ctx):\n    os.environ.get('ACME_KEY')\n"
    path = plugin(tmp_path / "notes", source)
    first = CliRunner().invoke(command, ["env", "ACME_KEY", str(path)]).output
    assert first.splitlines()[:2] == ["Added env 'ACME_KEY':", "  changed  plugin.yaml"]
    before = snapshot(tmp_path)
    assert "already has the env 'ACME_KEY'" in CliRunner().invoke(command, ["env", "ACME_KEY", str(path)]).output
    assert snapshot(tmp_path) == before


def test_declared_variable_gets_a_reader(tmp_path: Path) -> None:
    path = plugin(tmp_path / "notes", manifest=MANIFEST + "requires_env: [ACME_KEY]\n")
    add("env", "ACME_KEY", path).changes.write()
    assert fields(path)["requires_env"] == ["ACME_KEY"]
    assert "def acme_key()" in (path / "__init__.py").read_text()


@pytest.mark.parametrize(
    ("kind", "name", "manifest", "message"),
    [
        ("setting", "greeting", "config_schema: [greeting]\n", "config_schema is not a mapping"),
        ("env", "ACME_KEY", "requires_env: ACME_KEY\n", "requires_env is not a list"),
    ],
)
def test_declaration_of_the_wrong_type_is_rejected(
    tmp_path: Path, kind: str, name: str, manifest: str, message: str
) -> None:
    path = plugin(tmp_path / "notes", manifest=MANIFEST + manifest)
    before = snapshot(tmp_path)
    with pytest.raises(UsageError, match=message) as refused:
        add(kind, name, path)
    assert refused.value.where == str(path / "plugin.yaml")
    assert refused.value.fix
    assert snapshot(tmp_path) == before


@pytest.mark.parametrize(
    ("template", "fix"), [("memory-provider", "get_config_schema"), ("model-provider", "env_vars")]
)
@pytest.mark.parametrize(("kind", "name"), [("setting", "greeting"), ("env", "ACME_KEY")])
def test_setting_of_provider_is_rejected_with_advice(
    tmp_path: Path, template: str, fix: str, kind: str, name: str
) -> None:
    project = new(template, tmp_path)
    before = snapshot(project)
    with pytest.raises(UsageError) as refused:
        add(kind, name, project)
    assert fix in refused.value.fix
    assert snapshot(project) == before


def test_readers_are_called_in_the_order_of_addition(tmp_path: Path) -> None:
    path = plugin(tmp_path / "notes")
    for kind, name in (("setting", "one"), ("env", "TWO"), ("setting", "three")):
        add(kind, name, path).changes.write()
    text = (path / "__init__.py").read_text()
    assert text.index("    one(ctx)  #") < text.index("    two()  #") < text.index("    three(ctx)  #")
    assert text.count("def read_setting") == 1


@pytest.mark.slow
@pytest.mark.real_host
@pytest.mark.parametrize(("example", "floor"), [("yes", "0.19.0"), ("no", "0.19.0"), ("no", "0.20.2")])
def test_generated_code_passes_linters_and_both_hosts(
    tmp_path: Path, example: str, floor: str, real_python: RealPython
) -> None:
    answers = {"example": example, "hermes_floor": floor}
    project = new("plugin", tmp_path, name="Team Notes", extra=answers, with_=["setting", "env", "env:AT"])
    run(project, "ruff", "check", "--no-cache")
    run(project, "ruff", "format", "--no-cache", "--check")
    run(project, "mypy", "--cache-dir", os.devnull)
    run(project, "pyright", "--pythonpath", sys.executable)
    run(project, "hermes_sdk.check", "--strict")
    run(project, "pytest", "-q")
    releases = [release for release in ("0.19.0", "0.20.2", "0.22.2") if release >= floor]
    for release in releases:
        run(project, "pytest", "-q", "--hermes-release", release, "tests/test_settings.py")
        real_python(release)
        run(project, "pytest", "-q", "--hermes-host", "real", "--hermes-release", release, "tests/test_settings.py")
