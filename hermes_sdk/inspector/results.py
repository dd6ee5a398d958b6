"""What came of an action, as a part of a page."""

from __future__ import annotations

import contextlib
import itertools
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup

from hermes_sdk import contract
from hermes_sdk.documents import parse_json
from hermes_sdk.errors import HermesSdkError
from hermes_sdk.hosts.environments import is_installed
from hermes_sdk.hosts.inspection import Action
from hermes_sdk.inspector.actions import Attempt, Done
from hermes_sdk.inspector.copies import Conditions, write_command, write_test
from hermes_sdk.inspector.hook_outcomes import find_outcome
from hermes_sdk.inspector.workbench import Said, Workbench

FOLDER = Path(__file__).parent

_SHOWN = 100_000
_SUMMARY = 120


class Results:
    """Renders what came of the actions of a workbench."""

    def __init__(self, workbench: Workbench) -> None:
        self._workbench = workbench
        self._numbers = itertools.count(1)
        self._templates = Environment(
            loader=FileSystemLoader(FOLDER / "templates"), autoescape=True, undefined=StrictUndefined
        )
        self._templates.filters["pretty"] = _format_value
        self._templates.filters["summary"] = _summarize
        # The order of a schema is its author's.
        self._templates.policies["json.dumps_kwargs"] = {"sort_keys": False}
        # Only what is here already: a click installs nothing.
        real = [f"real {one}" for one in reversed(contract.releases()) if is_installed(one)]
        self._hosts = [*(f"embedded {one}" for one in reversed(contract.releases())), *real]

    def render(self, template: str, **values: Any) -> Markup:
        """Render a template, with all texts escaped."""
        return Markup(self._templates.get_template(template).render(values))

    def render_turn(self, said: Said, number: int) -> Markup:
        """Render a message of a conversation with its place in it."""
        if isinstance(said.outcome, HermesSdkError):
            return self.render("error.html", error=said.outcome, name=said.attempt.name)
        return self.render_action(said.attempt, said.outcome, turn=number)

    def render_action(self, attempt: Attempt, action: Action, *, turn: int = 0) -> Markup:
        """Render what came of something; `turn` is how many messages of its conversation went before it."""
        bench = self._workbench
        conditions = self._describe_conditions(attempt, turn)
        command = write_command(attempt, conditions)
        return self.render(
            "action.html",
            attempt=attempt,
            kind="command" if attempt.kind == "chat" and attempt.name.startswith("/") else attempt.kind,
            name=attempt.name,
            action=action,
            copies={
                "Copy as pytest": write_test(Done(attempt, action), conditions),
                **({"Copy as command": command} if command else {}),
            },
            callbacks=self._judge(attempt, action) if attempt.kind == "fire" else None,
            links=_link(action["events"]),
            number=next(self._numbers),
            turn=turn,
            hosts=[one for one in self._hosts if one != f"{bench.host} {bench.release}"],
        )

    def _describe_conditions(self, attempt: Attempt, turn: int) -> Conditions:
        """Describe what an action found: the settings, a memory provider that is set up, and what was said before."""
        bench = self._workbench
        said = bench.conversations.get(attempt.kind, [])[:turn]
        before = [Done(one.attempt, one.outcome) for one in said if not isinstance(one.outcome, HermesSdkError)]
        if bench.memory is not None and attempt.kind != "setup":
            before.insert(0, bench.memory)
        given = bench.settings
        return Conditions(
            str(bench.path.resolve()),
            bench.host,
            bench.release,
            bench.whole_config,
            given.variables,
            given.secrets,
            before,
        )

    def _judge(self, attempt: Attempt, action: Action) -> dict[str, Any]:
        """Say of each callback of a hook what it returned and whether that counts, and what the turn would do."""
        promised = contract.load(self._workbench.release)
        outcome = find_outcome(attempt.name, action["value"], promised)
        called = [one for one in action["events"] if (one["kind"], one["name"]) == ("hook", attempt.name)]
        blocks = attempt.name == "pre_tool_call" and promised.behaviour.failing_policy_blocks
        counted = [one for one in called if one.get("returned") is not None or (blocks and "raised" in one)]
        # Where the numbers differ, what was returned cannot be told apart by callback.
        winners = [id(counted[one]) for one in outcome.winners] if len(counted) == len(action["value"]) else list[int]()
        return {"rows": [(one, id(one) in winners) for one in called], "outcome": outcome}


def _link(events: Sequence[Mapping[str, Any]]) -> dict[int, list[tuple[str, int]]]:
    """Link the requests in which a model calls a tool with the tool that ran, or where its result was sent back."""
    links: dict[int, list[tuple[str, int]]] = {}
    taken: set[int] = set()
    for at, event in enumerate(events):
        answer = event.get("returned") if event["kind"] == "llm_request" else None
        calls = answer.get("tool_calls") if isinstance(answer, dict) else None
        for call in calls if isinstance(calls, list) else ():
            name = call.get("name") if isinstance(call, dict) else None
            later = [(number, one) for number, one in enumerate(events) if number > at and number not in taken]
            ran = [number for number, one in later if (one["kind"], one["name"]) == ("tool", name)]
            sent = [number for number, one in later if one["kind"] == "llm_request"]
            if found := ran or sent:
                taken.update(ran[:1])
                links.setdefault(at, []).append((f"result of {name}", found[0]))
                links.setdefault(found[0], []).append((f"call of {name}", at))
    return links


def _format_value(value: Any) -> str:
    """Format a value for people: text that is JSON as its value, and only the beginning of what is too long."""
    if isinstance(value, str):
        with contextlib.suppress(ValueError):
            value = parse_json(value)
    text = value if isinstance(value, str) else json.dumps(value, indent=2, ensure_ascii=False)
    return text if len(text) <= _SHOWN else f"{text[:_SHOWN]}… ({len(text)} characters)"


def _summarize(value: Any) -> str:
    """Format a value on one line; of a model's answer its text and the tools that it calls."""
    if isinstance(value, dict) and value.get("__type__") == "Answer":
        calls = value.get("tool_calls")
        names = [one.get("name") for one in calls if isinstance(one, dict)] if isinstance(calls, list) else []
        parts = [value.get("text"), value.get("error"), *(f"calls {name}" for name in names)]
        value = ", ".join(str(one) for one in parts if one)
    text = " ".join(_format_value(value).split())
    return text if len(text) <= _SUMMARY else f"{text[: _SUMMARY - 1]}…"
