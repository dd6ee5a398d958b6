"""The plugin of an inspector: the version that loaded last, and why the present one does not load."""

from __future__ import annotations

import contextlib
import difflib
import threading
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import yaml

from hermes_sdk import contract, manifest
from hermes_sdk.documents import read_text
from hermes_sdk.errors import HermesSdkError, UsageError
from hermes_sdk.hosts.inspection import TIME_LIMIT, Action, LoadedPlugin
from hermes_sdk.hosts.interface import HostKind
from hermes_sdk.inspector.actions import Attempt, Done, perform, write_lines
from hermes_sdk.inspector.models import RealModel
from hermes_sdk.inspector.settings import Settings, merge_config
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
        host: ``"embedded"`` or ``"real"``.
        time_limit: Seconds that a load may take, and each action.

    Attributes:
        plugin: The last version that loaded; None while there is none.
        problem: Why the present version does not load; None when it does.
        version: How often it was loaded, or failed to.
        settings: What the author gave; the next load has them.
        config: What ``config.yaml`` has besides.
        model: The model that the author named for the last message; None for the script.
        memory: The setup of the memory provider that went well last, or None; a load repeats it.
        conversations: What was said; a load repeats it.
    """

    def __init__(
        self,
        path: Path,
        *,
        host: HostKind = "embedded",
        release: str = contract.DEFAULT,
        time_limit: float = TIME_LIMIT,
    ) -> None:
        if host == "embedded":
            contract.load_modelled(release)
        self.located = manifest.locate(path)
        self.path = path
        self.host: HostKind = host
        self.release = release
        self.plugin: LoadedPlugin | None = None
        self.problem: Problem | None = None
        self.version = 0
        self.settings = Settings()
        self.config: Mapping[str, Any] = {}
        self.model: RealModel | None = None
        self.memory: Done | None = None
        self.conversations: Conversations = {"chat": [], "receive": []}
        self._planned: list[Attempt] = []
        self._time_limit = time_limit
        self._loading = threading.Lock()

    @property
    def name(self) -> str:
        """The key of the plugin, or the name of its directory before it has loaded."""
        return self.plugin.key if self.plugin else self.located.path.resolve().name

    @property
    def whole_config(self) -> Mapping[str, Any]:
        """What the author gave for ``config.yaml``, with the settings."""
        values = self.settings.values
        return merge_config(self.config, {"plugins": {"entries": {self.name: {"settings": values}}}} if values else {})

    def load(self) -> None:
        """Load the present version of the plugin, and repeat the conversations.

        A version that does not load leaves the last good one in place.
        """
        with self._loading:
            before = self.plugin
            try:
                fresh = self.open(self.host, self.release)
            except HermesSdkError as error:
                self.problem = Problem(error.message, error.where, self._read_line(error.where), error.fix)
            else:
                self.problem = self._find_problem(fresh)
                if self.problem is None:
                    self.conversations = self._repeat(fresh, self.conversations)
                    self.conversations["chat"].extend(_say(fresh, one) for one in self._planned)
                    self._planned = []
                    self.plugin = fresh
                    if before is not None:
                        before.close()
                else:
                    fresh.close()
            self.version += 1

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
            time_limit=self._time_limit,
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
            return read_text(file).splitlines()[int(number) - 1].strip()
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
        action = perform(self.plugin, attempt)
        if attempt.kind == "setup" and action["value"]["exit_code"] == 0:
            self.memory = Done(attempt, action)
        return action

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
        self.settings = Settings(variables=content.get("env", {}))
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
            HermesSdkError: The plugin does not load on one of them, or it cannot be done there.
        """
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
        said = _say(self.plugin, attempt, model)
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


def _say(plugin: LoadedPlugin | None, attempt: Attempt, model: RealModel | None = None) -> Said:
    try:
        action = perform(plugin, attempt, model)
        return Said(attempt._replace(script=model.take_script()) if model else attempt, action)
    except HermesSdkError as error:
        return Said(attempt, error)
