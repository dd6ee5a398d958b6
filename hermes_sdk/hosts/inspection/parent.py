"""The process that asks for an inspection: it prepares a home and starts the child that loads the plugin."""

from __future__ import annotations

import os
from collections.abc import Generator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar, cast

from hermes_sdk import contract, manifest
from hermes_sdk.errors import HermesSdkError, UsageError
from hermes_sdk.home import Home
from hermes_sdk.hosts import default_release
from hermes_sdk.hosts.bundled_plugins import find_bundled_name
from hermes_sdk.hosts.dependencies import list_declared
from hermes_sdk.hosts.inspection.plugin_reports import describe_failure, report_plugin
from hermes_sdk.hosts.interface import HostExited, HostKind, Inspection, NotSupported, Report
from hermes_sdk.hosts.processes import fork_server, isolation, process
from hermes_sdk.hosts.processes.answers import forged, has_shape
from hermes_sdk.hosts.processes.process import Isolated
from hermes_sdk.hosts.staging import HostChoice, Ran, StagedHome, list_unsupported_in, run_on_host
from hermes_sdk.journal import scratch_directory
from hermes_sdk.manifest import EntryPoint, Form, Located

if TYPE_CHECKING:
    from hermes_sdk.hosts.real.host import RealHost

TIME_LIMIT = 30.0

_TAIL = 2000
_CHILD = "hermes_sdk.hosts.inspection.child"

T = TypeVar("T")


def show(
    path: Path | None,
    *,
    host: HostKind = "embedded",
    release: str | None = None,
    installed: EntryPoint | None = None,
    install: bool = False,
    time_limit: float = TIME_LIMIT,
    form: Form | None = None,
    plugin: str = "",
) -> Report:
    """Load one plugin in a child process and report what a host gets from it.

    The child has a scrubbed environment, a temporary HOME and HERMES_HOME, and enters every layer of
    `hosts.processes.isolation` that the machine has: it reaches loopback addresses only, and changes no other files.

    Args:
        path: A plugin directory, a project that holds one, a gateway event hook, or a core-tool file; all are copied.
            None for an installed plugin.
        host: ``"embedded"`` or ``"real"``.
        release: A release of Hermes Agent. Default: that of the host.
        installed: The entry point of an installed plugin, instead of a path.
        install: Whether to install what the plugin requires, as wheels, for a real host that lacks it.
        time_limit: Seconds after which the child is killed.
        form: As in `manifest.locate`.
        plugin: As in `manifest.locate`.

    Raises:
        UsageError: There is no plugin at the path, or the release is not known.
        UnavailableError: The real host of that release cannot be made here.
        HostExited: The plugin ended its process, with ``sys.exit`` or otherwise.
        HermesSdkError: The plugin took longer than the time limit, was killed, or raised what no host catches.
    """
    release = release or default_release(host)
    located = manifest.locate(path, form, plugin) if path is not None else None
    with stage_plugin(located, installed, host, release, may_install=install) as staged:
        if host == "embedded":
            report = staged.ask_child(time_limit, ())["report"]
        else:
            with staged.open_real(time_limit, ()) as opened:
                report = staged.require(report_plugin(opened, staged.key), Report)
        return staged.place(report, path)


def inspect_plugin(
    path: Path,
    *,
    host: HostKind = "embedded",
    release: str = contract.DEFAULT,
    time_limit: float = TIME_LIMIT,
    full_isolation: bool = False,
    in_fork: bool = False,
    form: Form | None = None,
    plugin: str = "",
) -> Inspection:
    """Load one plugin as `show` does, and note each of its ``ctx.register_*`` calls.

    The child enters every layer of `hosts.processes.isolation` that the machine has.

    Args:
        full_isolation: Whether to run no code of the plugin when a layer is missing.
        in_fork: Whether the child of an embedded host is a fork of this process, which may have no other thread, and
            not a fresh Python.
        form: As in `manifest.locate`.
        plugin: As in `manifest.locate`.

    Raises:
        UnavailableError: The real host of that release cannot be made here, or a required layer is missing.
        HermesSdkError: As in `show`.
    """
    required = isolation.FULL if full_isolation else ()
    with stage_plugin(manifest.locate(path, form, plugin), None, host, release) as staged:
        if host == "embedded":
            inspection = staged.ask_child(time_limit, required, in_fork=in_fork)
        else:
            inspection = staged.inspect_real(time_limit, required)
        return {**inspection, "report": staged.place(inspection["report"], path)}


def inspect_on(
    choice: HostChoice, path: Path, *, release: str, form: Form | None = None, plugin: str = "", **options: Any
) -> Ran[Inspection]:
    """Inspect one plugin on the host that was chosen; the options are those of `inspect_plugin`.

    Raises:
        HermesSdkError: As in `inspect_plugin` and `run_on_host`.
    """
    return run_on_host(
        choice,
        release,
        lambda kind, on: inspect_plugin(path, host=kind, release=on, form=form, plugin=plugin, **options),
        lambda found: list_unsupported_in(found["report"]),
        [manifest.locate(path, form, plugin)],
    )


def prepare() -> None:
    """Start the process in whose forks the embedded host loads plugins, without waiting for it."""
    fork_server.prepare(_CHILD)


@dataclass(frozen=True)
class StagedPlugin:
    """A plugin in a temporary home; `located` is None for an installed one, `scratch` is a directory for the child."""

    staged: StagedHome
    key: str
    located: Located | None
    scratch: Path

    def open_real(self, time_limit: float, required: Sequence[str]) -> RealHost:
        """Open the real host behind the layers of the machine, or fail for lack of a required one."""
        from hermes_sdk.hosts.real.host import Isolated, RealHost

        staged = self.staged
        return RealHost(
            staged.home,
            staged.release,
            pythonpath=staged.pythonpath,
            entry_points=staged.entry_points,
            isolated=Isolated(time_limit, tuple(required), self._readable()),
        )

    def inspect_real(self, time_limit: float, required: Sequence[str]) -> Inspection:
        """Load the plugin on the real host, and return what that got."""
        with self.open_real(time_limit, required) as host:
            report = report_plugin(host, self.key)
            inspection: Inspection = {
                "report": report,
                "registrations": host.registrations(),
                "failure": describe_failure(host, report),
                "isolation": list(host.isolation),
            }
        return self.require(inspection, Inspection)

    def request(self) -> dict[str, Any]:
        """Return what the child that opens the host has to know."""
        return {
            "home": str(self.staged.home.path),
            "release": self.staged.release,
            "key": self.key,
            "pythonpath": [str(entry) for entry in self.staged.pythonpath],
            "entry_points": self.staged.entry_points,
            "own": self._own_package(),
            "requirements": list_declared(self.located) if self.located else [],
        }

    def environment(self) -> dict[str, str]:
        """Return the variables of the child."""
        return process.child_environment(self.scratch, self.scratch, {"HERMES_HOME": str(self.staged.home.path)})

    def isolated(self, seconds: float, required: Sequence[str] = (), readable: Sequence[str] = ()) -> Isolated:
        """Return how to isolate the child."""
        writable = [str(self.staged.home.path), str(self.scratch)]
        return Isolated(writable, seconds, required, [*self._readable(), *readable])

    def ask_child(self, time_limit: float, required: Sequence[str], *, in_fork: bool = False) -> Inspection:
        """Let a child load the plugin on the embedded host, and return its answer.

        Raises:
            UnavailableError: A required layer of the isolation is missing.
            HermesSdkError: Its answer is missing or invalid.
        """
        request = self.request()
        options: dict[str, Any] = {
            "environment": self.environment(),
            "cwd": self.scratch,
            "time_limit": time_limit,
            "isolated": self.isolated(time_limit, required),
        }
        if in_fork:
            from hermes_sdk.hosts.inspection.child import answer
            from hermes_sdk.hosts.processes import fork

            finished = fork.run(answer, request, **options)
        else:
            finished = fork_server.run(_CHILD, request, **options)
        if finished.ended == "time limit":
            raise make_late_error(self.key, time_limit)
        if finished.ended != "answered":
            status = finished.status if finished.ended == "exited" else -finished.status
            raise make_exit_error(f"plugin '{self.key}'", status, finished.stderr)
        match finished.value:
            case {"exited": status}:
                raise HostExited(f"plugin '{self.key}'", status)
            case {"failed": str(message)}:
                raise HermesSdkError(message)
            case {"refused": str(action), "fix": str(fix)}:
                raise NotSupported(action, "embedded", fix)
            case {**fields}:
                return self.require(cast("Inspection", {**fields, "isolation": list(finished.layers)}), Inspection)
            case other:
                return self.require(cast("Inspection", other), Inspection)

    def require(self, value: T, expected: type[T]) -> T:
        """Return a value that the child sent.

        Raises:
            HermesSdkError: It does not have the expected shape.
        """
        if not has_shape(value, expected):
            raise forged(f"not a valid {expected.__name__.lower()}")
        return value

    def folder(self, path: Path) -> str:
        """Return the directory of the plugin relative to the path that was asked for, to put before a file's name."""
        if self.located is None:
            return ""
        found = os.path.relpath(self.located.directory, path if path.is_dir() else path.parent)
        return "" if found == "." else f"{Path(found).as_posix()}/"

    def _readable(self) -> list[str]:
        """Return where the plugin and its packages are, behind links too."""
        project = [self.located.project] if self.located else []
        # Named for themselves, for a project that is the home, which cannot be read as a whole.
        project += [folder / name for folder in project for name in ("pyproject.toml", "requirements.txt")]
        linked = [path for folder in self.staged.pythonpath for path in folder.iterdir() if path.is_symlink()]
        return [str(path) for path in (*project, *self.staged.pythonpath, *linked)]

    def _own_package(self) -> dict[str, str]:
        """Return where the copy of a plugin is that comes with Hermes, by its name there."""
        name = find_bundled_name(self.located.path) if self.located else None
        return {name: str(self.staged.home.path / "plugins" / self.key)} if name else {}

    def place(self, report: Report, path: Path | None) -> Report:
        """Set where the plugin is, relative to the path that was asked for."""
        if path is not None and self.located is not None and self.located.form == "directory":
            base = path if path.is_dir() else path.parent
            report["plugin"]["path"] = Path(os.path.relpath(self.located.path, base)).as_posix()
        return report


@contextmanager
def stage_plugin(
    located: Located | None, installed: EntryPoint | None, kind: HostKind, release: str, *, may_install: bool = False
) -> Generator[StagedPlugin]:
    """Put a plugin into a temporary home, for the time of the context."""
    with (
        scratch_directory("hermes-home-") as folder,
        Home.temporary(folder) as home,
        scratch_directory() as scratch,
    ):
        staged = StagedHome(home, kind, release, may_install=may_install)
        if located is not None:
            key = staged.add(located)
        elif installed is not None:
            key = staged.add_installed(installed, scratch / "installed")
        else:
            raise UsageError("Neither a path nor an entry point was given.", fix="Pass one of them.")
        yield StagedPlugin(staged, key, located, scratch)


def make_exit_error(who: str, status: int, printed: str) -> HermesSdkError:
    """Make the error for a process that ended without an answer, as it does after ``os._exit``.

    Args:
        who: What was running.
        status: The exit status, negative for a signal.
    """
    printed = printed[-_TAIL:].strip()
    if status >= 0:
        return HostExited(who, status, printed)
    ending = f" It had printed:\n{printed}" if printed else ""
    return HermesSdkError(f"{who} ended the host with signal {-status}.{ending}")


def make_late_error(key: str, time_limit: float, where: str = "") -> HermesSdkError:
    """Make the error for a plugin that takes too long to load."""
    return HermesSdkError(
        f"plugin '{key}' did not load within {time_limit:g} s.",
        where=where,
        fix="Look for a loop, a wait or a network call that runs at import or in register().",
    )
