"""Releases that the embedded host is not proven for: they tell which APIs there are, and nothing chooses one."""

from __future__ import annotations

import inspect
from pathlib import Path

import pytest

from hermes_sdk import contract
from hermes_sdk.cli.main import run
from hermes_sdk.contract.diff import diff
from hermes_sdk.contract.floor import Uses, floor_of
from hermes_sdk.contract.overlay import read_overlay

FOLDER = Path(inspect.getfile(contract)).parent / "overlays"


def test_they_are_newer_than_the_verified_ones_and_apart_from_them():
    extracted = ("0.20.2", "0.20.6", "0.21.0", "0.21.3", "0.21.4", "0.21.5", "0.22.2")
    assert contract.unverified() == ("0.19.1", "0.20.0", "0.20.1", *extracted, "0.23.3")
    assert not {*contract.unverified()} & {*contract.releases()}
    assert contract.DEFAULT in contract.releases()
    assert contract.api_releases() == (*contract.releases(), *contract.unverified()[:-1])


@pytest.mark.parametrize("release", contract.unverified())
def test_each_says_so_and_differs_from_the_one_before(release):
    loaded = contract.load(release)
    assert (loaded.release, loaded.grade) == (release, "unverified")
    before = [*contract.releases(), *contract.unverified()]
    assert diff(contract.load(before[before.index(release) - 1]), loaded)


@pytest.mark.parametrize("release", ["0.19.1", "0.20.0", "0.20.1", "0.23.3"])
def test_each_fact_that_was_not_extracted_has_a_source(release):
    differences = read_overlay(FOLDER, release).differences
    assert all(one.source and one.statement.endswith(".") for one in differences)


def test_the_newest_release_of_the_documents_is_built_on_the_newest_that_was_read():
    assert {*contract.load("0.22.2").context} <= {*contract.load("0.23.3").context}


def test_facts_do_not_leak_into_other_releases():
    assert "emit" in contract.load("0.20.2").context
    assert "emit" not in contract.load("0.19.0").context
    assert "pre_tts_synthesis" in contract.load("0.23.3").hooks
    assert "pre_tts_synthesis" not in contract.load("0.22.2").hooks


@pytest.mark.parametrize(
    ("release", "hooks", "new_members"),
    [
        ("0.19.1", 23, {"subagent_lifecycle"}),
        ("0.20.0", 23, set()),
        ("0.20.1", 37, {"get_config", "subscribe", "state", "register_memory_provider"}),
        ("0.20.2", 37, set()),
        ("0.20.6", 37, {"register_terminal_environment_provider"}),
        ("0.21.0", 37, {"register_platform_handler", "register_telegram_handler"}),
        ("0.21.3", 39, set()),
        ("0.21.4", 39, set()),
        ("0.21.5", 41, set()),
        ("0.22.2", 44, {"register_locale", "register_automation_blueprint", "current_cron_execution"}),
    ],
)
def test_releases_have_the_hooks_and_members_that_came_with_them(release, hooks, new_members):
    ordered = [*contract.releases(), *contract.unverified()]
    before, loaded = contract.load(ordered[ordered.index(release) - 1]), contract.load(release)
    assert len(loaded.hooks) == hooks
    assert new_members <= {*loaded.context} - {*before.context}
    assert not {*before.context} - {*loaded.context} - {"_state", "_platform_actions", "_subagent_lifecycle"}


def test_arguments_and_fields_came_when_the_source_trees_say():
    first, second = contract.load("0.19.1"), contract.load("0.20.0")
    assert "retry_count" in first.hooks["pre_api_request"].arguments
    assert "system_prompt" not in first.hooks["pre_api_request"].arguments
    assert "supports_prompt_cache_key" not in str(first.section("dataclasses")["ProviderProfile"])
    assert "supports_prompt_cache_key" in str(second.section("dataclasses")["ProviderProfile"])
    claimed = [contract.load(name).section("classes")["CronScheduler"]["members"] for name in ("0.20.1", "0.20.2")]
    assert [("claim_fire" in members, "force" in str(members["fire_due"])) for members in claimed] == [
        (False, False),
        (True, True),
    ]


def test_the_facts_of_documents_decide_no_floor():
    assert floor_of(Uses(hooks=["pre_tts_synthesis"])).release == contract.releases()[0]


@pytest.mark.parametrize(
    "argv",
    [
        ("show", ".", "--release", "0.23.3"),
        ("check", ".", "--release", "0.23.3"),
        ("contract", "show", "0.23.3"),
        ("contract", "diff", "0.22.2", "0.23.3"),
        ("trace", "s.yaml", "--release", "0.23.3"),
        ("trace", "s.yaml", "--compare", "embedded", "embedded:0.23.3"),
        ("compat", "--only", "embedded:0.23.3"),
    ],
    ids=" ".join,
)
def test_where_one_is_shown_it_is_said_what_it_is(argv, tmp_path, monkeypatch, capsys):
    (tmp_path / "plugin.yaml").write_text("name: p\nkind: standalone\nversion: '1'\ndescription: A thing.\n")
    (tmp_path / "__init__.py").write_text("def register(ctx): ctx.register_command('a', lambda line: line)\n")
    (tmp_path / "s.yaml").write_text("plugins: ['.']\nscript: {main: [{text: hello}]}\nturns: [hi]\n")
    monkeypatch.chdir(tmp_path)
    with pytest.raises(SystemExit):
        run([*argv])
    assert "unverified" in capsys.readouterr().out
