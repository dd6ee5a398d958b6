"""Actions on a plugin from the page, by kind."""

from __future__ import annotations

import json
import shlex
from collections.abc import Callable, Collection, Mapping
from typing import Any, NamedTuple

from hermes_sdk.documents import parse_json
from hermes_sdk.errors import UsageError
from hermes_sdk.hosts.inspection import Action, LoadedPlugin, Model
from hermes_sdk.llm import Answer
from hermes_sdk.redaction import REDACTED, Redactor
from hermes_sdk.traces import Normaliser, Trace, parse_script


class Attempt(NamedTuple):
    """A requested action.

    Attributes:
        kind: One of `KINDS`.
        name: The tool, hook, skill, command line or message; empty if the kind needs no name.
        arguments: The arguments of a tool or a hook, or the answers to a setup.
        script: The model's answers as YAML; see `traces.parse_script`.
        secrets: The names of the arguments to hide.
    """

    kind: str
    name: str
    arguments: Mapping[str, Any] = {}
    script: str = ""
    secrets: Collection[str] = ()

    def redact(self, redactor: Redactor) -> Attempt:
        """Return a redacted copy for display."""
        hidden = {name: REDACTED if name in self.secrets else value for name, value in self.arguments.items()}
        return self._replace(
            name=redactor.text(self.name), arguments=redactor.value(hidden), script=redactor.text(self.script)
        )

    def answers(self) -> tuple[tuple[Answer, ...], tuple[Answer, ...]]:
        """Return the script's answers in the lanes ``main`` and ``aux``; none if it is empty."""
        return parse_script(self.script) if self.script.strip() else ((), ())


class Done(NamedTuple):
    """A completed action and its result."""

    attempt: Attempt
    action: Action


def perform(plugin: LoadedPlugin | None, attempt: Attempt, model: Model | None = None) -> Action:
    """Perform an action; in a chat, a model may replace the script.

    Raises:
        HermesSdkError: No version of the plugin has loaded, or the action fails.
    """
    if plugin is None:
        raise UsageError("No version of the plugin has loaded yet.")
    if model is not None and attempt.kind == "chat" and not attempt.name.startswith("/"):
        return plugin.chat(attempt.name, model=model)
    return KINDS[attempt.kind](plugin, attempt)


def write_lines(action: Action, plugin: LoadedPlugin) -> list[str]:
    """Format the result of an action without values that differ between runs, for comparison."""
    report = plugin.inspection["report"]
    about: dict[str, Any] = {"host": report["host"], "release": report["release"], "scenario": "", "problems": ()}
    places = {str(plugin.home): "<home>"}
    normal = Normaliser(places)
    value = {
        "value": parse_json(normal.text(json.dumps(action["value"]))),
        "swallowed": [normal.text(f"{one['where']}: {one['error']}") for one in action["swallowed"]],
        "unsupported": [normal.text(one["what"]) for one in action["unsupported"]],
        "events": [
            {key: one[key] for key in ("kind", "name", "arguments", "returned", "raised") if key in one}
            for one in Trace.of(action["events"], **about).normalise(places).events
        ],
    }
    return json.dumps(value, indent=2, ensure_ascii=False).splitlines()


def _run_cli(plugin: LoadedPlugin, attempt: Attempt) -> Action:
    try:
        argv = shlex.split(attempt.name)
    except ValueError as error:
        raise UsageError(f"The line cannot be split into words: {error}", fix="Close every quotation mark.") from None
    if argv[:1] == ["hermes"]:
        del argv[0]
    if not argv:
        raise UsageError("The line is empty.", fix="Write the command and its arguments.")
    return plugin.cli(argv)


def _set_up(plugin: LoadedPlugin, attempt: Attempt) -> Action:
    return plugin.set_up_memory(attempt.arguments, attempt.secrets)


def _send_chat(plugin: LoadedPlugin, attempt: Attempt) -> Action:
    if attempt.name.startswith("/"):
        return plugin.command(attempt.name)
    main, aux = attempt.answers()
    return plugin.chat(attempt.name, main=main, aux=aux)


def _receive(plugin: LoadedPlugin, attempt: Attempt) -> Action:
    main, aux = attempt.answers()
    return plugin.receive(attempt.name, main=main, aux=aux)


KINDS: Mapping[str, Callable[[LoadedPlugin, Attempt], Action]] = {
    "call": lambda plugin, one: plugin.call_tool(one.name, one.arguments),
    "chat": _send_chat,
    "cli": _run_cli,
    "command": lambda plugin, one: plugin.command(one.name),
    "fire": lambda plugin, one: plugin.fire(one.name, one.arguments),
    "receive": _receive,
    "setup": _set_up,
    "skill": lambda plugin, one: plugin.skill(one.name),
}
