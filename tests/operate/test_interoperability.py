"""``hermes-sdk`` and ``hermes`` leave the same state on twin homes, and read each other's files."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from operate.conftest import Repository, make_repository
from operate.tools import Done, Ours, Real, Tool, state

from hermes_sdk.home import Home
from hermes_sdk.operate.providers import memory_providers
from hermes_sdk.operate.screen import Choices

pytestmark = pytest.mark.real_host

DEMO = {
    "plugin.yaml": "name: demo\nversion: '1.0'\ndescription: Shows something\nmanifest_version: 1\n",
    "__init__.py": "def register(ctx): pass\n",
    "settings.yaml.example": "a: 1\n",
    "bin/tool": "#!/bin/sh\n",
}


class Twins:
    """A home for each tool, and both tools."""

    def __init__(self, folder: Path, first: Tool, second: Tool) -> None:
        self.first, self.second = folder / "first", folder / "second"
        self._tools = {self.first: first, self.second: second}
        for home in self._tools:
            (home / "plugins").mkdir(parents=True)

    def write(self, name: str, text: str) -> None:
        """Write a file into both homes."""
        for home in self._tools:
            file = home / name
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(text, encoding="utf-8")

    def run(self, *argv: str, stdin: str = "", swap: bool = False, **environment: str) -> tuple[Done, Done]:
        """Run a command on both homes, each with its own tool, or with the other home's tool if `swap` is set."""
        tools = list(self._tools.values())
        if swap:
            tools.reverse()
        first, second = (
            tool(home, *argv, stdin=stdin, **environment) for tool, home in zip(tools, self._tools, strict=True)
        )
        return first, second

    def agree(self, *argv: str, stdin: str = "", swap: bool = False, **environment: str) -> None:
        """Run a command on both homes, and assert that both succeed or fail and leave the same state."""
        first, second = self.run(*argv, stdin=stdin, swap=swap, **environment)
        assert (first.exit_code == 0) == (second.exit_code == 0), (argv, first, second)
        assert state(self.first) == state(self.second), argv


@pytest.fixture
def twins(tmp_path: Path, ours: Ours, real: Real) -> Twins:
    return Twins(tmp_path / "twins", ours, real)


def test_both_tools_install_update_and_remove_a_plugin(twins: Twins, repository: Repository) -> None:
    url = repository("demo", DEMO)
    twins.agree("install", url)
    twins.agree("install", url)
    twins.agree("enable", "demo")
    twins.agree("enable", "demo", "--allow-tool-override")
    twins.agree("disable", "demo")
    twins.agree("update", "demo")
    repository("demo", {"more.py": "", "other.txt.example": "x"})
    twins.agree("update", "demo")
    twins.agree("install", url, "--force", "--enable")
    twins.agree("remove", "demo")
    twins.agree("remove", "demo")
    twins.agree("install", url, "--no-enable")


@pytest.mark.parametrize(
    "config",
    [
        "timezone: UTC\n",
        "_config_version: 20\nplugins: {enabled: [a, b], disabled: [demo, z]}\n",
        "plugins: {enabled: [demo]}\n",
        "plugins: {enabled: [demo], disabled: [demo]}\n",
        "plugins: {disabled: }\nmodel: {default: some/model}\n",
        "plugins: {entries: {demo: {allow_tool_override: true, other: 1}}}\n",
        "_config_version: abc\nplugins: {disabled: [demo, other]}\n",
    ],
)
def test_both_tools_change_existing_configuration_equally(twins: Twins, repository: Repository, config: str) -> None:
    twins.write("config.yaml", config)
    url = repository("demo", DEMO)
    twins.agree("install", url, "--enable")
    twins.agree("enable", "demo")
    twins.agree("disable", "demo")
    twins.agree("disable", "demo")
    twins.agree("enable", "demo", "--no-allow-tool-override")


@pytest.mark.parametrize(
    "name", ["web/exa", "web-exa", "irc", "irc-platform", "spotify", "exa", "cat/leaf", "leaf", "x"]
)
def test_both_tools_find_a_plugin_by_each_of_its_names(twins: Twins, name: str) -> None:
    twins.write("plugins/cat/leaf/plugin.yaml", "name: manifest-name\n")
    twins.write("config.yaml", "plugins: {disabled: [leaf, manifest-name, web-exa]}\n")
    twins.agree("enable", name)
    twins.agree("disable", name)


@pytest.mark.parametrize(
    "manifest",
    [
        "version: 1\n",
        "name: ''\n",
        "name: other-name\nmanifest_version: '1'\n",
        "name: bad\nmanifest_version: 2\n",
        "name: bad\nmanifest_version: one\n",
        "name: ../outside\n",
        "name: a/b\n",
        "name: ..\n",
        "name: .\n",
        "name: [\n",
        "- a list\n",
        "name: 5\n",
    ],
)
def test_both_tools_check_names_and_versions_of_manifests(twins: Twins, repository: Repository, manifest: str) -> None:
    twins.agree("install", repository("the-repository", {"plugin.yaml": manifest, "__init__.py": ""}), "--enable")


@pytest.mark.parametrize("inside", ["plugins/one", "plugins/one/", "missing", "../..", "README.md", "link"])
def test_both_tools_install_a_subdirectory_of_a_repository(
    twins: Twins, repository: Repository, tmp_path: Path, inside: str
) -> None:
    files = {"plugins/one/plugin.yml": "name: from-yml\n", "plugins/one/__init__.py": "", "README.md": "x"}
    url = repository("many", files)
    (tmp_path / "repositories" / "many" / "link").symlink_to("/")
    repository("many", {})
    twins.agree("install", f"{url}#{inside}", "--enable")


@pytest.mark.parametrize(
    "answers", ["value\n", "value\nsecond\n", "\nsecond\n", "  with blank  \n'quoted' \"x\" #\n", ""]
)
def test_both_tools_store_required_variables(twins: Twins, repository: Repository, answers: str) -> None:
    twins.write(".env", "# mine\nKNOWN=1\nEMPTY=\n")
    manifest = (
        "name: demo\nrequires_env:\n  - KNOWN\n  - FROM_OUTSIDE\n  - name: FIRST\n    description: What it is\n"
        "    url: https://example.org\n  - SECOND\n"
    )
    url = repository("demo", {"plugin.yaml": manifest, "__init__.py": ""})
    twins.agree("install", url, "--no-enable", stdin=answers, FROM_OUTSIDE="set")


def test_both_tools_migrate_a_home_without_enabled_plugins(twins: Twins, ours: Ours, real: Real) -> None:
    twins.write("config.yaml", "_config_version: 20\nplugins: {disabled: [z]}\n")
    for name in ("b", "a", "z", "cat/nested"):
        twins.write(f"plugins/{name}/plugin.yaml", f"name: {name.replace('/', '-')}\n")
    ours(twins.first, "migrate")
    real.hermes(twins.second, "config", "migrate")
    first, second = state(twins.first)["config"], state(twins.second)["config"]
    assert first["plugins"] == second["plugins"] == {"disabled": ["z"], "enabled": ["a", "b"]}
    assert "no migration" in ours(twins.first, "migrate").output


def test_both_tools_list_the_same_plugins(twins: Twins, repository: Repository) -> None:
    url = repository("demo", DEMO)
    twins.agree("install", url, "--enable")
    twins.agree("disable", "spotify")
    twins.write("plugins/cat/leaf/plugin.yaml", "name: leaf\nversion: 1.10\ndescription: [x]\n")
    twins.write("plugins/broken/plugin.yaml", "name: [\n")
    for options in ((), ("--enabled",), ("--user",), ("--no-bundled", "--enabled")):
        ours, theirs = twins.run("list", "--json", *options)
        wanted = ("name", "status", "source")
        listed = [[plugin[key] for key in wanted] for plugin in json.loads(ours.output)["plugins"]]
        assert listed == [[plugin[key] for key in wanted] for plugin in json.loads(theirs.output)]
    ours, theirs = twins.run("list", "--plain", "--user")
    assert ours.output == theirs.output


PICK = """
import json
from hermes_cli.plugins_cmd import _discover_memory_providers, _save_context_engine, _save_memory_provider
_save_memory_provider("notes")
_save_context_engine("tiny")
print(json.dumps([name for name, _ in _discover_memory_providers()]))
"""


def test_both_tools_find_and_save_providers(twins: Twins, real: Real) -> None:
    for name, text in {"notes": "# register_memory_provider", "plain": "", "_hidden": "# MemoryProvider"}.items():
        twins.write(f"plugins/{name}/__init__.py", f"{text}\ndef register(ctx): pass\n")
    twins.write("config.yaml", "memory: {other: 1}\n")
    picking = subprocess.run(
        [real.python, "-P", "-c", PICK], env=real.variables(twins.second), capture_output=True, text=True, check=True
    )
    home = Home(twins.first)
    assert sorted(memory_providers(home, "0.19.0")[1:]) == sorted(json.loads(picking.stdout))
    twins.write("plugins/tiny/plugin.yaml", "name: tiny\n")
    twins.write("plugins/tiny/__init__.py", "class Tiny(ContextEngine):\n    name = 'tiny'\n")
    home.enable("tiny")
    choices = Choices(home, "0.19.0")
    for section, name in ((Choices.MEMORY, "notes"), (Choices.ENGINE, "tiny")):
        choices.choose(next(at for at, row in enumerate(choices.rows) if (row.section, row.label) == (section, name)))
    choices.save()
    ours, theirs = state(twins.first)["config"], state(twins.second)["config"]
    assert {**ours, "plugins": None} == {**theirs, "plugins": None}


COMMANDS = st.one_of(
    st.tuples(
        st.just("install"),
        st.sampled_from("abc"),
        st.sampled_from([(), ("--force",)]),
        st.sampled_from([(), ("--enable",), ("--no-enable",)]),
    ),
    st.tuples(
        st.just("enable"),
        st.sampled_from(["a", "b", "c-name", "spotify", "irc", "missing"]),
        st.sampled_from([(), ("--allow-tool-override",), ("--no-allow-tool-override",)]),
    ),
    st.tuples(
        st.sampled_from(["disable", "remove", "update"]), st.sampled_from(["a", "b", "c-name", "irc", "missing"])
    ),
    st.tuples(st.just("commit"), st.sampled_from("abc")),
)
SEQUENCES = st.lists(st.tuples(COMMANDS, st.booleans()), min_size=3, max_size=8)


def _run_sequence(twins: Twins, repository: Repository, sequence: list[tuple[tuple[object, ...], bool]]) -> None:
    urls = {name: repository(name, {"plugin.yaml": f"name: {name}\n", "__init__.py": ""}) for name in "ab"}
    urls["c"] = repository("c", {"plugin.yaml": "name: c-name\nrequires_env: [C_KEY]\n", "c.conf.example": "c"})
    for number, ((operation, name, *options), swap) in enumerate(sequence):
        if operation == "commit":
            repository(str(name), {"change.txt": str(number)})
            continue
        words = [word for option in options for word in option]  # type: ignore[attr-defined]
        target = urls[str(name)] if operation == "install" else str(name)
        twins.agree(str(operation), target, *words, stdin="value\n", swap=swap)


@pytest.mark.parametrize("examples", [5, pytest.param(100, marks=pytest.mark.slow)])
def test_any_sequence_of_commands_leaves_the_same_state(
    tmp_path_factory: pytest.TempPathFactory, ours: Ours, real: Real, examples: int
) -> None:
    @settings(max_examples=examples, derandomize=examples < 10, suppress_health_check=list(HealthCheck))
    @given(SEQUENCES)
    def check(sequence: list[tuple[tuple[object, ...], bool]]) -> None:
        folder = tmp_path_factory.mktemp("sequence")
        _run_sequence(Twins(folder, ours, real), make_repository(folder), sequence)

    check()
