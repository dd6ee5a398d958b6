"""Results of actions, rendered as parts of a page."""

from __future__ import annotations

import itertools
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import yaml
from markdown_it import MarkdownIt
from markupsafe import Markup

from hermes_sdk import contract
from hermes_sdk.errors import HermesSdkError
from hermes_sdk.hosts.environments import is_installed, list_releases
from hermes_sdk.hosts.inspection import Action
from hermes_sdk.inspector.actions import Attempt, Done
from hermes_sdk.inspector.copies import Conditions, write_command, write_test
from hermes_sdk.inspector.workbench import Said, Workbench
from hermes_sdk.traces import Trace
from hermes_sdk.traces.timeline import Row, find_outcome, make_environment, make_timeline

FOLDER = Path(__file__).parent

_TURN_EVENTS = ("prefetch", "sync_turn")


class Results:
    """Renders the results of a workbench's actions."""

    def __init__(self, workbench: Workbench) -> None:
        self._workbench = workbench
        self._numbers = itertools.count(1)
        self._templates = make_environment(FOLDER / "templates")
        self._templates.filters["yaml"] = _write_yaml
        self._templates.filters["markdown"] = _render_markdown
        # Only installed hosts: a click must not install anything.
        real = [f"real {one}" for one in reversed(list_releases()) if is_installed(one)]
        self._hosts = [*(f"embedded {one}" for one in reversed(contract.releases())), *real]

    def render(self, template: str, **values: Any) -> Markup:
        """Render a template with escaped texts."""
        return Markup(self._templates.get_template(template).render(values))

    def render_turn(self, said: Said, number: int) -> Markup:
        """Render a message of a conversation, given its index."""
        if isinstance(said.outcome, HermesSdkError):
            name = said.attempt.redact(self._workbench.redactor).name
            return self.render("error.html", error=said.outcome, name=name)
        return self.render_action(said.attempt, said.outcome, turn=number)

    def render_action(self, attempt: Attempt, action: Action, *, turn: int = 0) -> Markup:
        """Render the result of an action; `turn` is the number of preceding messages in its conversation."""
        bench = self._workbench
        attempt = attempt.redact(bench.redactor)
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
            callbacks=self._evaluate_callbacks(attempt, action) if attempt.kind == "fire" else None,
            memory=[one for one in action["events"] if one["kind"] == "memory" and one["name"] in _TURN_EVENTS],
            rows=self._make_rows(action),
            number=next(self._numbers),
            turn=turn,
            hosts=[one for one in self._hosts if one != f"{bench.host} {bench.release}"],
        )

    def _describe_conditions(self, attempt: Attempt, turn: int) -> Conditions:
        """Describe the conditions of an action: settings, memory provider, and preceding messages."""
        bench = self._workbench
        said = bench.conversations.get(attempt.kind, [])[:turn]
        before = [Done(one.attempt, one.outcome) for one in said if not isinstance(one.outcome, HermesSdkError)]
        if bench.memory is not None and attempt.kind != "setup":
            before.insert(0, bench.memory)
        variables = bench.settings.variables
        shown = bench.redactor.value(variables)
        return Conditions(
            str(bench.path.resolve()),
            bench.host,
            bench.release,
            bench.redactor.value(bench.whole_config),
            variables,
            {name for name, value in variables.items() if name in bench.settings.secrets or shown[name] != value},
            [one._replace(attempt=one.attempt.redact(bench.redactor)) for one in before],
            (bench.plugin.inspection["report"]["memory_provider"] if bench.plugin else None) or "",
        )

    def _make_rows(self, action: Action) -> Sequence[Row]:
        bench = self._workbench
        trace = Trace.of(action["events"], host=bench.host, release=bench.release, scenario="")
        return make_timeline(trace.events, contract.load(bench.release)).rows

    def _evaluate_callbacks(self, attempt: Attempt, action: Action) -> dict[str, Any]:
        """Return the result of each callback of a hook, whether the host uses it, and the effect on the turn."""
        release = contract.load(self._workbench.release)
        outcome = find_outcome(attempt.name, action["value"], release)
        called = [one for one in action["events"] if (one["kind"], one["name"]) == ("hook", attempt.name)]
        blocks = attempt.name == "pre_tool_call" and release.behaviour.failing_policy_blocks
        counted = [one for one in called if one.get("returned") is not None or (blocks and "raised" in one)]
        # If the numbers differ, the returned values cannot be assigned to callbacks.
        winners = [id(counted[one]) for one in outcome.effects] if len(counted) == len(action["value"]) else list[int]()
        return {"rows": [(one, id(one) in winners) for one in called], "outcome": outcome}


# Untrusted text: no HTML, and no pictures, which the browser would request.
_MARKDOWN = MarkdownIt("commonmark", {"html": False}).enable("table").disable("image")
_FRONT_MATTER = re.compile(r"^---\n(\w[\w-]*:.*?\n)---$", re.DOTALL | re.MULTILINE)


def _render_markdown(text: str) -> Markup:
    """Render Markdown as HTML, and the front matter of a skill as a block of code."""
    return Markup(_MARKDOWN.render(_FRONT_MATTER.sub(r"```yaml\n\1```", text, count=1)))


def _write_yaml(value: Any) -> str:
    return yaml.safe_dump(value, allow_unicode=True, sort_keys=False).rstrip()
