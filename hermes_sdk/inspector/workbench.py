"""The plugin of an inspector: the version that loaded last, and why the present one does not load."""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from hermes_sdk import contract, manifest
from hermes_sdk.errors import HermesSdkError
from hermes_sdk.hosts.inspection import TIME_LIMIT, Action, LoadedPlugin, start_server
from hermes_sdk.hosts.interface import HostKind
from hermes_sdk.inspector.actions import Attempt, perform
from hermes_sdk.inspector.settings import Settings


@dataclass(frozen=True)
class Problem:
    """Why a plugin does not load: what is wrong, where as ``file:line``, and what to do."""

    message: str
    where: str
    fix: str


class Said(NamedTuple):
    """A message of a conversation, what the model answers as YAML, and what came of it."""

    text: str
    script: str
    outcome: Action | HermesSdkError


class Workbench:
    """A plugin that is loaded again and again, each time in a fresh child process.

    Args:
        path: The plugin, or what else `hosts.inspection.show` takes.
        host: ``"embedded"`` or ``"real"``.
        release: A release of Hermes Agent.
        time_limit: Seconds that a load may take, and each action.

    Attributes:
        plugin: The last version that loaded; None while there is none.
        problem: Why the present version does not load; None when it does.
        version: How often it was loaded, or failed to.
        settings: What the author gave; the next load has them.
        memory: The answers with which the memory provider was set up, or None; a load repeats the setup.
        conversation: What was said to the agent; a load repeats it.
    """

    def __init__(
        self,
        path: Path,
        *,
        host: HostKind = "embedded",
        release: str = contract.DEFAULT,
        time_limit: float = TIME_LIMIT,
    ) -> None:
        self.located = manifest.locate(path)
        self.path = path
        self.host: HostKind = host
        self.release = release
        self.plugin: LoadedPlugin | None = None
        self.problem: Problem | None = None
        self.version = 0
        self.settings = Settings()
        self.memory: Mapping[str, str] | None = None
        self.conversation: list[Said] = []
        self._time_limit = time_limit
        self._server = start_server()
        self._loading = threading.Lock()

    @property
    def name(self) -> str:
        """The key of the plugin, or the name of its directory before it has loaded."""
        return self.plugin.key if self.plugin else self.located.path.resolve().name

    def load(self) -> None:
        """Load the present version of the plugin, and repeat the conversation.

        A version that does not load leaves the last good one in place.
        """
        with self._loading:
            before = self.plugin
            try:
                fresh = self.open(self.host, self.release)
            except HermesSdkError as error:
                self.problem = Problem(error.message, error.where, error.fix)
            else:
                self.problem = _find_problem(fresh)
                if self.problem is None:
                    self.conversation = self._repeat(fresh, self.conversation)
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
            self._server,
            host=host,
            release=release,
            settings=given.values,
            variables=given.variables,
            secrets=given.secrets,
            time_limit=self._time_limit,
        )

    def _repeat(self, plugin: LoadedPlugin, conversation: Sequence[Said]) -> list[Said]:
        """Set a freshly loaded plugin up as the one before, and say the same."""
        if self.memory is not None:
            # What goes wrong is seen where the provider is used.
            with contextlib.suppress(HermesSdkError):
                perform(plugin, Attempt("setup", "", self.memory))
        return [_say(plugin, one.text, one.script) for one in conversation]

    def act(self, attempt: Attempt) -> Action:
        """Do something with the plugin.

        Raises:
            HermesSdkError: No version of the plugin has loaded, or it cannot be done.
        """
        action = perform(self.plugin, attempt)
        if attempt.kind == "setup" and action["value"]["exit_code"] == 0:
            self.memory = {name: str(value) for name, value in attempt.arguments.items()}
        return action

    def chat(self, text: str, script: str) -> Said:
        """Say something to the agent, with a script as in `traces.parse_script`, and keep it for the next load."""
        said = _say(self.plugin, text, script)
        if self.plugin is None or not self.plugin.ended:
            # A message that ends the process would end the next one too.
            self.conversation.append(said)
        return said

    def begin(self) -> None:
        """Begin another conversation."""
        self.conversation = []
        if self.plugin is not None:
            self.plugin.command("/new")

    def close(self) -> None:
        """End every child process."""
        with self._loading:
            if self.plugin is not None:
                self.plugin.close()
                self.plugin = None
            self._server.close()


def _say(plugin: LoadedPlugin | None, text: str, script: str) -> Said:
    try:
        return Said(text, script, perform(plugin, Attempt("chat", text, script=script)))
    except HermesSdkError as error:
        return Said(text, script, error)


def _find_problem(plugin: LoadedPlugin) -> Problem | None:
    report, failure = plugin.inspection["report"], plugin.inspection["failure"]
    if report["status"] not in ("failed", "unsupported"):
        return None
    place = failure["place"] if failure else None
    message = report["error"] or "; ".join(report["warnings"]) or f"the host says: {report['status']}"
    return Problem(message, f"{place['file']}:{place['line']}" if place else "", failure["fix"] if failure else "")
