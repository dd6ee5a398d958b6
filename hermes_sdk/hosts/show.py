"""Loading one plugin in a child process and bringing back what a host gets from it."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable, Generator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from hermes_sdk import contract, manifest
from hermes_sdk.errors import HermesSdkError, UnavailableError, UsageError
from hermes_sdk.home import Home
from hermes_sdk.hosts import open_host
from hermes_sdk.hosts.interface import PROVIDER_CATEGORIES, Host, HostExited, HostKind, Inspection, Report
from hermes_sdk.hosts.sandbox import isolation, process
from hermes_sdk.hosts.sandbox.process import Finished
from hermes_sdk.hosts.staging.event_hooks import hook_report
from hermes_sdk.hosts.staging.plugin_home import borrowed, entry_point, importable, stage
from hermes_sdk.manifest import EntryPoint, Located

TIME_LIMIT = 30.0
_TAIL = 2000

Launch = Callable[..., Finished]
"""Takes a request, and by keyword ``environment``, ``cwd`` and ``time_limit``, as `process.run` does."""


def show(
    path: Path | None,
    *,
    host: HostKind = "embedded",
    release: str = contract.DEFAULT,
    installed: EntryPoint | None = None,
    time_limit: float = TIME_LIMIT,
) -> Report:
    """Load one plugin in a child process and report what a host gets from it.

    The child has a scrubbed environment, a temporary HOME and HERMES_HOME, and reaches loopback addresses only.

    Args:
        path: A plugin directory, a project that holds one, a gateway event hook, or a core-tool file; all are copied.
            None for an installed plugin.
        host: ``"embedded"`` or ``"real"``.
        release: A release of Hermes Agent, or ``"documented"`` (embedded only).
        installed: The entry point of an installed plugin, instead of a path.
        time_limit: Seconds after which the child is killed.

    Raises:
        UsageError: There is no plugin at the path, or the release is not known.
        UnavailableError: The real host of that release cannot be made here.
        HostExited: The plugin ended its process, with ``sys.exit`` or otherwise.
        HermesSdkError: The plugin took longer than the time limit, was killed, or raised what no host catches.
    """
    with _staged(path, installed) as staged:
        if host == "embedded":
            contract.load(release)
            report: Report = staged.ask_embedded(release, time_limit)["report"]
        else:
            report = staged.ask_real(release)
        return staged.placed(report, path)


def inspect_plugin(
    path: Path,
    *,
    release: str = contract.DEFAULT,
    time_limit: float = TIME_LIMIT,
    full_isolation: bool = False,
    launch: Launch | None = None,
) -> Inspection:
    """Load one plugin on the embedded host as `show` does, and note each of its ``ctx.register_*`` calls.

    The child enters every layer of `hosts.isolation` that the machine has.

    Args:
        path: A plugin directory, a project that holds one, a gateway event hook, or a core-tool file; all are copied.
        release: A release of Hermes Agent, or ``"documented"``.
        time_limit: Seconds after which the child is killed.
        full_isolation: Whether to run no code of the plugin when a layer is missing.
        launch: Gives a request to `hosts.embedded.child.answer` in a child process. Default: that of a fresh Python.

    Raises:
        UsageError: There is no plugin at the path, or the release is not known.
        UnavailableError: A layer of the isolation is missing that was asked for.
        HostExited: The plugin ended its process, with ``sys.exit`` or otherwise.
        HermesSdkError: The plugin took longer than the time limit, was killed, or raised what no host catches.
    """
    contract.load(release)
    with _staged(path, None) as staged:
        required = list(isolation.FULL) if full_isolation else []
        isolated = {"seconds": time_limit, "required": required}
        answer = staged.ask_embedded(release, time_limit, isolated, launch)
        if "missing" in answer:
            raise UnavailableError(
                f"this machine cannot isolate the plugin fully; missing: {', '.join(answer['missing'])}.",
                fix="Run the check on Linux 6.7 or newer that allows user namespaces, or without --require-isolation.",
            )
        return {
            "report": staged.placed(answer["report"], path),
            "registrations": answer["registrations"],
            "error_place": answer["error_place"],
            "isolation": answer["isolation"],
        }


@dataclass(frozen=True)
class _Staged:
    """A plugin in a temporary home.

    Attributes:
        home: The home.
        scratch: A directory for the process that loads the plugin.
        key: The key of the plugin.
        located: Where it came from; None for one that is installed.
        alone: The entry point that the host has to be told of; None when the home holds the plugin.
    """

    home: Home
    scratch: Path
    key: str
    located: Located | None
    alone: EntryPoint | None

    @property
    def _entry_points(self) -> list[EntryPoint]:
        return [self.alone] if self.alone else []

    def ask_embedded(
        self, release: str, time_limit: float, isolated: dict[str, Any] | None = None, launch: Launch | None = None
    ) -> Any:
        request = {
            "home": str(self.home.path),
            "release": release,
            "key": self.key,
            "pythonpath": [str(entry) for entry in self._importable("embedded", release)],
            "entry_points": self._entry_points,
            "project": str(self.located.project) if self.located else None,
            "isolated": isolated and {**isolated, "writable": [str(self.home.path), str(self.scratch)]},
        }
        finished = (launch or _launch)(
            request,
            environment=process.child_environment(self.scratch, self.scratch, {"HERMES_HOME": str(self.home.path)}),
            cwd=self.scratch,
            time_limit=time_limit,
        )
        if finished.ended == "time limit":
            raise HermesSdkError(
                f"plugin '{self.key}' was not loaded within {time_limit:g} s.",
                fix="Look for a loop, a wait or a network call at import or in register().",
            )
        if finished.ended != "answered":
            raise _died(self.key, finished)
        if "exited" in finished.value:
            raise HostExited(f"plugin '{self.key}'", finished.value["exited"])
        if "failed" in finished.value:
            raise HermesSdkError(finished.value["failed"])
        return finished.value

    def ask_real(self, release: str) -> Report:
        path = self._importable("real", release)
        with open_host("real", release, self.home, pythonpath=path, entry_points=self._entry_points) as host:
            return report_of(host, self.key)

    def _importable(self, host: HostKind, release: str) -> tuple[Path, ...]:
        if self.located is not None:
            return importable(self.located, host, release)
        if host == "embedded" or self.alone is None:
            return ()
        folder = self.scratch / "installed"
        folder.mkdir()
        return borrowed(self.alone, folder, release)

    def placed(self, report: Report, path: Path | None) -> Report:
        """Say where the plugin is, relative to the path that was asked for."""
        if path is not None and self.located is not None and self.alone is None:
            base = path if path.is_dir() else path.parent
            place = self.located.core_tool or self.located.directory
            report["plugin"]["path"] = Path(os.path.relpath(place, base)).as_posix()
        return report


@contextmanager
def _staged(path: Path | None, installed: EntryPoint | None) -> Generator[_Staged]:
    located = manifest.locate(path) if path is not None else None
    alone = entry_point(located) if located else installed
    with (
        Home.temporary() as home,
        tempfile.TemporaryDirectory(prefix="hermes-sdk-", ignore_cleanup_errors=True) as scratch,
    ):
        if located is not None:
            key = stage(located, home)
        elif alone is not None:
            key = alone.name
            home.enable(key)
        else:
            raise UsageError("There is neither a path nor an entry point.", fix="Give one of them.")
        yield _Staged(home, Path(scratch), key, located, alone)


def _launch(request: Any, *, environment: Mapping[str, str], cwd: Path, time_limit: float) -> Finished:
    command = process.python_command("hermes_sdk.hosts.embedded.inspection.child")
    return process.run(command, environment=environment, cwd=cwd, time_limit=time_limit, request=request)


def _died(key: str, finished: Finished) -> HermesSdkError:
    """The error for a process that ended without an answer, as it does after ``os._exit``."""
    printed = finished.stderr[-_TAIL:].strip()
    if finished.ended == "exited":
        return HostExited(f"plugin '{key}'", finished.status, printed)
    return HermesSdkError(
        f"plugin '{key}' ended the host: it was killed by signal {finished.status}."
        + (f" It had printed:\n{printed}" if printed else "")
    )


def report_of(host: Host, key: str) -> Report:
    """The report of a plugin, also of one whose manifest the host could not read and so has no record of.

    That of an event hook, which no plugin manager knows, is what the gateway says when it starts.
    """
    if (host.home / "hooks" / key).is_dir():
        return hook_report(host, unread(host.kind, host.release, key, []))
    try:
        return host.report(key)
    except UsageError:
        texts = [one.message for one in host.log if one.level == "WARNING"]
        warnings = [text.replace(str(host.home), "$HERMES_HOME") for text in texts]
        return unread(host.kind, host.release, key, warnings)


def unread(kind: HostKind, release: str, key: str, warnings: list[str]) -> Report:
    """The report of a plugin of which the host only says that its manifest cannot be read (A21)."""
    return Report(
        schema="hermes-sdk.show/1",
        host=kind,
        release=release,
        plugin={"key": key, "name": key, "kind": "", "source": "user", "version": "", "path": "", "manifest": {}},
        status="failed",
        error=next((text for text in warnings if text.startswith("Failed to parse")), None),
        tools=[],
        hooks=[],
        middleware=[],
        commands=[],
        cli_commands=[],
        skills=[],
        platforms=[],
        context_engine=None,
        memory_provider=None,
        providers={category: [] for category in PROVIDER_CATEGORIES},
        model_providers=[],
        auxiliary_tasks=[],
        slack_action_handlers=[],
        gateway_hooks=[],
        missing_imports=[],
        warnings=warnings,
    )
