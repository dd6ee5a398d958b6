"""The plugin of an inspector: the last version that loaded, and why the current one does not load."""

from __future__ import annotations

import contextlib
import difflib
import threading
import time
from collections.abc import Callable, Generator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, NamedTuple

import yaml

from hermes_sdk import contract, manifest
from hermes_sdk.documents import read_text
from hermes_sdk.errors import HermesSdkError, UnavailableError, UsageError
from hermes_sdk.hosts.inspection import TIME_LIMIT, Action, LoadedPlugin
from hermes_sdk.hosts.interface import HostKind
from hermes_sdk.hosts.staging import HostChoice, explain_no_real_host, require_host, run_on_host
from hermes_sdk.inspector.actions import Attempt, Done, perform, write_lines
from hermes_sdk.inspector.models import RealModel
from hermes_sdk.inspector.settings import Settings, merge_config
from hermes_sdk.manifest import Form
from hermes_sdk.redaction import Redactor
from hermes_sdk.traces.scenario import read_content


@dataclass(frozen=True)
class Problem:
    """Why a plugin does not load: message, place as ``file:line``, code of that line, and fix."""

    message: str
    where: str
    code: str
    fix: str


class Said(NamedTuple):
    """A message of a conversation and its result."""

    attempt: Attempt
    outcome: Action | HermesSdkError


Conversations = Mapping[str, list[Said]]
"""Messages by the kind of `Attempt`: ``chat`` to the agent, ``receive`` to the gateway."""


class Workbench:
    """A plugin that is reloaded repeatedly, each time in a new child process.

    Args:
        path: The plugin; see `hosts.inspection.show`.
        host: ``"embedded"``, ``"real"``, or ``"auto"`` to switch to the real host, if installed, when the plugin
            reaches anything that the embedded one does not model. The next load starts with the embedded host again.
        settings: The plugin's settings until the author enters others.
        time_limit: Timeout of a load and of each action in seconds.
        form: See `manifest.locate`. plugin: See `manifest.locate`.

    Attributes:
        host: The host on which the plugin was loaded.
        note: Why the real host is used, or how to get it; empty if neither applies.
        plugin: The last version that loaded, or None.
        problem: Why the current version does not load; None if it does.
        version: The number of attempts to load it.
        settings: The settings for the next load.
        config: Other content of ``config.yaml``.
        model: The model that answered the last message; None for the script.
        memory: The last successful setup of the memory provider, or None; each load repeats it.
        conversations: The conversations; each load repeats them.
        redactor: Redacts all displayed values.
    """

    def __init__(
        self,
        path: Path,
        *,
        host: HostChoice = "embedded",
        release: str = contract.DEFAULT,
        settings: Settings | None = None,
        time_limit: float = TIME_LIMIT,
        form: Form | None = None,
        plugin: str = "",
    ) -> None:
        self.located = manifest.locate(path, form, plugin)
        self._name = plugin
        require_host(host, release, [self.located])
        self._choice: HostChoice = host
        self.note = ""
        self.path = path
        self.host: HostKind = "real" if host == "real" else "embedded"
        self.release = release
        self.plugin: LoadedPlugin | None = None
        self.problem: Problem | None = None
        self.version = 0
        self.settings = settings or Settings()
        self.config: Mapping[str, Any] = {}
        self.model: RealModel | None = None
        self.memory: Done | None = None
        self.conversations: Conversations = {"chat": [], "receive": []}
        self.redactor = Redactor()
        self._planned: list[Attempt] = []
        self._time_limit = time_limit
        self._loading = threading.Lock()
        self._running: list[_Running] = []

    @property
    def name(self) -> str:
        """The key of the plugin, or the name of its directory before the first load."""
        if self.plugin:
            return self.plugin.key
        return self.located.name if self.located.form == "package" else self.located.path.resolve().name

    @property
    def whole_config(self) -> Mapping[str, Any]:
        """The content of ``config.yaml`` including the settings."""
        values = self.settings.values
        return merge_config(self.config, {"plugins": {"entries": {self.name: {"settings": values}}}} if values else {})

    def load(self) -> None:
        """Load the current version of the plugin and repeat the conversations.

        If it does not load, the last good version stays.
        """
        with self._loading:
            self._load(self._choice)

    def _load(self, choice: HostChoice) -> None:
        opened: list[_Loaded] = []

        def load(kind: HostKind, _: str) -> _Loaded:
            opened.append(self._load_on(kind))
            return opened[-1]

        try:
            ran = run_on_host(choice, self.release, load, lambda one: one.plugin.unsupported, [self.located])
        except HermesSdkError as error:
            self.problem = Problem(error.message, error.where, self._read_line(error.where), error.fix)
        else:
            loaded = ran.outcome
            self.problem = loaded.problem
            if loaded.problem is None:
                opened = [one for one in opened if one is not loaded]
                self.conversations, self._planned = loaded.conversations, []
                if self.plugin is not None:
                    self.plugin.close()
                self.plugin, self.host, self.note = loaded.plugin, ran.host, ran.note
        finally:
            for one in opened:
                one.plugin.close()
            self.version += 1

    def _load_on(self, kind: HostKind) -> _Loaded:
        """Load the current version of the plugin on a host and repeat the conversations."""
        plugin = self.open(kind, self.release)
        if problem := self._find_problem(plugin):
            return _Loaded(plugin, problem, self.conversations)
        conversations = self._repeat(plugin, self.conversations)
        conversations["chat"].extend(_send_message(plugin, one) for one in self._planned)
        return _Loaded(plugin, None, conversations)

    def open(self, host: HostKind, release: str) -> LoadedPlugin:
        """Load the current version of the plugin on a host with the settings; the caller closes it.

        Raises:
            HermesSdkError: See `LoadedPlugin`.
        """
        given = self.settings
        return LoadedPlugin(
            self.path,
            host=host,
            release=release,
            settings=given.values,
            config=self.config,
            variables=given.variables,
            secrets=given.secrets,
            redactor=self.redactor,
            time_limit=self._time_limit,
            form=self.located.form,
            plugin=self._name,
        )

    def _find_problem(self, plugin: LoadedPlugin) -> Problem | None:
        report, failure = plugin.inspection["report"], plugin.inspection["failure"]
        if not plugin.has_failed:
            return None
        message = report["error"] or "; ".join(report["warnings"]) or f"the host says: {report['status']}"
        where = plugin.failure_place
        return Problem(message, where, self._read_line(where), failure["fix"] if failure else "")

    def _read_line(self, where: str) -> str:
        """Return the code at a place in the plugin; empty if it cannot be read."""
        name, _, number = where.rpartition(":")
        file = (self.path if self.path.is_dir() else self.path.parent).resolve() / name
        # The name comes from the plugin's process, so it is untrusted.
        if not number.isdecimal() or not file.resolve().is_relative_to(self.located.project.resolve()):
            return ""
        try:
            return self.redactor.text(read_text(file).splitlines()[int(number) - 1].strip())
        except (OSError, ValueError, IndexError):
            return ""

    def _repeat(self, plugin: LoadedPlugin, conversations: Conversations) -> Conversations:
        """Repeat the setup and the conversations in a newly loaded plugin."""
        if self.memory is not None:
            # Failures become visible when the provider is used.
            with contextlib.suppress(HermesSdkError):
                perform(plugin, self.memory.attempt)
        return {kind: [_send_message(plugin, one.attempt) for one in said] for kind, said in conversations.items()}

    def act(self, attempt: Attempt) -> Action:
        """Perform an action on the plugin.

        Raises:
            HermesSdkError: No version of the plugin has loaded, or the action fails.
        """
        action = self._perform(attempt)
        if attempt.kind == "setup" and action["value"]["exit_code"] == 0:
            self.memory = Done(attempt, action)
        return action

    def describe_running(self) -> list[tuple[str, int]]:
        """Return the actions that are running, each with its seconds."""
        now = time.monotonic()
        return [
            (f"{one.attempt.kind} {one.attempt.redact(self.redactor).name}".strip(), int(now - one.started))
            for one in self._running
        ]

    def stop(self) -> None:
        """Stop the running actions by ending the process of each."""
        for one in [*self._running]:
            one.is_stopped = True
            if plugin := one.plugin or self.plugin:
                plugin.close()

    @contextlib.contextmanager
    def _run(self, attempt: Attempt, plugin: LoadedPlugin | None = None) -> Generator[None]:
        """List an action as running during a ``with`` block, which raises an error if the user stops the action.

        Args:
            plugin: The loaded plugin of the action if it is not that of the workbench.
        """
        running = _Running(attempt, plugin, time.monotonic())
        self._running.append(running)
        try:
            yield
        except HermesSdkError:
            if running.is_stopped:
                raise HermesSdkError("You stopped the action.", fix="The next action reloads the plugin.") from None
            raise
        finally:
            self._running.remove(running)

    def _perform(self, attempt: Attempt, model: RealModel | None = None) -> Action:
        """Perform an action; with ``auto``, switch to the real host and repeat the action if necessary."""
        with self._run(attempt):
            return self._perform_on_host(attempt, model)

    def _perform_on_host(self, attempt: Attempt, model: RealModel | None) -> Action:
        before = len(self.plugin.unsupported) if self.plugin else 0

        def run(kind: HostKind, _: str) -> Action:
            if kind != self.host:
                with self._loading:
                    self._load(kind)
            if kind != self.host and self.problem is not None:
                raise HermesSdkError(self.problem.message, where=self.problem.where, fix=self.problem.fix)
            return perform(self.plugin, attempt, model)

        def list_unsupported(_: Action) -> list[str]:
            return self.plugin.unsupported[before:] if self.plugin else []

        choice = self._choice if self.host == "embedded" else "real"
        ran = run_on_host(choice, self.release, run, list_unsupported, [self.located])
        self.note = ran.note or self.note
        return ran.outcome

    def plan(self, file: Path) -> None:
        """Use the configuration, variables and conversation of a scenario for the next load.

        Raises:
            UsageError: The scenario cannot be read, or is for a gateway.
        """
        content = read_content(file)
        if content.get("mode") == "gateway":
            raise UsageError(
                "the scenario is for a gateway, but the inspector starts with a session.",
                where=str(file),
                fix="Start the inspector without the scenario, and send messages in the Providers pane.",
            )
        self.config = content.get("config", {})
        variables = {**content.get("env", {}), **self.settings.variables}
        self.settings = replace(self.settings, variables=variables)
        script = yaml.safe_dump(content["script"], allow_unicode=True, sort_keys=False) if "script" in content else ""
        # The first message has the whole script.
        self._planned = [
            Attempt("chat", text, script="" if number else script)
            for number, text in enumerate(content.get("turns", ()))
        ]

    def compare(self, attempt: Attempt, host: HostKind, release: str, turn: int = 0) -> list[str]:
        """Perform an action in new loads of the plugin on this host and on another one; return the differing lines.

        Args:
            host: ``"embedded"`` or ``"real"``.
            turn: The number of preceding messages in the conversation.

        Returns:
            The lines of a unified diff without its header; empty if the results are equal.

        Raises:
            HermesSdkError: The real host is not installed, or the plugin does not load or the action fails on either
                host.
        """
        if host == "real" and (reason := explain_no_real_host(release, [self.located])):
            # A request must not install anything.
            raise UnavailableError(f"{reason}.")
        outputs: list[list[str]] = []
        places: list[tuple[HostKind, str]] = [(self.host, self.release), (host, release)]
        for place in places:
            with self.open(*place) as plugin, self._run(attempt, plugin):
                if problem := self._find_problem(plugin):
                    raise HermesSdkError(problem.message, where=problem.where, fix=problem.fix)
                said = self.conversations.get(attempt.kind, [])
                self._repeat(plugin, {attempt.kind: said[:turn]})
                outputs.append(write_lines(perform(plugin, attempt), plugin))
        return list(difflib.unified_diff(outputs[0], outputs[1], lineterm="", n=4))[2:]

    def say(self, attempt: Attempt, model: RealModel | None = None) -> Said:
        """Send a message to the agent or the gateway, and store it for the next load.

        The answers of a real model are stored as a script, so that loads do not request them again.
        """
        if attempt.kind == "chat":
            self.model = model
        said = _record_message(lambda: self._perform(attempt, model), attempt, model)
        if not isinstance(said.outcome, HermesSdkError):
            self.conversations[attempt.kind].append(said)
        return said

    def begin(self, kind: str) -> None:
        """Start a new conversation; with the gateway only from the next load, since ``/new`` asks to confirm."""
        self.conversations[kind].clear()
        if self.plugin is not None and kind == "chat":
            self.plugin.command("/new")

    def close(self) -> None:
        """End the plugin's process."""
        with self._loading:
            if self.plugin is not None:
                self.plugin.close()
                self.plugin = None


@dataclass(eq=False)
class _Running:
    """A running action; `plugin` is its loaded plugin if it is not that of the workbench."""

    attempt: Attempt
    plugin: LoadedPlugin | None
    started: float
    is_stopped: bool = False


class _Loaded(NamedTuple):
    """A load of the plugin on a host, its problem, and the repeated conversations."""

    plugin: LoadedPlugin
    problem: Problem | None
    conversations: Conversations


def _send_message(plugin: LoadedPlugin, attempt: Attempt) -> Said:
    return _record_message(lambda: perform(plugin, attempt), attempt)


def _record_message(perform: Callable[[], Action], attempt: Attempt, model: RealModel | None = None) -> Said:
    try:
        action = perform()
        return Said(attempt._replace(script=model.take_script()) if model else attempt, action)
    except HermesSdkError as error:
        return Said(attempt, error)
