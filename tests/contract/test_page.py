"""The page for plugin authors about what changed from one release to another."""

import runpy
from pathlib import Path

import pytest

from hermes_sdk import contract
from hermes_sdk.contract.page import page

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
        "- Now: `max_tokens` of a `ctx.llm` call is not sent to the model.",
        "- `>=3.11 → <3.14,>=3.11`",
    ],
)
def test_it_says_what_came_went_and_changed(line: str) -> None:
    assert line in lines("0.15.2", "0.16.0")


def test_the_way_back_says_the_opposite() -> None:
    back = lines("0.16.0", "0.15.2")
    assert "- `pre_tool_call`: gone `api_request_id`, `turn_id`" in back
    assert "- No longer: `max_tokens` of a `ctx.llm` call is not sent to the model." in back


def test_sections_without_changes_are_left_out() -> None:
    headings = [line for line in lines("0.15.0", "0.15.1") if line.startswith("#")]
    assert headings == ["# Hermes 0.15.0 → 0.15.1", "## Classes"]


def test_it_says_that_nothing_changed() -> None:
    assert lines("0.19.0", "0.19.0") == ["# Hermes 0.19.0 → 0.19.0", "", "Nothing changed for plugins."]


def test_it_says_that_facts_were_not_read_from_a_host() -> None:
    assert any(
        "documented" in line and "not read from an installed host" in line for line in lines("0.19.0", "documented")
    )


def test_the_page_in_the_docs_is_the_one_that_the_contracts_make() -> None:
    made = runpy.run_path(str(ROOT / "docs/host_changes.py"))
    assert made["PAGE"].read_text(encoding="utf-8") == made["page"](), "run python docs/host_changes.py"
