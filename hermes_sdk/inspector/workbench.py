"""The plugin of an inspector: the version that loaded last, and why the present one does not load."""

from __future__ import annotations

import threading
from dataclasses import dataclass
from pathlib import Path

from hermes_sdk import contract, manifest
from hermes_sdk.errors import HermesSdkError
from hermes_sdk.hosts.inspection import TIME_LIMIT, LoadedPlugin, start_server
from hermes_sdk.hosts.interface import HostKind


@dataclass(frozen=True)
class Problem:
    """Why a plugin does not load: what is wrong, where as ``file:line``, and what to do."""

    message: str
    where: str
    fix: str


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
        self._time_limit = time_limit
        self._server = start_server()
        self._loading = threading.Lock()

    def load(self) -> None:
        """Load the plugin as it is now; a version that does not load leaves the last good one in place."""
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
                    self.plugin = fresh
                    if before is not None:
                        before.close()
                else:
                    fresh.close()
            self.version += 1

    def close(self) -> None:
        """End every child process."""
        with self._loading:
            if self.plugin is not None:
                self.plugin.close()
                self.plugin = None
            self._server.close()


def _find_problem(plugin: LoadedPlugin) -> Problem | None:
    report, failure = plugin.inspection["report"], plugin.inspection["failure"]
    if report["status"] not in ("failed", "unsupported"):
        return None
    place = failure["place"] if failure else None
    message = report["error"] or "; ".join(report["warnings"]) or f"the host says: {report['status']}"
    return Problem(message, f"{place['file']}:{place['line']}" if place else "", failure["fix"] if failure else "")
