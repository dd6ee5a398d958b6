"""The page for plugin authors about changes between releases."""

import runpy
from pathlib import Path

import pytest

from hermes_sdk import contract
from hermes_sdk.contract.behaviour import read_meanings
from hermes_sdk.contract.page import is_same_type, page

ROOT = Path(__file__).parents[2]


def lines(before: str, after: str) -> list[str]:
    return page(contract.load(before), contract.load(after)).splitlines()


@pytest.mark.parametrize(
    "line",
    [
        "# Hermes 0.15.2 → 0.16.0",
        "- `pre_tool_call`: new `api_request_id`, `turn_id`",
        "- `on_session_reset`: new `new_session_id` (not in every call), `old_session_id` (not in every call), `reason`"
        " (not in every call)",
        "- `telemetry_schema_version` is new: `hermes.observer.v1`",
        "- `agent.browser_registry`: gone `get_active_browser_provider()`",
        "- `>=3.11 → <3.14,>=3.11`",
    ],
)
def test_page_lists_added_removed_and_changed_names(line: str) -> None:
    assert line in lines("0.15.2", "0.16.0")


def test_page_of_a_downgrade_lists_removed_names_and_behaviour() -> None:
    back = lines("0.16.0", "0.15.2")
    assert "- `pre_tool_call`: gone `api_request_id`, `turn_id`" in back
    back = lines("0.22.2", "0.21.5")
    gone = back[back.index("## Removed behaviour") :]
    assert "- `browser_exec` and `browser_vault` replace the browser tools on every machine." in gone


def test_names_added_in_the_same_release_are_grouped() -> None:
    assert "- gone (`spotify`): " in "\n".join(lines("0.21.5", "0.22.2"))


def test_argument_that_becomes_optional_is_neither_added_nor_removed() -> None:
    found = next(line for line in lines("0.21.0", "0.21.3") if line.startswith("- `tool_request`"))
    assert found.startswith("- `tool_request`: no longer in every call: `api_request_id`, `session_id`, ")
    assert "new" not in found


def test_base_class_change_is_listed_once() -> None:
    found = [line for line in lines("0.21.5", "0.22.2") if "`rearm_failed_platform(platform_name)`" in line]
    assert found == ["- `PluginLoaderMixin`: new `rearm_failed_platform(platform_name)`"]


def test_private_names_are_omitted() -> None:
    assert not [line for line in lines("0.21.4", "0.21.5") if "_load_abandoned" in line]


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Dict[str, Any]", "dict[str, Any]"),
        ("typing.Optional[List['Session']]", "list[Session] | None"),
        ("Union[str, Callable[[Tuple[int]], str]]", "str | Callable[[tuple[int]], str]"),
    ],
)
def test_different_spelling_of_a_type_is_not_a_change(one: str, other: str) -> None:
    assert is_same_type(one, other)


def test_different_type_is_a_change() -> None:
    assert not is_same_type("Optional[int]", "int")
    assert not is_same_type("<unknown>", "int")


def test_sections_without_changes_are_omitted() -> None:
    headings = [line for line in lines("0.15.0", "0.15.1") if line.startswith("#")]
    assert headings == ["# Hermes 0.15.0 → 0.15.1", "## Classes"]


def test_page_names_the_first_release_with_listed_behaviour_changes() -> None:
    assert lines("0.15.0", "0.15.1")[-1] == "Changes of behaviour are listed from 0.19.0 on."


def test_page_states_that_nothing_changed() -> None:
    assert lines("0.19.0", "0.19.0") == ["# Hermes 0.19.0 → 0.19.0", "", "Nothing changed for plugins."]


def test_page_marks_facts_that_were_not_extracted() -> None:
    assert any("0.23.4" in line and "not from an installed host" in line for line in lines("0.22.2", "0.23.4"))


def test_documentation_page_is_up_to_date() -> None:
    made = runpy.run_path(str(ROOT / "docs/host_changes.py"))
    assert made["PAGE"].read_text(encoding="utf-8") == made["page"](), "run python docs/host_changes.py"


def test_documentation_page_lists_breaking_changes() -> None:
    made = runpy.run_path(str(ROOT / "docs/host_changes.py"))
    text = made["page"]()
    meanings = read_meanings()
    for name in made["BREAKING"]:
        assert f"- {meanings[name]}\n" in text
    for line in (
        "- `transform_terminal_output`: new `tool_call_id`",
        "- gone: `cronjob`, `todo`",
    ):
        assert f"{line}\n" in text
    for harmless in (
        "- `register_locale` is new",
        "- `on_human_input_request` is new",
        "tool_name`.",
        "573 new modules",
        "removed modules:",
        "get_active_browser_provider()",
        "0.18.1",
    ):
        assert harmless not in text
