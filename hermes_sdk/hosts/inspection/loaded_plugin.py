"""Plugins that are loaded in a child process and stay loaded for several calls."""

from __future__ import annotations

import dataclasses
import json
import threading
from collections.abc import Callable, Collection, Mapping, Sequence
from contextlib import ExitStack
from functools import partial
from pathlib import Path
from types import TracebackType
from typing import Any, Self, TypedDict, cast

from hermes_sdk import contract, manifest
from hermes_sdk.errors import HermesSdkError, UnavailableError, UsageError
from hermes_sdk.hosts.environments import lend
from hermes_sdk.hosts.inspection.parent import TIME_LIMIT, make_exit_error, make_late_error, stage_plugin
from hermes_sdk.hosts.interface import HostExited, HostKind, Inspection, NotSupported, SurfaceName, TimeLimitExceeded
from hermes_sdk.hosts.processes import fork_server
from hermes_sdk.hosts.processes.answers import has_shape, invalid_answer, is_event
from hermes_sdk.hosts.processes.child import Child, ChildEnded
from hermes_sdk.hosts.staging import list_unsupported_in, to_clause
from hermes_sdk.llm import Answer
from hermes_sdk.manifest import Form
from hermes_sdk.redaction import Redactor, list_secrets

_CHILD = "hermes_sdk.hosts.inspection.loaded_child"
_CPU_SECONDS = 3600.0
_REAL_LOAD_LIMIT = 120.0
_MODEL_LIMIT = 300.0
"""Seconds after which a turn with a model that is not scripted times out."""

_CONVERSATION_LIMIT = 120.0
"""Seconds after which the standard conversation on a surface times out; a real host starts three times for it."""

_ERRORS: Mapping[Any, type[HermesSdkError]] = {2: UsageError, 3: UnavailableError}


Model = Callable[[str, dict[str, Any]], Answer]
"""Answers a request to ``/chat/completions``, given its lane, ``main`` or ``aux``, and its body."""


class SwallowedFacts(TypedDict):
    """An exception of the plugin that the host swallowed."""

    where: str
    error: str
    traceback: str


class UnsupportedFacts(TypedDict):
    """Use of a feature that the embedded host does not model."""

    what: str
    fix: str


class Action(TypedDict):
    """Result of one action on a plugin.

    Attributes:
        value: The host's return value, as JSON values.
        milliseconds: The duration.
        events: The recorded events; see `recording.Recording.events`.
        swallowed: The swallowed exceptions.
        unsupported: Uses of features that the host does not model.
        log: The log lines at level INFO and above.
    """

    value: Any
    milliseconds: float
    events: list[dict[str, Any]]
    swallowed: list[SwallowedFacts]
    unsupported: list[UnsupportedFacts]
    log: list[str]


class LoadedPlugin:
    """A plugin in its own host, in a child process with the isolation of `show`.

    Close it, or use it as a context manager. If the plugin fails to load, `inspection` has the reason.

    Args:
        path: A plugin directory, or another path that `show` accepts; it is copied.
        host: ``"embedded"`` or ``"real"``.
        settings: The plugin's ``settings`` in ``config.yaml``.
        config: Other values of ``config.yaml``.
        variables: Variables of the host's process.
        secrets: Variables with secrets, in addition to required variables and those whose names suggest a secret.
        redactor: Redacts everything that is returned. Default: a new redactor.
        time_limit: Seconds after which the load, and each call, times out.
        form: See `manifest.locate`.
        plugin: See `manifest.locate`.

    Attributes:
        redactor: Redacts everything that the child returns. The plugin itself receives the original values.
        inspection: The registrations of the plugin; files are relative to the path.
        unsupported: Clauses that name the features that the plugin has used but the embedded host does not model.

    Raises:
        UsageError: There is no plugin at the path, or the release is not known.
        UnavailableError: The real host of that release cannot be created here.
        HostExited: The plugin ended its process.
        HermesSdkError: The plugin timed out, was killed, or raised an exception that no host catches.
    """

    def __init__(
        self,
        path: Path,
        *,
        host: HostKind = "embedded",
        release: str = contract.DEFAULT,
        settings: Mapping[str, Any] | None = None,
        config: Mapping[str, Any] | None = None,
        variables: Mapping[str, str] | None = None,
        secrets: Collection[str] = (),
        redactor: Redactor | None = None,
        time_limit: float = TIME_LIMIT,
        form: Form | None = None,
        plugin: str = "",
    ) -> None:
        contract.load(release)
        self._time_limit = time_limit
        self._settings = dict(settings or {})
        self._config = dict(config or {})
        self._variables = dict(variables or {})
        self.redactor = redactor or Redactor()
        self.redactor.learn(self._settings, self._config)
        self.unsupported: list[str] = []
        self._turn = threading.Lock()
        with ExitStack() as stack:
            self._plugin = stack.enter_context(stage_plugin(manifest.locate(path, form, plugin), None, host, release))
            required = manifest.required_variables(self._plugin.located) if self._plugin.located else {}
            secret_names = {*secrets, *(name for name, may_be_secret in required.items() if may_be_secret)}
            self.redactor.add(list_secrets(self._variables, secret_names))
            readable, needed = _lend_host(host, release)
            environment = {**self._plugin.environment(), **needed}
            self._child = Child(
                partial(fork_server.start, _CHILD, environment, self._plugin.scratch),
                isolated=self._plugin.describe_isolation(_CPU_SECONDS, readable=readable),
            )
            stack.callback(self._child.close)
            self.inspection = self._load(path, host)
            self.unsupported += list_unsupported_in(self.inspection["report"])
            self._stack = stack.pop_all()

    @property
    def key(self) -> str:
        """The key of the plugin."""
        return self._plugin.key

    @property
    def home(self) -> Path:
        """The HERMES_HOME of the host."""
        return self._plugin.staged.home.path

    @property
    def has_failed(self) -> bool:
        """Return whether the plugin does not load."""
        return self.inspection["report"]["status"] in ("failed", "unsupported")

    @property
    def failure_place(self) -> str:
        """Return the line at which the plugin fails to load, as ``file:line``; empty if it is not known."""
        failure = self.inspection["failure"]
        place = failure["place"] if failure else None
        return f"{place['file']}:{place['line']}" if place else ""

    @property
    def ended(self) -> bool:
        """Return whether the child process has ended, for example because the plugin exited or timed out."""
        return self._child.ended

    def call_tool(self, name: str, args: Mapping[str, Any]) -> Action:
        """Call a tool as `Host.call_tool` does; the value has its ``status`` and its ``text``."""
        return self._act("call_tool", f"tool {name}", name=name, args=dict(args))

    def fire(self, hook: str, args: Mapping[str, Any]) -> Action:
        """Fire a hook as `Host.fire` does; the value is the list of return values."""
        return self._act("fire", f"hook {hook}", hook=hook, args=dict(args))

    def fire_on(self, hook: str, surface: SurfaceName) -> Action:
        """Make the host fire a hook, in the standard conversation on a surface.

        The value is the list of return values, including None, and `events` contains only the calls of the hook.
        """
        # The embedded host does not support delegated tasks in a gateway, so delegate only for the hooks of subagents.
        delegates = hook.startswith("subagent_") or surface != "gateway"
        action = self._act("fire_on", f"hook {hook} on {surface}", hook=hook, surface=surface, delegates=delegates)
        events = [one for one in action["events"] if (one["kind"], one["name"]) == ("hook", hook)]
        return {**action, "events": events}

    def command(self, line: str) -> Action:
        """Run a slash command as `Host.command` does; the value is its output, or None."""
        return self._act("command", f"command {line}", line=line)

    def cli(self, argv: Sequence[str]) -> Action:
        """Run a CLI command as `Host.cli` does; the value has the fields of `CliResult`."""
        return self._act("cli", f"hermes {' '.join(argv)}", argv=list(argv))

    def skill(self, name: str) -> Action:
        """Read a skill as `Host.skill` does; the value is the result of the agent's tool."""
        return self._act("skill", f"skill {name}", name=name)

    def memory_fields(self) -> list[dict[str, Any]]:
        """Return the fields that the setup of the memory provider asks for, as `MemoryCommand.fields` does."""
        value = self._act("memory_fields", "the fields of the memory provider")["value"]
        return self._plugin.require(value, list[dict[str, Any]])

    def set_up_memory(self, values: Mapping[str, str], secrets: Collection[str] = ()) -> Action:
        """Set up a memory provider as `MemoryCommand.setup` does; the value has the fields of `CliResult`.

        Args:
            secrets: The fields whose answers are redacted in all results from now on.
        """
        self.redactor.add(values[name] for name in secrets if name in values)
        return self._act("set_up_memory", "the setup of the memory provider", values=dict(values))

    def receive(self, text: str, *, main: Sequence[Answer] = (), aux: Sequence[Answer] = ()) -> Action:
        """Send a user's message to the gateway as `Chat.receives` does, with a script as in `chat`.

        The gateway allows all users. The value is the list of sent messages, with the fields of `Sent`.
        """
        return self._act("receive", "the message", text=text, script=_write_script(main, aux))

    def chat(
        self, text: str, *, main: Sequence[Answer] = (), aux: Sequence[Answer] = (), model: Model | None = None
    ) -> Action:
        """Add answers to the model's script, and let the agent take a turn as `Host.chat` does.

        If the script is empty, the model answers ``ok``. The value has the fields of `Turn` except messages and hooks.

        Args:
            main: The answers in the agent loop.
            aux: The answers to all other requests.
            model: Answers all requests of the turn instead of the script, because the child has no network access.
        """
        return self._act("chat", "the turn", model, text=text, script=_write_script(main, aux))

    def definitions(self) -> list[dict[str, Any]]:
        """Return the definitions of the plugin's tools, as `Host.definitions` does."""
        value = self._act("definitions", "the definitions of the tools")["value"]
        return self._plugin.require(value, list[dict[str, Any]])

    def close(self) -> None:
        """End the child process; a second call does nothing. Calls that run in other threads raise an error."""
        self._child.close()
        self._stack.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _load(self, path: Path, host: HostKind) -> Inspection:
        plugin = self._plugin
        limit = self._time_limit if host == "embedded" else max(self._time_limit, _REAL_LOAD_LIMIT)
        options = {"settings": self._settings, "config": self._config, "variables": self._variables}
        request = {**plugin.request(), **options, "kind": host, "folder": plugin.folder(path)}
        try:
            value = self._ask("open", f"plugin '{plugin.key}'", request, limit)
        except TimeLimitExceeded as error:
            raise make_late_error(plugin.key, limit, error.doing) from None
        fields = {**value, "isolation": list(self._child.layers)} if isinstance(value, dict) else value
        inspection = plugin.require(cast("Inspection", fields), Inspection)
        return {**inspection, "report": plugin.set_path(inspection["report"], path)}

    def _act(self, method: str, doing: str, model: Model | None = None, **arguments: Any) -> Action:
        minimum = _CONVERSATION_LIMIT if method == "fire_on" else 0.0
        limit = max(self._time_limit, minimum if model is None else _MODEL_LIMIT)
        if model is not None:
            arguments["relays"] = True
        value = self._ask(method, doing, arguments, limit, model)
        if not has_shape(value, Action) or not all(map(is_event, value["events"])):
            raise self._stop_child("not an outcome")
        self.unsupported += [to_clause(one["what"]) for one in value["unsupported"]]
        return cast("Action", value)

    def _ask(
        self, method: str, doing: str, arguments: Mapping[str, Any], limit: float, model: Model | None = None
    ) -> Any:
        self.redactor.learn(arguments)
        request = json.dumps({"method": method, "arguments": arguments, "time_limit": limit}).encode()
        try:
            with self._turn:
                answer = self._child.ask(request, limit)
                while model is not None and isinstance(answer.get("asked"), dict):
                    reply = model(str(answer.get("lane")), answer["asked"])
                    answer = self._child.ask(json.dumps(dataclasses.asdict(reply)).encode(), limit)
        except ChildEnded as error:
            if error.status is not None:
                raise make_exit_error(doing, error.status, self.redactor.text(error.printed)) from None
            answer = {"late": ""}
        match self._redact(answer):
            case {"value": value}:
                return value
            case {"late": str(where)}:
                self._child.close()
                ending = f"took longer than {limit:g} s, so the host was stopped."
                raise TimeLimitExceeded(where if method == "open" else where or doing, ending)
            case {"exit": status}:
                self._child.close()
                raise HostExited(doing, status)
            case {"refused": str(action), "fix": str(fix)}:
                refusal = NotSupported(action, "embedded", fix)
                self.unsupported.append(to_clause(refusal.message))
                raise refusal
            case {"error": [kind, str(message), str(where), str(fix)], "unsupported": [*reached]}:
                self.unsupported += [to_clause(str(one)) for one in reached]
                raise _ERRORS.get(kind, HermesSdkError)(message, where=where, fix=fix)
            case _:
                raise self._stop_child("no result")

    def _redact(self, answer: Any) -> Any:
        try:
            self.redactor.learn(answer)
            return self.redactor.value(answer)
        except RecursionError:
            raise self._stop_child("an answer that nests too deeply") from None

    def _stop_child(self, problem: str) -> HermesSdkError:
        """Stop a child that sent an invalid answer, and return the error: its next answers cannot be matched."""
        self._child.close()
        return invalid_answer(problem)


def _write_script(main: Sequence[Answer], aux: Sequence[Answer]) -> dict[str, Any]:
    return {"main": [*map(dataclasses.asdict, main)], "aux": [*map(dataclasses.asdict, aux)]}


def _lend_host(host: HostKind, release: str) -> tuple[list[str], dict[str, str]]:
    """Return the paths that a host must be able to read, and its variables."""
    if host == "embedded":
        return [], {}
    paths, variables = lend(release)
    return [*map(str, paths)], variables
