"""Skills: names, removed files, and any descriptions, which no case of `tests/conformance` covers."""

from __future__ import annotations

from pathlib import Path

import pytest
from hosts.embedded.conftest import PLUGIN
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from hermes_sdk import contract
from hermes_sdk.errors import HermesSdkError
from hermes_sdk.hosts.embedded.skills.plugin_skills import Skills
from hermes_sdk.hosts.embedded.skills.skill_text import render, split
from hermes_sdk.hosts.embedded.state import HostState


@pytest.fixture
def skills(state: HostState, tmp_path: Path) -> Skills:
    made = Skills(state)
    for name in ("howto", "other"):
        (tmp_path / f"{name}.md").write_text(f"---\ndescription: The {name}.\n---\nIn ${{HERMES_SKILL_DIR}}\n")
        made.register(PLUGIN, name=name, path=tmp_path / f"{name}.md", description="")
    return made


def test_skill_is_returned_with_siblings_and_directory(skills: Skills, tmp_path: Path) -> None:
    answer = skills.view("plug:howto")
    assert answer["success"]
    assert answer["description"] == "The howto."
    assert "Sibling skills: other." in answer["content"]
    assert f"In {tmp_path}\n" in answer["content"]


def test_error_of_unknown_skill_lists_skills(skills: Skills) -> None:
    assert skills.view("plug:none")["available_skills"] == ["plug:howto", "plug:other"]
    assert skills.view("nobody:none")["error"] == "Skill 'nobody:none' not found."


def test_skill_of_disabled_plugin_is_not_returned(skills: Skills, state: HostState) -> None:
    state.home.disable("plug")
    assert "is disabled" in skills.view("plug:howto")["error"]


def test_missing_file_removes_registration(skills: Skills, tmp_path: Path) -> None:
    (tmp_path / "howto.md").unlink()
    assert "no longer exists" in skills.view("plug:howto")["error"]
    assert skills.view("plug:howto")["available_skills"] == ["plug:other"]


@pytest.mark.parametrize("name", ["", "with space", "a:b", "ü", "a/b"])
def test_name_with_invalid_characters_is_rejected(name: str, skills: Skills, tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=r"(Skill|Invalid skill) name"):
        skills.register(PLUGIN, name=name, path=tmp_path, description="")


@example("---\ndescription: [\n---\n")
@example("---\n- a list\n---\n")
@example("---\ndescription: " + "x" * 2000 + "\n---\n")
@given(st.text())
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_any_file_content_is_returned(skills: Skills, tmp_path: Path, text: str) -> None:
    (tmp_path / "howto.md").write_bytes(text.encode(errors="replace"))
    answer = skills.view("plug:howto")
    assert answer["success"]
    assert len(answer["description"]) <= 1024


def test_skill_in_home_that_requires_setup_is_not_supported(skills: Skills, tmp_path: Path) -> None:
    (tmp_path / "skills").mkdir()
    assert skills.view("own")["available_skills"] == []
    (tmp_path / "skills" / "own.md").write_text("---\nrequired_environment_variables: [TOKEN]\n---\nOf the user.")
    with pytest.raises(HermesSdkError, match="required_environment_variables"):
        skills.view("own")


@pytest.mark.parametrize("release", ["0.19.0", "0.22.2"])
@given(text=st.text(alphabet=st.sampled_from("ab:!`-\n {}[]$#&*"), max_size=40))
def test_any_front_matter_becomes_mapping(text: str, release: str) -> None:
    assert isinstance(split(f"---\n{text}\n---\n", contract.load(release).behaviour)[0], dict)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    given_settings=st.none() | st.booleans() | st.text() | st.lists(st.text()) | st.dictionaries(st.text(), st.text())
)
def test_inline_shell_commands_run_only_when_enabled(state: HostState, given_settings: object) -> None:
    if not (isinstance(given_settings, dict) and given_settings.get("inline_shell")):
        assert render("a !`exit` b", Path("/"), given_settings, state) == "a !`exit` b"
