"""Loading one plugin in a child process and bringing back what a host gets from it."""

from __future__ import annotations

import json
import os
import sys
import tempfile
from pathlib import Path
from typing import Any, TypedDict

from hermes_sdk import contract, manifest
from hermes_sdk.errors import HermesSdkError, UsageError
from hermes_sdk.home import Home
from hermes_sdk.hosts import process
from hermes_sdk.hosts.base import PROVIDER_CATEGORIES, EntryPoint, Host, HostExited, HostKind, Report
from hermes_sdk.hosts.stage import stage
from hermes_sdk.manifest import Located

TIME_LIMIT = 30.0

_CHILD = "import sys; sys.path[:] = {path!r}; from hermes_sdk.hosts.embedded.child import main; main()"


class CallableFacts(TypedDict):
    """Where a handler or callback stands in the plugin's source, and what it accepts."""

    file: str | None
    line: int | None
    name: str
    accepts_var_keyword: bool
    is_coroutine: bool
    parameters: list[str]


class Registration(TypedDict):
    """One ``ctx.register_*`` call of a plugin; `file` is relative to the plugin."""

    call: str
    name: str
    file: str | None
    line: int | None
    callable: CallableFacts | None
    schema: Any
    toolset: str | None
    is_async: bool


class Inspection(TypedDict):
    """What a plugin gives to the embedded host, call by call."""

    report: Report
    registrations: list[Registration]


def show(
    path: Path | None,
    *,
    host: HostKind = "embedded",
    release: str = contract.DEFAULT,
    entry_point: EntryPoint | None = None,
    time_limit: float = TIME_LIMIT,
) -> Report:
    """Load one plugin in a child process and report what a host gets from it.

    The child has a scrubbed environment, a temporary HOME and HERMES_HOME, and reaches loopback addresses only.

    Args:
        path: A plugin directory or a project that holds one. It is copied; None for an entry point.
        host: ``"embedded"`` or ``"real"``.
        release: A release of Hermes Agent, or ``"documented"`` (embedded only).
        entry_point: An installed plugin, instead of a path.
        time_limit: Seconds after which the child is killed.

    Raises:
        UsageError: There is no plugin at the path, or the release is not known.
        UnavailableError: The real host of that release cannot be made here.
        HostExited: The plugin ended the host.
        HermesSdkError: The plugin took longer than the time limit.
    """
    contract.load(release)
    with _Stage(path, entry_point) as staged:
        if host == "embedded":
            report: Report = staged.ask_embedded(release, time_limit)["report"]
        else:
            report = staged.ask_real(release)
        return staged.placed(report)


def inspect_plugin(path: Path, *, release: str = contract.DEFAULT, time_limit: float = TIME_LIMIT) -> Inspection:
    """Load one plugin on the embedded host as `show` does, and note each of its ``ctx.register_*`` calls.

    Raises:
        UsageError: There is no plugin at the path, or the release is not known.
        HostExited: The plugin ended the host.
        HermesSdkError: The plugin took longer than the time limit.
    """
    contract.load(release)
    with _Stage(path, None) as staged:
        answer = staged.ask_embedded(release, time_limit)
        return {"report": staged.placed(answer["report"]), "registrations": answer["registrations"]}


class _Stage:
    """A temporary home with one plugin in it."""

    def __init__(self, path: Path | None, entry_point: EntryPoint | None) -> None:
        self._path = path
        self._entry_point = entry_point
        self._located: Located | None = manifest.locate(path) if path is not None else None
        self._directory = tempfile.TemporaryDirectory(prefix="hermes-sdk-", ignore_cleanup_errors=True)
        self._home = Home.temporary()

    def __enter__(self) -> _Stage:
        if self._located is not None:
            self.key = stage(self._located, self._home)
        elif self._entry_point is not None:
            self.key = self._entry_point.name
            self._home.enable(self.key)
        return self

    def __exit__(self, *_: object) -> None:
        self._home.close()
        self._directory.cleanup()

    def ask_embedded(self, release: str, time_limit: float) -> Any:
        scratch = Path(self._directory.name)
        request = {
            "home": str(self._home.path),
            "release": release,
            "key": self.key,
            "entry_points": [self._entry_point] if self._entry_point else [],
            "project": str(self._located.project) if self._located else None,
        }
        code = _CHILD.format(path=[entry or str(Path.cwd()) for entry in sys.path])
        finished = process.run(
            [sys.executable, "-I", "-c", code],
            environment=process.child_environment(scratch, scratch, {"HERMES_HOME": str(self._home.path)}),
            cwd=scratch,
            time_limit=time_limit,
            request=request,
        )
        if finished.ended == "time limit":
            raise HermesSdkError(
                f"plugin '{self.key}' was not loaded within {time_limit:g} s.",
                fix="Look for a loop, a wait or a network call at import or in register().",
            )
        if finished.ended != "answered":
            raise HostExited(f"plugin '{self.key}'", finished.status)
        return self._checked(finished.value)

    def _checked(self, answer: Any) -> Any:
        if "exited" in answer:
            raise HostExited(f"plugin '{self.key}'", answer["exited"])
        return answer

    def ask_real(self, release: str) -> Report:
        from hermes_sdk.hosts.real.environments import overlay, requirements
        from hermes_sdk.hosts.real.host import RealHost

        wanted = requirements(self._located) if self._located else ()
        entry_points = [self._entry_point] if self._entry_point else []
        with RealHost(self._home, release, pythonpath=overlay(release, wanted), entry_points=entry_points) as host:
            return report_of(host, self.key)

    def placed(self, report: Report) -> Report:
        """Say where the plugin is, relative to the path that was asked for."""
        if self._located is not None and self._path is not None:
            report["plugin"]["path"] = Path(os.path.relpath(self._located.directory, self._path)).as_posix()
        return report


def report_of(host: Host, key: str) -> Report:
    """The report of a plugin, also of one whose manifest the host could not read and so has no record of."""
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


def to_json(report: Report) -> str:
    """A report as JSON text."""
    return json.dumps(report, indent=2, ensure_ascii=False)
