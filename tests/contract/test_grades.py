"""Grades of releases, and the effect of unproven releases."""

from __future__ import annotations

import inspect
import json
import re
import tomllib
from itertools import pairwise
from pathlib import Path

import pytest

from hermes_sdk import contract
from hermes_sdk.cli.main import run
from hermes_sdk.contract.diff import diff
from hermes_sdk.contract.floor import Uses, find_floor
from hermes_sdk.contract.overlay import read_overlay

FOLDER = Path(inspect.getfile(contract)).parent / "overlays"


def write_project(folder):
    (folder / "plugin.yaml").write_text("name: p\nkind: standalone\nversion: '1'\ndescription: A thing.\n")
    (folder / "__init__.py").write_text("def register(ctx): ctx.register_command('a', lambda line: line)\n")
    (folder / "s.yaml").write_text("plugins: ['.']\nscript: {main: [{text: hello}]}\nturns: [hi]\n")


def test_each_release_has_one_grade():
    grades = {release: contract.grade(release) for release in contract.known_releases()}
    assert [release for release in grades if grades[release] == "proven"] == ["0.19.0"]
    assert [release for release in grades if grades[release] == "proven on a fork"] == ["0.20.2", "0.22.2"]
    rest = {grade for release, grade in grades.items() if release not in contract.releases()}
    assert all(grade == "API only" or re.fullmatch(r"measured \d+/\d+", grade) for grade in rest)


def test_only_releases_with_a_contract_have_a_grade():
    assert contract.grade("documented") is None
    assert contract.grade("git:https://example.org/hermes@main") is None


def test_grade_table_lists_known_releases_once():
    content = tomllib.loads((FOLDER.parent / "grades.toml").read_text(encoding="utf-8"))
    named = [release for listed in content.values() for release in listed]
    assert len(named) == len({*named})
    assert {*named} <= {*contract.known_releases()}
    assert {*content} == {"proven", "proven on a fork", "documents"}


def test_default_is_the_newest_proven_release():
    assert contract.releases() == ("0.19.0", "0.20.2", "0.22.2")
    assert contract.releases()[-1] == contract.DEFAULT
    assert contract.api_releases() == contract.known_releases()[:-2]


@pytest.mark.parametrize(("before", "release"), list(pairwise(contract.modelled_releases())))
def test_each_modelled_release_differs_from_its_predecessor(before, release):
    assert diff(contract.load(before), contract.load(release))


@pytest.mark.parametrize("release", ["0.19.1", "0.20.0", "0.20.1", "0.22.5", "0.23.4"])
def test_every_unextracted_fact_has_a_source(release):
    differences = read_overlay(FOLDER, release).differences
    assert all(one.source and one.statement.endswith(".") for one in differences)


def test_newest_documented_release_is_based_on_the_newest_extracted_one():
    assert {*contract.load("0.22.2").context} <= {*contract.load("0.23.4").context}


def test_facts_do_not_leak_into_other_releases():
    assert "emit" in contract.load("0.20.2").context
    assert "emit" not in contract.load("0.19.0").context
    assert "pre_tts_synthesis" in contract.load("0.23.4").hooks
    assert "pre_tts_synthesis" not in contract.load("0.22.2").hooks
    assert "register_delegation_provider" in contract.load("0.22.5").context
    assert "register_computer_use_provider" not in contract.load("0.23.4").context


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
def test_releases_have_the_hooks_and_members_added_in_them(release, hooks, new_members):
    ordered = contract.known_releases()
    before, loaded = contract.load(ordered[ordered.index(release) - 1]), contract.load(release)
    assert len(loaded.hooks) == hooks
    assert new_members <= {*loaded.context} - {*before.context}
    assert not {*before.context} - {*loaded.context} - {"_state", "_platform_actions", "_subagent_lifecycle"}


def test_arguments_and_fields_match_the_source_trees():
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


def test_documented_facts_do_not_change_the_minimum_version():
    assert find_floor(Uses(hooks=["pre_tts_synthesis"])).release == contract.api_releases()[0]


@pytest.mark.parametrize(
    "argv",
    [
        ("show", ".", "--release", "0.23.4"),
        ("check", ".", "--release", "0.23.4"),
        ("contract", "show", "0.23.4"),
        ("contract", "diff", "0.22.2", "0.23.4"),
        ("trace", "s.yaml", "--release", "0.23.4"),
        ("trace", "s.yaml", "--compare", "embedded", "embedded:0.23.4"),
        ("compat", "--only", "embedded:0.23.4"),
    ],
    ids=" ".join,
)
def test_output_states_the_grade_of_a_release(argv, tmp_path, monkeypatch, capsys):
    write_project(tmp_path)
    monkeypatch.chdir(tmp_path)
    with pytest.raises(SystemExit):
        run([*argv])
    out = " ".join(capsys.readouterr().out.split())
    assert "API only" in out or "come from the Hermes documentation" in out


@pytest.mark.parametrize(
    ("argv", "found"),
    [
        (("show", ".", "--json"), {"grade": "proven on a fork"}),
        (("show", ".", "--json", "--release", "0.19.0"), {"grade": "proven"}),
        (("check", ".", "--json"), {"grades": {"0.22.2": "proven on a fork"}}),
        (("contract", "show", "0.21.4", "--json"), {"grade": contract.grade("0.21.4")}),
        (("contract", "diff", "0.19.0", "0.23.4", "--json"), {"grades": {"0.19.0": "proven", "0.23.4": "API only"}}),
        (("trace", "s.yaml", "--json"), {"grade": "proven on a fork"}),
    ],
    ids=str,
)
def test_json_has_the_grade(argv, found, tmp_path, monkeypatch, capsys):
    write_project(tmp_path)
    monkeypatch.chdir(tmp_path)
    with pytest.raises(SystemExit):
        run([*argv])
    document, _ = json.JSONDecoder().raw_decode(capsys.readouterr().out)
    assert {key: document[key] for key in found} == found
