"""The loader: releases, lazily loaded sections, values and errors."""

import inspect
import json
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from packaging.version import Version

from hermes_sdk import contract
from hermes_sdk.contract.extract import add_release, render
from hermes_sdk.contract.loader import read_releases, read_section, section_names
from hermes_sdk.contract.weave import Woven, weave
from hermes_sdk.errors import UsageError

DATA = Path(inspect.getfile(contract)).parent / "data"

json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=6,
)
contracts = st.dictionaries(st.text("abc_", min_size=1, max_size=4), json_values, min_size=1, max_size=4)


def test_releases_are_in_order():
    for listed in (contract.known_releases(), contract.api_releases(), contract.releases()):
        assert [*listed] == sorted(listed, key=Version)
    assert contract.known_releases()[0] == "0.13.0"
    assert contract.releases()[-1] == contract.DEFAULT


def test_unknown_release_lists_the_known_ones():
    with pytest.raises(UsageError) as caught:
        contract.load("0.12")
    assert all(release in caught.value.fix for release in contract.known_releases())


def test_importing_the_package_imports_none_of_its_modules():
    code = "import sys, hermes_sdk.contract; print([name for name in sys.modules if 'hermes_sdk.contract.' in name])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


@pytest.mark.parametrize("release", read_releases(DATA))
def test_every_release_has_every_section(release):
    loaded = contract.load(release)
    assert {*loaded.sections} == {path.stem for path in DATA.iterdir()}
    assert all(loaded.section(name) is not None for name in loaded.sections)
    assert loaded.section("release") == release


@pytest.mark.parametrize("section", section_names(DATA))
def test_weaving_the_releases_reproduces_the_data(section):
    woven = (DATA / f"{section}.txt").read_text(encoding="utf-8")
    assert weave({release: Woven(woven).text(release) for release in read_releases(DATA)}) == woven


@pytest.mark.parametrize("section", section_names(DATA))
def test_data_contains_no_paths_of_the_extracting_machine(section):
    text = (DATA / f"{section}.txt").read_text(encoding="utf-8")
    assert not re.findall(r"site-packages|/tmp/|/home/|/Users/|\.py:\d+| at 0x", text)


@settings(max_examples=60)
@given(contracts)
def test_contract_can_be_written_as_json(sections):
    assert json.loads(render(sections)) == sections


@settings(max_examples=60)
@given(st.lists(contracts, min_size=1, max_size=4), st.randoms())
def test_any_section_of_any_release_can_be_read(found, random):
    known = {f"0.{number}.0": {**sections, "release": f"0.{number}.0"} for number, sections in enumerate(found)}
    with tempfile.TemporaryDirectory() as name:
        data = Path(name)
        (data / "release.txt").touch()
        for release in random.sample([*known, *known], 2 * len(known)):
            add_release(known[release], data)
        assert read_releases(data) == tuple(known)
        assert {*section_names(data)} == {section for sections in known.values() for section in sections}
        for release, sections in known.items():
            assert {section: json.loads(read_section(data, section, release)) for section in sections} == sections
            for section in {*section_names(data)} - {*sections}:
                with pytest.raises(KeyError):
                    read_section(data, section, release)


def test_loading_a_section_loads_no_other(tmp_path):
    shutil.copytree(DATA, tmp_path, dirs_exist_ok=True)
    for path in tmp_path.iterdir():
        if path.stem not in ("hooks", "release"):
            path.write_bytes(b"\xff broken")
    assert json.loads(read_section(tmp_path, "hooks", "0.19.0")) == contract.load("0.19.0").section("hooks")


@pytest.mark.parametrize("release", read_releases(DATA))
def test_section_equals_the_json_text_of_its_release(release):
    for name in section_names(DATA):
        if text := Woven((DATA / f"{name}.txt").read_text(encoding="utf-8")).text(release):
            section = contract.load(release).section(name)
            assert json.dumps(section) == json.dumps(json.loads(text))


lines = st.text(st.characters(blacklist_characters="\n"), max_size=3).filter(lambda line: not line.startswith("@"))
texts = st.lists(lines, min_size=1, max_size=6).map("\n".join)


@given(st.dictionaries(st.sampled_from(["0.13.0", "0.9.2", "0.14.1", "1.0.0", "0.14.0"]), texts))
def test_woven_versions_can_be_separated(versions):
    woven = weave(versions)
    assert {release: Woven(woven).text(release) for release in versions} == versions


def test_equal_lines_are_stored_once_with_their_releases():
    woven = weave({"0.13.0": "a\nb\nc", "0.14.0": "a\nx\nc", "0.15.0": "a\nx\nc\nd"})
    assert woven == "@0.13.0\na\n@0.13.0 0.14.0\nb\n@0.14.0\nx\n@0.13.0\nc\n@0.15.0\nd\n"


def test_missing_section_raises_key_error():
    with pytest.raises(KeyError, match="nothing"):
        contract.load(contract.DEFAULT).section("nothing")


def test_context_members_have_kinds_and_signatures():
    member = contract.load("0.19.0").context["register_tool"]
    assert member.kind == "method"
    assert member.parameters[1] == contract.Parameter("toolset", "positional_or_keyword", None, "str")
    assert [one.name for one in member.parameters if one.default is None] == ["name", "toolset", "schema", "handler"]
    assert member.signature.endswith("description='', emoji='', override=False)")
    assert contract.load("0.19.0").context["llm"].kind == "property"
    assert contract.load("0.19.0").context["manifest"].kind == "attribute"
    assert "__init__" not in contract.load("0.19.0").context


@pytest.mark.parametrize(
    ("parameters", "signature"),
    [
        ([("a", "positional_or_keyword", None), ("b", "keyword_only", "1")], "(a, *, b=1)"),
        ([("args", "var_positional", None), ("b", "keyword_only", None)], "(*args, b)"),
        ([("a", "positional_or_keyword", "''"), ("rest", "var_keyword", None)], "(a='', **rest)"),
        ([], "()"),
    ],
)
def test_signatures_read_like_python(parameters, signature):
    made = tuple(contract.Parameter(name, kind, default, None) for name, kind, default in parameters)
    assert contract.Member("x", "method", made, None).signature == signature


def test_hooks_distinguish_required_and_optional_arguments():
    hook = contract.load("0.19.0").hooks["on_session_end"]
    assert hook.always == ("completed", "interrupted", "model", "platform", "session_id")
    assert hook.sometimes == ("api_request_id", "reason", "task_id", "turn_id")
    assert len(contract.load("0.19.0").hooks) == 23
    assert len(contract.load("0.13.0").hooks) == 17


@pytest.mark.parametrize("release", contract.known_releases())
def test_cli_commands_are_in_one_of_two_groups(release):
    groups = contract.load(release).cli_commands
    assert sorted(groups) == ["after", "before"]
    assert groups["before"][:2] == ("chat", "model")
    both = [*groups["before"], *groups["after"]]
    assert len(both) == len(set(both))


def test_contract_lists_names_of_the_host():
    loaded = contract.load("0.19.0")
    assert loaded.tools["terminal"] == "terminal"
    assert set(loaded.tools.values()) == loaded.toolsets
    assert {"help", "new", "reset"} <= loaded.slash_commands
    assert "compression" in loaded.auxiliary_tasks
    assert {"chat", "checkpoints"} <= {*loaded.cli_commands["before"]}
    assert {"curator", "version"} <= {*loaded.cli_commands["after"]}
    assert {"--help", "--model"} <= {*loaded.cli_options}
    assert {"hermes_cli.plugins", "gateway", "run_agent"} <= loaded.host_modules
    assert {"yaml", "httpx"} <= loaded.third_party_modules
    assert not {"pip", "hermes_cli", "json"} & loaded.third_party_modules
    assert loaded.plugin_kinds == ("backend", "exclusive", "model-provider", "platform", "standalone")
    assert loaded.middleware_kinds == ("llm_execution", "llm_request", "tool_execution", "tool_request")
    assert contract.load("0.16.0").middleware_kinds == ()
    assert contract.grade(loaded.release) == "proven"


def test_releases_share_equal_data_and_overlays_change_only_their_release() -> None:
    assert contract.load("0.18.1").section("plugin_kinds") is contract.load("0.18.2").section("plugin_kinds")
    before = contract.load("0.19.0").section("dataclasses")["MessageEvent"]["fields"]
    later = contract.load("0.19.1").section("dataclasses")["MessageEvent"]["fields"]
    assert {one["name"] for one in later} - {one["name"] for one in before} == {"prompt_response"}
