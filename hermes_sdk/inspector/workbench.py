"""The plugin of an inspector: the version that loaded last, and why the present one does not load."""

from __future__ import annotations

import threading
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from hermes_sdk import contract, manifest
from hermes_sdk.errors import HermesSdkError, UsageError
from hermes_sdk.hosts.inspection import TIME_LIMIT, Action, LoadedPlugin, start_server
from hermes_sdk.hosts.interface import HostKind
from hermes_sdk.traces import parse_script


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
        self.conversation: list[Said] = []
        self._time_limit = time_limit
        self._server = start_server()
        self._loading = threading.Lock()

    def load(self) -> None:
        """Load the present version of the plugin, and repeat the conversation.

        A version that does not load leaves the last good one in place.
        """
        with self._loading:
            before = self.plugin
            try:
                fresh = LoadedPlugin(
                    self.path, self._server, host=self.host, release=self.release, time_limit=self._time_limit
                )
            except HermesSdkError as error:
                self.problem = Problem(error.message, error.where, error.fix)
            else:
                self.problem = _find_problem(fresh)
                if self.problem is None:
                    self.conversation = [_say(fresh, one.text, one.script) for one in self.conversation]
                    self.plugin = fresh
                    if before is not None:
                        before.close()
                else:
                    fresh.close()
            self.version += 1

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
        main, aux = parse_script(script) if script.strip() else ((), ())
        if plugin is None:
            raise UsageError("No version of the plugin has loaded yet.")
        return Said(text, script, plugin.chat(text, main=main, aux=aux))
    except HermesSdkError as error:
        return Said(text, script, error)


def _find_problem(plugin: LoadedPlugin) -> Problem | None:
    report, failure = plugin.inspection["report"], plugin.inspection["failure"]
    if report["status"] not in ("failed", "unsupported"):
        return None
    place = failure["place"] if failure else None
    message = report["error"] or "; ".join(report["warnings"]) or f"the host says: {report['status']}"
    return Problem(message, f"{place['file']}:{place['line']}" if place else "", failure["fix"] if failure else "")
