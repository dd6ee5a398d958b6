"""The plugin of an inspector: the version that loaded last, and why the present one does not load."""

from __future__ import annotations

import contextlib
import difflib
import threading
from collections.abc import Callable, Mapping
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
    """Why a plugin does not load: what is wrong, where as ``file:line``, the code of that line, and what to do."""

    message: str
    where: str
    code: str
    fix: str


class Said(NamedTuple):
    """A message of a conversation, and what came of it."""

    attempt: Attempt
    outcome: Action | HermesSdkError


Conversations = Mapping[str, list[Said]]
"""What was said, by the kind of `Attempt`: ``chat`` to the agent, ``receive`` to the gateway."""


class Workbench:
    """A plugin that is loaded again and again, each time in a fresh child process.

    Args:
        path: The plugin, or what else `hosts.inspection.show` takes.
        host: ``"embedded"``, ``"real"``, or ``"auto"`` for the real host, if it is on this machine, from where on the
            embedded one does not model what is reached. The next load begins with the embedded host again.
        settings: What the plugin gets until the author gives something else.
        time_limit: Seconds that a load may take, and each action.
        form: As in `manifest.locate`.
        plugin: As in `manifest.locate`.

    Attributes:
        host: The host that the plugin was loaded on.
        note: Why that is the real one, or how to get it; empty if there is nothing to say.
        plugin: The last version that loaded; None while there is none.
        problem: Why the present version does not load; None when it does.
        version: How often it was loaded, or failed to.
        settings: What the author gave; the next load has them.
        config: What ``config.yaml`` has besides.
        model: The model that the author named for the last message; None for the script.
        memory: The setup of the memory provider that went well last, or None; a load repeats it.
        conversations: What was said; a load repeats it.
        redactor: Redacts everything that is shown.
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

    @property
    def name(self) -> str:
        """The key of the plugin, or the name of its directory before it has loaded."""
        if self.plugin:
            return self.plugin.key
        return self.located.name if self.located.form == "package" else self.located.path.resolve().name

    @property
    def whole_config(self) -> Mapping[str, Any]:
        """Return what the author gave for ``config.yaml``, with the settings."""
        values = self.settings.values
        return merge_config(self.config, {"plugins": {"entries": {self.name: {"settings": values}}}} if values else {})

    def load(self) -> None:
        """Load the present version of the plugin, and repeat the conversations.

        A version that does not load leaves the last good one in place.
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
            fresh = ran.outcome
            self.problem = fresh.problem
            if fresh.problem is None:
                opened = [one for one in opened if one is not fresh]
                self.conversations, self._planned = fresh.conversations, []
                if self.plugin is not None:
                    self.plugin.close()
                self.plugin, self.host, self.note = fresh.plugin, ran.host, ran.note
        finally:
            for one in opened:
                one.plugin.close()
            self.version += 1

    def _load_on(self, kind: HostKind) -> _Loaded:
        """Load the present version of the plugin on a host, and repeat the conversations with it."""
        plugin = self.open(kind, self.release)
        if problem := self._find_problem(plugin):
            return _Loaded(plugin, problem, self.conversations)
        conversations = self._repeat(plugin, self.conversations)
        conversations["chat"].extend(_say(plugin, one) for one in self._planned)
        return _Loaded(plugin, None, conversations)

    def open(self, host: HostKind, release: str) -> LoadedPlugin:
        """Load the present version of the plugin on a host, with the settings; the caller closes it.

        Raises:
            HermesSdkError: As in `LoadedPlugin`.
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
        """Return the code at a place of the plugin; empty when there is none."""
        name, _, number = where.rpartition(":")
        file = (self.path if self.path.is_dir() else self.path.parent).resolve() / name
        # The process of the plugin names the file.
        if not number.isdecimal() or not file.resolve().is_relative_to(self.located.project.resolve()):
            return ""
        try:
            return self.redactor.text(read_text(file).splitlines()[int(number) - 1].strip())
        except (OSError, ValueError, IndexError):
            return ""

    def _repeat(self, plugin: LoadedPlugin, conversations: Conversations) -> Conversations:
        """Set a freshly loaded plugin up as the one before, and say the same."""
        if self.memory is not None:
            # What goes wrong is seen where the provider is used.
            with contextlib.suppress(HermesSdkError):
                perform(plugin, self.memory.attempt)
        return {kind: [_say(plugin, one.attempt) for one in said] for kind, said in conversations.items()}

    def act(self, attempt: Attempt) -> Action:
        """Do something with the plugin.

        Raises:
            HermesSdkError: No version of the plugin has loaded, or it cannot be done.
        """
        action = self._perform(attempt)
        if attempt.kind == "setup" and action["value"]["exit_code"] == 0:
            self.memory = Done(attempt, action)
        return action

    def _perform(self, attempt: Attempt, model: RealModel | None = None) -> Action:
        """Do something with the plugin; with ``auto`` again, and from then on, on the real host if that is needed."""
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
        """Let the next load have the configuration, the variables and the conversation of a scenario.

        Raises:
            UsageError: The scenario cannot be read, or is about a gateway.
        """
        content = read_content(file)
        if content.get("mode") == "gateway":
            raise UsageError(
                "the scenario is about a gateway, and the inspector opens with a session.",
                where=str(file),
                fix="Write to the gateway in the pane Providers.",
            )
        self.config = content.get("config", {})
        variables = {**content.get("env", {}), **self.settings.variables}
        self.settings = replace(self.settings, variables=variables)
        script = yaml.safe_dump(content["script"], allow_unicode=True, sort_keys=False) if "script" in content else ""
        # The first message brings the whole script.
        self._planned = [
            Attempt("chat", text, script="" if number else script)
            for number, text in enumerate(content.get("turns", ()))
        ]

    def compare(self, attempt: Attempt, host: HostKind, release: str, turn: int = 0) -> list[str]:
        """Do something with a fresh load of the plugin here and on another host, and return the lines that differ.

        Args:
            host: ``"embedded"`` or ``"real"``.
            turn: How many messages of the conversation go before it.

        Returns:
            The lines of a unified diff without its head; none when nothing differs.

        Raises:
            HermesSdkError: The real host is not on this machine, the plugin does not load on one of them, or it cannot
                be done there.
        """
        if host == "real" and (reason := explain_no_real_host(release, [self.located])):
            # A request installs nothing.
            raise UnavailableError(f"{reason}.")
        told: list[list[str]] = []
        places: list[tuple[HostKind, str]] = [(self.host, self.release), (host, release)]
        for place in places:
            with self.open(*place) as plugin:
                if problem := self._find_problem(plugin):
                    raise HermesSdkError(problem.message, where=problem.where, fix=problem.fix)
                said = self.conversations.get(attempt.kind, [])
                self._repeat(plugin, {attempt.kind: said[:turn]})
                told.append(write_lines(perform(plugin, attempt), plugin))
        return list(difflib.unified_diff(told[0], told[1], lineterm="", n=4))[2:]

    def say(self, attempt: Attempt, model: RealModel | None = None) -> Said:
        """Say something to the agent or the gateway, and keep it for the next load.

        What a real model answers is kept as a script, so that a load does not ask it again.
        """
        if attempt.kind == "chat":
            self.model = model
        said = _note_said(lambda: self._perform(attempt, model), attempt, model)
        if not isinstance(said.outcome, HermesSdkError):
            self.conversations[attempt.kind].append(said)
        return said

    def begin(self, kind: str) -> None:
        """Begin another conversation; one with the gateway begins with the next load, since its ``/new`` asks back."""
        self.conversations[kind].clear()
        if self.plugin is not None and kind == "chat":
            self.plugin.command("/new")

    def close(self) -> None:
        """End the process of the plugin."""
        with self._loading:
            if self.plugin is not None:
                self.plugin.close()
                self.plugin = None


class _Loaded(NamedTuple):
    """A load of the plugin on a host, why it failed, and the conversations as they went there."""

    plugin: LoadedPlugin
    problem: Problem | None
    conversations: Conversations


def _say(plugin: LoadedPlugin, attempt: Attempt) -> Said:
    return _note_said(lambda: perform(plugin, attempt), attempt)


def _note_said(perform: Callable[[], Action], attempt: Attempt, model: RealModel | None = None) -> Said:
    try:
        action = perform()
        return Said(attempt._replace(script=model.take_script()) if model else attempt, action)
    except HermesSdkError as error:
        return Said(attempt, error)
