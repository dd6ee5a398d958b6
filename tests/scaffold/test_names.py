"""Names that templates accept, and errors for others."""

import itertools
import re
import runpy
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from hermes_sdk import contract
from hermes_sdk.errors import UsageError
from hermes_sdk.hosts.environments import list_releases
from hermes_sdk.scaffold.new import new

RULES = Path(__file__).parents[2] / "templates/_hooks/answer_rules.py"


@pytest.mark.parametrize(
    ("name", "slug"),
    [
        ("Café Log", "cafe-log"),
        ("42 things", "plugin-42-things"),
        ("(2048)", "plugin-2048"),
        ("Ada's Notes!", "adas-notes"),
        ("Notes: C++ & Python", "notes-c-python"),
        ("Team — Notes", "team-notes"),
        ("Straße", "strasse"),
        ("Команда", "komanda"),
        ("团队笔记", "tuan-dui-bi-ji"),
        ("../team.notes", "team-notes"),
        ("{{ 7 * 7 }}", "plugin-7-7"),
        ("a" * 40, "a" * 32),
        ("2 names that have a lot of words", "plugin-2-names-that-have-a-lot"),
    ],
)
def test_plugin_name_becomes_a_slug(tmp_path: Path, name: str, slug: str) -> None:
    assert new("plugin", tmp_path, name=name) == tmp_path.resolve() / slug


@pytest.mark.parametrize(
    ("name", "rule"),
    [
        ("class", "keyword of Python"),
        ("Async", "keyword of Python"),
        ("json", "standard library"),
        ("Calendar", "standard library"),
        ("gateway", "slash command"),
        ("Reload MCP", "slash command"),
        ("doctor", "a command of `hermes`"),
        ("web search", "a tool"),
        ("web", "a toolset"),
        ("disk_cleanup", "a plugin that Hermes brings"),
        ("IRC", "a platform of Hermes"),
        ("anthropic", "a provider that Hermes brings"),
        ("brave free", "a provider that Hermes brings"),
        ("agent", "a module of Hermes"),
        ("cli", "a module of Hermes"),
        ("providers", "a module of Hermes"),
        ("utils", "a module of Hermes"),
        ("yaml", "a package that Hermes needs"),
        ("tests", "the project or its tools"),
        ("off", "YAML"),
    ],
)
def test_reserved_name_is_rejected_with_an_alternative(tmp_path: Path, name: str, rule: str) -> None:
    with pytest.raises(UsageError, match=r"^plugin_slug '.*', the name in Hermes, is ") as rejected:
        new("plugin", tmp_path, name=name)
    assert rule in rejected.value.message
    assert not list(tmp_path.iterdir())
    example = re.findall(r"for example '(.*)'", rejected.value.message)[0]
    assert new("plugin", tmp_path, name=name, extra={"plugin_slug": example}).is_dir()


@pytest.mark.parametrize(
    ("variable", "value"),
    [
        ("plugin_name", 'Say "hi"'),
        ("plugin_name", "back\\slash"),
        ("plugin_name", "Notes "),
        ("description", ""),
        ("plugin_name", ""),
        ("plugin_name", "\udce9"),
        ("plugin_slug", ""),
        ("plugin_slug", " team"),
        ("plugin_slug", "Team"),
        ("plugin_slug", "team--notes"),
        ("plugin_slug", "-team"),
        ("plugin_slug", "2048"),
        ("plugin_slug", "café"),
        ("plugin_slug", "../team"),
        ("plugin_slug", "team.notes"),
        ("plugin_slug", "team\nnotes"),
        ("plugin_slug", "{{ 7 * 7 }}"),
        ("plugin_slug", "a" * 33),
        ("description", "two\nlines"),
        ("author", "Ada "),
        ("author", "\x00"),
        ("github_owner", "-ada"),
        ("github_owner", "ada--lovelace"),
        ("github_owner", "ada/lovelace"),
        ("github_owner", "a" * 40),
        ("plugin_name", "a" * 41),
    ],
)
def test_invalid_value_is_rejected_with_an_example(tmp_path: Path, variable: str, value: str) -> None:
    with pytest.raises(UsageError, match=rf"^{variable} .* for example '") as refused:
        new("plugin", tmp_path, extra={"plugin_slug": "team-notes", variable: value})
    assert "\n" not in refused.value.message
    assert not list(tmp_path.iterdir())


def test_unknown_choice_is_rejected_with_valid_ones(tmp_path: Path) -> None:
    with pytest.raises(UsageError) as refused:
        new("plugin", tmp_path, extra={"license": "Beerware"})
    assert refused.value.message == (
        "license cannot be 'Beerware'; choose one of: MIT, Apache-2.0, BSD-3-Clause, LicenseRef-Proprietary."
    )
    assert not list(tmp_path.iterdir())


def test_core_tool_named_like_a_file_of_hermes_is_rejected(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="'fuzzy-match', the name in Hermes, is a file of the package tools of Hermes"):
        new("core-tool", tmp_path, name="Fuzzy Match")
    assert new("plugin", tmp_path, name="Fuzzy Match").is_dir()


def test_workspace_name_has_a_lower_length_limit(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="26 are the most"):
        new("workspace", tmp_path, extra={"plugin_slug": "a" * 27})
    assert new("workspace", tmp_path, name="a" * 27).name == "a" * 26


def test_all_problems_are_reported_together(tmp_path: Path) -> None:
    with pytest.raises(UsageError) as refused:
        new("plugin", tmp_path, name="\n", extra={"author": "", "description": ""})
    assert [line.split()[0] for line in refused.value.message.splitlines()] == [
        "plugin_name",
        "plugin_slug",
        "description",
        "author",
    ]


def list_reserved_names() -> Iterator[str]:
    for release in list_releases():
        facts = contract.load(release)
        yield from facts.slash_commands
        yield from itertools.chain.from_iterable(facts.cli_commands.values())
        yield from facts.tools
        yield from facts.toolsets
        yield from {name.split(".")[0] for name in facts.host_modules}
        yield from facts.third_party_modules
        yield from facts.section("platforms")
        yield from (key.rpartition("/")[2] for key in facts.section("bundled_plugins"))


def test_names_of_each_release_are_reserved() -> None:
    find_problem: Callable[..., str | None] = runpy.run_path(str(RULES))["find_slug_problem"]
    slugs = {name.lower().replace("_", "-") for name in list_reserved_names()}
    accepted = sorted(slug for slug in slugs if find_problem(slug) is None)
    assert not accepted, f"add to RESERVED in {RULES}: {' '.join(accepted)}"
    modules = {name for release in list_releases() for name in contract.load(release).host_modules}
    files = {name.split(".")[1].replace("_", "-") for name in modules if re.match(r"tools\.[^_]", name)}
    accepted = sorted(slug for slug in files if find_problem(slug, "core-tool") is None)
    assert not accepted, f"add to FILES_OF_TOOLS in {RULES}: {' '.join(accepted)}"
