"""`hermes-sdk plugins`: prompts, output and errors."""

from __future__ import annotations

import json
import stat
from pathlib import Path

import pytest
from operate.conftest import Repository, write
from operate.tools import Ours, Terminal, state, tree

from hermes_sdk.home import Home

BROKEN = {"plugin.yaml": "name: broken\nkind: nonsense\n", "__init__.py": "def register(ctx): pass\n"}
ASKING = {
    "plugin.yaml": (
        'name: asking\nrequires_env:\n  - name: API_KEY\n    description: "A \\e[31mkey"\n    url: https://example.org\n'
        "    secret: true\n  - PLAIN\n  - LD_PRELOAD\n  - not a name\n"
    ),
    "__init__.py": "def register(ctx): pass\n",
}


def test_install_prompts_for_variables_and_enabling(home: Home, repository: Repository) -> None:
    terminal = Terminal.ours(home.path, "install", repository("asking", ASKING))
    terminal.wait_for("API_KEY: ")
    assert "A \ufffd[31mkey" in terminal.shown
    assert "Get it at https://example.org" in terminal.shown
    terminal.type("s3cret-value\n")
    terminal.wait_for("PLAIN: ")
    secret_part = terminal.shown
    terminal.type("plain value\n")
    terminal.wait_for("LD_PRELOAD: ")
    terminal.type("/tmp/x.so\n")
    terminal.wait_for("not a name: ")
    terminal.type("x\n")
    terminal.wait_for("Enable 'asking' now? [y/N]")
    assert "affects which programs run" in terminal.shown or "not a valid environment variable name" in terminal.shown
    terminal.type("y\n")
    assert terminal.end() == 0
    assert "s3cret" not in secret_part
    assert home.env == {"API_KEY": "s3cret-value", "PLAIN": "plain value"}
    assert stat.S_IMODE(home.env_path.stat().st_mode) == 0o600
    assert home.enabled == ["asking"]


def test_ctrl_c_skips_prompts_but_keeps_the_plugin(home: Home, repository: Repository) -> None:
    terminal = Terminal.ours(home.path, "install", repository("asking", ASKING))
    terminal.wait_for("API_KEY: ")
    terminal.interrupt(until="Skipped. Set the missing variables")
    terminal.wait_for("[y/N]: ")
    terminal.interrupt(until="asking is not enabled")
    assert terminal.end() == 0
    assert (home.plugins_dir / "asking").is_dir()
    assert (home.env, home.config) == ({}, {})


def test_known_variables_are_not_prompted_for(home: Home, ours: Ours, tmp_path: Path) -> None:
    home.set_env("API_KEY", "known-secret")
    done = ours(home.path, "install", str(write(tmp_path / "asking", ASKING)), stdin="", PLAIN="x", LD_PRELOAD="")
    assert "API_KEY" not in done.output
    assert "known-secret" not in done.output
    assert "PLAIN" not in done.output


@pytest.mark.parametrize("granted", [True, False, None])
def test_enable_prompts_for_tool_override(home: Home, granted: bool | None) -> None:
    write(home.plugins_dir / "one", {"plugin.yaml": "name: one\n"})
    terminal = Terminal.ours(home.path, "enable", "one")
    terminal.wait_for("[y/N]: ")
    if granted is None:
        terminal.interrupt(until="one is enabled")
    else:
        terminal.type("y\n" if granted else "\n")
    assert terminal.end() == 0
    assert home.config["plugins"]["entries"] == {"one": {"allow_tool_override": bool(granted)}}


@pytest.mark.parametrize(
    ("options", "answer", "cleaned"), [((), "y\n", True), ((), "\n", False), (("--clean",), "", True)]
)
def test_remove_offers_to_clean_the_configuration(
    home: Home, options: tuple[str, ...], answer: str, cleaned: bool
) -> None:
    write(home.plugins_dir / "folder", {"plugin.yaml": "name: one\n"})
    write(home.plugins_dir / "two", {"plugin.yaml": "name: two\n"})
    config = (
        "# mine\nmemory:\n  provider: folder  # gone soon\n  other: 1\nplugins:\n  enabled: [folder, one, two]\n"
        "  disabled: [x]\n  entries:\n    one:\n      a: 1\n    two: {b: 2}\n"
    )
    home.config_path.write_text(config)
    terminal = Terminal.ours(home.path, "remove", "folder", *options)
    if answer:
        terminal.wait_for("Remove it?")
        terminal.type(answer)
    assert terminal.end() == 0
    kept = "# mine\nmemory:\n  other: 1\nplugins:\n  enabled: [two]\n  disabled: [x]\n  entries:\n    two: {b: 2}\n"
    assert home.config_path.read_text() == (kept if cleaned else config)
    assert not (home.plugins_dir / "folder").exists()


def test_clean_keeps_entry_of_plugin_with_the_same_name(home: Home, ours: Ours) -> None:
    write(home.plugins_dir / "cat" / "same", {"plugin.yaml": "name: same\n"})
    write(home.plugins_dir / "other", {"plugin.yaml": "name: same\n"})
    home.update_config({"plugins": {"enabled": ["cat/same", "same"]}})
    assert ours(home.path, "remove", "cat/same", "--clean").exit_code == 0
    assert home.enabled == ["same"]


def test_errors_are_shown_before_plugin_is_enabled(home: Home, ours: Ours, tmp_path: Path) -> None:
    done = ours(home.path, "install", str(write(tmp_path / "broken", BROKEN)), "--enable")
    assert done.exit_code == 0
    assert done.output.index("HS118") < done.output.index("broken is enabled")


def test_plugin_in_a_subdirectory_is_enabled_by_its_key(home: Home, ours: Ours, repository: Repository) -> None:
    url = repository("style", {".hermes-plugin/plugin.yaml": "name: elements\n", "README.md": "x"})
    done = ours(home.path, "install", url, "--enable")
    assert done.exit_code == 0
    assert "Hermes finds plugins in it: style/.hermes-plugin" in done.output
    assert "style/.hermes-plugin is enabled." in done.output
    assert home.enabled == ["style/.hermes-plugin"]
    assert ours(home.path, "enable", "style").exit_code == 2


def test_repository_without_a_plugin_is_not_enabled(home: Home, ours: Ours, repository: Repository) -> None:
    done = ours(home.path, "install", repository("notes", {"README.md": "x"}), "--enable")
    assert done.exit_code == 2
    assert "Hermes finds no plugin in" in done.output
    assert "hermes-sdk plugins remove notes" in done.output
    assert home.enabled == []


def test_selected_memory_provider_is_listed_as_enabled(home: Home, ours: Ours) -> None:
    for name in ("memo", "other"):
        write(home.plugins_dir / name, {"plugin.yaml": f"name: {name}\n", "__init__.py": "# register_memory_provider"})
    home.config_path.write_text("memory:\n  provider: memo\n")
    listed = {
        line.split()[-1]: line.split()[0] for line in ours(home.path, "list", "--plain", "--user").output.splitlines()
    }
    assert listed == {"memo": "enabled", "other": "not"}


def test_reinstalled_plugin_stays_enabled(home: Home, ours: Ours, tmp_path: Path) -> None:
    source = str(write(tmp_path / "one", {"plugin.yaml": "name: one\n"}))
    assert "one is enabled." in ours(home.path, "install", source, "--enable").output
    again = ours(home.path, "install", source, "--force").output
    assert "one stays enabled." in again
    assert "not enabled" not in again


def test_install_runs_no_code_of_the_plugin(home: Home, ours: Ours, tmp_path: Path) -> None:
    source = write(
        tmp_path / "spy", {"plugin.yaml": "name: spy\n", "__init__.py": f"open({str(tmp_path / 'ran')!r}, 'w')\n"}
    )
    assert ours(home.path, "install", str(source), "--enable").exit_code == 0
    assert not (tmp_path / "ran").exists()


def test_control_characters_in_install_note_are_removed(home: Home, ours: Ours, tmp_path: Path) -> None:
    note = "# Welcome\n\x1b[2J\x1b]0;title\x07 **read** this\n"
    source = write(tmp_path / "one", {"plugin.yaml": "name: one\n", "after-install.md": note})
    output = ours(home.path, "install", str(source)).output
    assert "Welcome" in output
    assert "\x1b" not in output
    assert "\x07" not in output


def test_control_characters_in_file_names_are_replaced(home: Home, ours: Ours, tmp_path: Path) -> None:
    for name in ("a\x1b[2J", "b\x1b[2J"):
        write(tmp_path / "many" / name, {"plugin.yaml": "name: x\n"})
    done = ours(home.path, "install", str(tmp_path / "many"))
    assert done.exit_code == 2
    assert "a\ufffd[2J" in done.output
    assert "\x1b" not in done.output


@pytest.mark.parametrize("files", [{"README.md": ""}, {"__init__.py": ""}])
def test_install_warns_about_missing_manifest(
    home: Home, ours: Ours, repository: Repository, files: dict[str, str]
) -> None:
    done = ours(home.path, "install", repository("demo", files))
    assert done.exit_code == 0
    assert "no plugin.yaml" in done.output


def test_list_accepts_unusual_manifests(home: Home, ours: Ours) -> None:
    write(home.plugins_dir, {"a/plugin.yaml": 'name: "x\\e[1m"\nversion: 1.10\ndescription: "a\\nb"\n'})
    write(
        home.plugins_dir, {"b/plugin.yaml": "- list\n", "c/plugin.yml": "name: [1]\n", "d/e/f/plugin.yaml": "", "g": ""}
    )
    (home.plugins_dir / "loop").symlink_to("loop")
    for options in ((), ("--plain",), ("--json",)):
        done = ours(home.path, "list", "--user", *options)
        assert done.exit_code == 0
        assert "\x1b" not in done.output
    listed = [plugin["name"] for plugin in json.loads(ours(home.path, "list", "--user", "--json").output)["plugins"]]
    assert listed == ["x\x1b[1m", "b", "[1]"]


def test_list_reports_an_empty_home(home: Home, ours: Ours) -> None:
    assert ours(home.path, "list").output == (
        f"No plugins are installed in {home.path}.\n85 bundled plugins are not listed; pass --all to list them.\n"
    )
    assert ours(home.path, "list", "--enabled").output == f"No plugins are enabled in {home.path}.\n"
    assert ours(home.path, "list", "--plain").output == ""
    assert json.loads(ours(home.path, "list", "--enabled", "--json").output) == {
        "schema": "hermes-sdk.plugins/1",
        "home": str(home.path),
        "plugins": [],
        "broken_links": [],
    }


def test_list_shows_bundled_plugins_only_on_request(home: Home, ours: Ours) -> None:
    write(home.plugins_dir / "mine", {"plugin.yaml": "name: mine\n"})
    home.enable("spotify")
    assert [line.split()[-1] for line in ours(home.path, "list", "--plain").output.splitlines()] == ["mine"]
    listed = [line.split()[-1] for line in ours(home.path, "list", "--plain", "--all").output.splitlines()]
    assert listed[0] == "mine"
    assert "spotify" in listed
    assert len(listed) == 86
    table = ours(home.path, "list").output
    assert "85 bundled plugins are not listed" in table
    assert "spotify" not in table
    for option in ("--all", "--user"):
        assert "part of Hermes" not in ours(home.path, "list", option).output
    assert len(json.loads(ours(home.path, "list", "--json").output)["plugins"]) == 86


def test_bundled_plugins_depend_on_the_release(home: Home, ours: Ours) -> None:
    counts = {
        release: len(json.loads(ours(home.path, "list", "--json", "--release", release).output)["plugins"])
        for release in ("0.15.2", "0.19.0")
    }
    assert 0 < counts["0.15.2"] < counts["0.19.0"] == 85


def test_release_option_is_accepted_before_and_after_the_command(home: Home, ours: Ours) -> None:
    before, after = (
        ours(home.path, *argv).output
        for argv in (("--release", "0.16.0", "list", "--all"), ("list", "--all", "--release", "0.16.0"))
    )
    assert before == after != ours(home.path, "list", "--all").output


@pytest.mark.parametrize(
    ("argv", "exit_code", "message"),
    [
        (("install",), 2, "Missing argument"),
        (("install", "word"), 2, "Invalid plugin identifier"),
        (("install", "./missing"), 2, "does not exist"),
        (("install", "--link", "./missing"), 2, "not a directory"),
        (("install", "--link", "/", "--ref", "main"), 2, "--ref applies only to Git repositories"),
        (("install", "o/r", "--enable", "--no-enable", "--release", "9.9"), 2, "9.9"),
        (("update", "missing"), 2, "not found"),
        (("update", "local"), 2, "--force"),
        (("remove", "../x"), 2, "Invalid plugin name"),
        (("enable", "missing"), 2, "hermes-sdk plugins list"),
        (("enable", "locl"), 2, "'locl' is not installed or bundled; did you mean 'local'?"),
        (("disable", "b/sam"), 2, "did you mean 'b/same'?"),
        (("remove", "locl"), 2, "; did you mean 'local'?"),
        (("enable", "same"), 2, "is ambiguous; it matches: a/same, b/same"),
        (("disable", "missing"), 2, "not installed"),
        ((), 2, "terminal"),
    ],
)
def test_invalid_call_changes_nothing(
    home: Home, ours: Ours, argv: tuple[str, ...], exit_code: int, message: str
) -> None:
    for name in ("local", "a/same", "b/same"):
        write(home.plugins_dir / name, {"plugin.yaml": f"name: {name.replace('/', '-')}\n"})
    before = state(home.path)
    done = ours(home.path, *argv)
    assert done.exit_code == exit_code
    assert message in done.output
    assert "Traceback" not in done.output
    assert state(home.path) == before


@pytest.mark.parametrize(
    "argv", [("enable", "one"), ("disable", "one"), ("remove", "one"), ("migrate",), ("install", "o/r"), ("update",)]
)
def test_managed_home_is_not_changed(home: Home, ours: Ours, argv: tuple[str, ...]) -> None:
    write(home.plugins_dir / "one", {"plugin.yaml": "name: one\n"})
    (home.path / ".managed").touch()
    before = tree(home.path)
    done = ours(home.path, *argv)
    assert done.exit_code == 3
    assert "managed" in done.output
    assert tree(home.path) == before
    assert ours(home.path, "list").exit_code == 0


@pytest.mark.parametrize("argv", [("enable", "one"), ("disable", "one"), ("migrate",)])
def test_unreadable_configuration_is_not_changed(home: Home, ours: Ours, argv: tuple[str, ...]) -> None:
    write(home.plugins_dir / "one", {"plugin.yaml": "name: one\n"})
    home.config_path.write_text("plugins: [\n")
    done = ours(home.path, *argv)
    assert done.exit_code == 2
    assert "config.yaml:" in done.output
    assert home.config_path.read_text() == "plugins: [\n"


def test_comments_in_configuration_are_kept(home: Home, ours: Ours, tmp_path: Path) -> None:
    home.config_path.write_text("# mine\nplugins:\n  enabled:\n    - a  # first\n    - z\n# end\n")
    ours(home.path, "install", str(write(tmp_path / "m", {"plugin.yaml": "name: m\n"})), "--enable")
    assert home.config_path.read_text() == (
        "# mine\nplugins:\n  enabled:\n    - a  # first\n    - m\n    - z\n  disabled: []\n_config_version: 33\n# end\n"
    )


def test_migrate_enables_plugins_of_old_home(home: Home, ours: Ours) -> None:
    for name in ("a", "b"):
        write(home.plugins_dir / name, {"plugin.yaml": ""})
    home.config_path.write_text("_config_version: 20\n")
    assert "a, b" in ours(home.path, "migrate").output
    assert home.enabled == ["a", "b"]
    assert "needs no migration" in ours(home.path, "migrate").output
