"""The real host with plugins that Nix built and linked, on the newest and the oldest release."""

import json
import os
import shutil
import subprocess
from collections.abc import Callable, Generator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path

import pytest
import yaml
from nix.running import PLUGINS, BuildError, Nix

from hermes_sdk.home import Home
from hermes_sdk.hosts import open_host
from hermes_sdk.hosts.interface import Host

RELEASES = ["0.19.0", pytest.param("0.13.0", marks=pytest.mark.slow)]

# As root, the tests could write bytecode into the store.
NO_BYTECODE = {"PYTHONDONTWRITEBYTECODE": "1"}

Switch = Callable[..., subprocess.CompletedProcess[str]]
Open = Callable[[], AbstractContextManager[Host]]

pytestmark = pytest.mark.real_host


@pytest.fixture
def home(tmp_path: Path) -> Path:
    return tmp_path / "state" / ".hermes"


@pytest.fixture
def switch(nix: Nix, home: Path) -> Switch:
    """Return a function that builds a system, and runs the command of its unit."""

    def run(*sources: str | Path, check: bool = True, **given: object) -> subprocess.CompletedProcess[str]:
        (link,) = nix.build(f"({nix.system(home, sources, **given)}).link")
        done = subprocess.run(json.loads(link.read_text()), text=True, capture_output=True, check=False)
        assert not check or done.returncode == 0, done.stderr
        return done

    return run


@pytest.fixture(params=RELEASES)
def host(request: pytest.FixtureRequest, real_python: Callable[[str], Path], home: Path) -> Open:
    """Return a function that opens the real host on the home."""
    real_python(request.param)

    @contextmanager
    def run() -> Generator[Host]:
        with open_host("real", request.param, Home(home), environment=NO_BYTECODE) as opened:
            yield opened

    return run


def enabled_plugins(home: Path) -> list[str]:
    return yaml.safe_load((home / "config.yaml").read_text())["plugins"]["enabled"]


def plugins_dir(home: Path) -> list[str]:
    return sorted(path.name for path in (home / "plugins").iterdir())


def test_first_switch_links_and_enables_plugins(switch: Switch, host: Open) -> None:
    switch("alpha", "spaced", "memo", "chat", "model", "project")
    with host() as hermes:
        assert hermes.tools == ["alpha_tool", "notes_tool", "spaced_tool"]
        assert hermes.call_tool("alpha_tool").json == {"version": "1.0.0"}
        assert {hermes.report(key)["status"] for key in ("alpha", "My Plugin", "chat-platform", "team-notes")} == {
            "loaded"
        }
        assert hermes.report("chat-platform")["platforms"] == ["nixchat"]
        assert hermes.report("memo")["memory_provider"] == "memo"
        status = hermes.cli("memory", "status").stdout
    assert "memo" in status
    assert "installed ✓" in status


def test_model_provider_is_registered(switch: Switch, host: Open) -> None:
    switch("model")
    with host() as hermes:
        assert hermes.report("model-providers/nix-model")["model_providers"] == ["nixprov"]


def test_links_of_providers_have_the_prefix_when_configured(switch: Switch, host: Open, home: Path) -> None:
    switch("alpha", "memo", "model", options={"prefixProviders": True})
    links = {path.name for path in (home / "plugins").rglob("*") if path.is_symlink()}
    assert links == {"nix-managed-alpha", "nix-managed-memo", "nix-managed-nix-model"}
    with host() as hermes:
        assert "installed ✓" in hermes.cli("memory", "status").stdout
        assert hermes.report("model-providers/nix-managed-nix-model")["model_providers"] == ["nixprov"]
        assert hermes.tools == ["alpha_tool"]


def test_switch_adds_removes_and_upgrades_plugins(switch: Switch, host: Open, home: Path) -> None:
    switch("alpha", "beta")
    with host() as hermes:
        assert hermes.call_tool("alpha_tool").json == {"version": "1.0.0"}
    switch("alpha-v2", "gamma")
    with host() as hermes:
        assert hermes.tools == ["alpha_tool", "gamma_tool"]
        assert hermes.call_tool("alpha_tool").json == {"version": "2.0.0"}
    assert enabled_plugins(home) == ["alpha", "gamma"]
    assert plugins_dir(home) == ["nix-managed-alpha", "nix-managed-gamma"]
    switch()
    with host() as hermes:
        assert hermes.plugins == []
    assert plugins_dir(home) == []


def test_plugins_and_settings_added_by_the_user_are_kept(switch: Switch, host: Open, home: Path) -> None:
    shutil.copytree(PLUGINS / "gamma", home / "plugins" / "gamma")
    (home / "plugins" / "nix-managed-mine").symlink_to(PLUGINS / "spaced")
    config = "# Mine.\nplugins:\n  enabled:\n    - gamma  # the best\n    - beta\nmodel: x\n"
    (home / "config.yaml").write_text(config)
    switch("alpha", "beta")
    with host() as hermes:
        assert hermes.tools == ["alpha_tool", "beta_tool", "gamma_tool"]
    switch()
    assert (home / "config.yaml").read_text() == config
    assert plugins_dir(home) == ["gamma", "nix-managed-mine"]
    with host() as hermes:
        assert hermes.tools == ["gamma_tool"]


@pytest.mark.parametrize(
    ("on_conflict", "tools", "version"),
    [("fail", ["alpha_tool"], "2.0.0"), ("keep", ["alpha_tool", "beta_tool"], "2.0.0"), ("move", None, "1.0.0")],
)
@pytest.mark.parametrize("directory", ["alpha", "nix-managed-alpha"])
def test_conflicting_directory_is_handled_by_policy(
    switch: Switch, host: Open, home: Path, directory: str, on_conflict: str, tools: list[str] | None, version: str
) -> None:
    shutil.copytree(PLUGINS / "alpha-v2", home / "plugins" / directory)
    (home / "config.yaml").write_text("plugins: {enabled: [alpha]}\n")
    done = switch("alpha", "beta", options={"onConflict": on_conflict}, check=False)
    assert (done.returncode == 0) == (on_conflict != "fail")
    assert f"plugins/{directory}" in (done.stderr if on_conflict == "fail" else done.stdout)
    assert (home / ".nix-plugins" / "replaced" / f"{directory}.1").is_dir() == (on_conflict == "move")
    with host() as hermes:
        assert hermes.tools == (tools or ["alpha_tool", "beta_tool"])
        assert hermes.call_tool("alpha_tool").json == {"version": version}


def test_failed_build_does_not_change_the_home(switch: Switch, host: Open) -> None:
    switch("alpha")
    with pytest.raises(BuildError, match=r"no plugin(\.yaml)? in "):
        switch("alpha", "no-manifest")
    with pytest.raises(BuildError, match=r"no plugin(\.yaml)? in "):
        switch("alpha", "no-manifest", fetched=True)
    with pytest.raises(BuildError, match="'alpha' is the name of two plugins"):
        switch("alpha", "alpha-v2")
    with host() as hermes:
        assert hermes.call_tool("alpha_tool").json == {"version": "1.0.0"}


def test_packages_known_only_after_the_build_are_linked(switch: Switch, host: Open) -> None:
    switch("alpha", "beta", fetched=True)
    with host() as hermes:
        assert hermes.tools == ["alpha_tool", "beta_tool"]


def test_links_work_with_upstream_module_that_deletes_links(nix: Nix, switch: Switch, host: Open, home: Path) -> None:
    sources = ("alpha", "memo", "model", "chat")
    switch(*sources, agent="upstream")
    (settings,) = nix.build(f"({nix.system(home, sources, agent='upstream')}).upstream")
    (home / "config.yaml").write_text(settings.read_text())
    (home / "plugins" / "nix-managed-other").symlink_to(PLUGINS / "beta")
    for path in (home / "plugins").glob("nix-managed-*"):
        path.unlink()
    with host() as hermes:
        assert hermes.tools == ["alpha_tool"]
        assert hermes.report("chat-platform")["platforms"] == ["nixchat"]
        assert hermes.report("model-providers/nix-model")["model_providers"] == ["nixprov"]
        assert "installed ✓" in hermes.cli("memory", "status").stdout


def test_plugins_load_in_the_managed_home_of_the_gateway_module(switch: Switch, host: Open, home: Path) -> None:
    settings = {"plugins": {"enabled": ["alpha"]}, "memory": {"provider": "memo"}}
    switch("alpha", "beta", "memo", agent="ours", options={"settings": settings}, fetched=True)
    (home / ".managed").touch()
    with host() as hermes:
        assert hermes.tools == ["alpha_tool"]
        assert "installed ✓" in hermes.cli("memory", "status").stdout


def test_plugins_directory_may_be_a_link(switch: Switch, host: Open, home: Path, tmp_path: Path) -> None:
    (tmp_path / "else where").mkdir()
    home.mkdir(parents=True)
    (home / "plugins").symlink_to(tmp_path / "else where")
    switch("alpha", "model")
    with host() as hermes:
        assert hermes.tools == ["alpha_tool"]
        assert hermes.report("model-providers/nix-model")["model_providers"] == ["nixprov"]


def test_managed_configuration_in_etc_overrides_that_of_the_user(
    nix: Nix, home: Path, tmp_path: Path, real_python: Callable[[str], Path]
) -> None:
    real_python("0.19.0")
    machine = nix.system(home, ["alpha"], options={"config": "etc"})
    (link,), (etc,) = nix.build(f"({machine}).link"), nix.build(f"({machine}).etc")
    subprocess.run(json.loads(link.read_text()), check=True, capture_output=True)
    shutil.copytree(PLUGINS / "beta", home / "plugins" / "beta")
    (home / "config.yaml").write_text("plugins: {enabled: [beta]}\n")
    (tmp_path / "etc").mkdir()
    (tmp_path / "etc" / "config.yaml").symlink_to(etc)
    scope = {**NO_BYTECODE, "HERMES_MANAGED_DIR": str(tmp_path / "etc")}
    with open_host("real", "0.19.0", Home(home), environment=scope) as hermes:
        assert hermes.tools == ["alpha_tool"]


PROBE = """\
import json
from hermes_cli.plugins import PluginManager
manager = PluginManager()
manager.discover_and_load()
loaded = {key: one.manifest.source for key, one in manager._plugins.items() if one.enabled}
print(json.dumps({key: source for key, source in loaded.items() if source != "bundled"}))
"""


@pytest.mark.parametrize("release", RELEASES)
def test_entry_point_on_pythonpath_is_loaded(
    nix: Nix, home: Path, tmp_path: Path, real_python: Callable[[str], Path], release: str
) -> None:
    python = real_python(release)
    site = "lib/python3.11/site-packages"
    made = (
        f'mkdir -p "$out/{site}/dice-1.0.dist-info"; cd "$out/{site}"; '
        "printf 'def register(ctx):\\n    pass\\n' > dice.py; "
        "printf 'Metadata-Version: 2.1\\nName: dice\\nVersion: 1.0\\n' > dice-1.0.dist-info/METADATA; "
        "printf '[hermes_agent.plugins]\\nrolling = dice\\n' > dice-1.0.dist-info/entry_points.txt"
    )
    module = f'pythonModule = {{ pythonVersion = "3.11"; sitePackages = "{site}"; }}'
    package = f'({nix.pkgs}.runCommand "dice" {{ passthru = {{ {module}; }}; }} {json.dumps(made)})'
    sdk = f"((import {PLUGINS.parents[2] / 'nix' / 'lib.nix'}) {{ pkgs = {nix.pkgs}; }})"
    config = '{ plugins.enabled = [ "rolling" ]; }'
    code = f"{sdk}.buildPluginSet {{ plugins = [ ]; pythonPackages = [ {package} ]; config = {config}; }}"
    (built,) = nix.build(code)
    subprocess.run([built / "bin" / "hermes-plugins-link", "--home", home], check=True, capture_output=True)
    environment = {
        "PATH": os.environ["PATH"],
        "HOME": str(tmp_path),
        "HERMES_HOME": str(home),
        "HERMES_DISABLE_LAZY_INSTALLS": "1",
        "PYTHONPATH": (built / "python-path").read_text(),
        **NO_BYTECODE,
    }
    done = subprocess.run(
        [python, "-c", PROBE], env=environment, cwd=tmp_path, check=True, capture_output=True, text=True
    )
    assert json.loads(done.stdout.splitlines()[-1]) == {"rolling": "entrypoint"}
