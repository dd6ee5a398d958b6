"""Parent process of an inspection: prepare a home, and start the child that loads the plugin."""

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
from hermes_sdk.hosts.processes.answers import has_shape, invalid_answer
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
    """Load one plugin in a child process, and report what it registers.

    The child has a scrubbed environment, a temporary HOME and HERMES_HOME, and all layers of
    `hosts.processes.isolation` that the machine supports: it can connect only to loopback addresses, and cannot change
    other files.

    Args:
        path: A plugin directory, a project with a plugin, a gateway event hook, or a core-tool file, which is copied.
            None for an installed plugin.
        host: ``"embedded"`` or ``"real"``.
        release: A release of Hermes Agent. Default: the default release of the host.
        installed: The entry point of an installed plugin, instead of a path.
        install: Whether to install the plugin's missing requirements, as wheels, for a real host.
        time_limit: Seconds after which the child is killed.
        form: See `manifest.locate`.
        plugin: See `manifest.locate`.

    Raises:
        UsageError: There is no plugin at the path, or the release is not known.
        UnavailableError: The real host of that release cannot be created here.
        HostExited: The plugin ended its process, with ``sys.exit`` or otherwise.
        HermesSdkError: The plugin timed out, was killed, or raised an exception that no host catches.
    """
    release = release or default_release(host)
    located = manifest.locate(path, form, plugin) if path is not None else None
    with stage_plugin(located, installed, host, release, may_install=install) as staged:
        if host == "embedded":
            report = staged.ask_child(time_limit, ())["report"]
        else:
            with staged.open_real(time_limit, ()) as opened:
                report = staged.require(report_plugin(opened, staged.key), Report)
        return staged.set_path(report, path)


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
    """Load one plugin as `show` does, and record each of its ``ctx.register_*`` calls.

    Args:
        full_isolation: Whether to fail instead of running plugin code if a layer of the isolation is missing.
        in_fork: Whether to fork this process for an embedded host instead of starting a new Python; this process must
            not have other threads.
        form: See `manifest.locate`.
        plugin: See `manifest.locate`.

    Raises:
        UnavailableError: The real host of that release cannot be created here, or a required layer is missing.
        HermesSdkError: See `show`.
    """
    required = isolation.FULL if full_isolation else ()
    with stage_plugin(manifest.locate(path, form, plugin), None, host, release) as staged:
        if host == "embedded":
            inspection = staged.ask_child(time_limit, required, in_fork=in_fork)
        else:
            inspection = staged.inspect_real(time_limit, required)
        return {**inspection, "report": staged.set_path(inspection["report"], path)}


def inspect_on(
    choice: HostChoice, path: Path, *, release: str, form: Form | None = None, plugin: str = "", **options: Any
) -> Ran[Inspection]:
    """Inspect one plugin on the chosen host; see `inspect_plugin` for the options.

    Raises:
        HermesSdkError: See `inspect_plugin` and `run_on_host`.
    """
    return run_on_host(
        choice,
        release,
        lambda kind, on: inspect_plugin(path, host=kind, release=on, form=form, plugin=plugin, **options),
        lambda found: list_unsupported_in(found["report"]),
        [manifest.locate(path, form, plugin)],
    )


def prepare() -> None:
    """Start the fork server for embedded hosts, without waiting for it."""
    fork_server.prepare(_CHILD)


@dataclass(frozen=True)
class StagedPlugin:
    """A plugin in a temporary home.

    `located` is None for an installed plugin. `scratch` is the child's directory for temporary files.
    """

    staged: StagedHome
    key: str
    located: Located | None
    scratch: Path

    def open_real(self, time_limit: float, required: Sequence[str]) -> RealHost:
        """Open the real host in isolation.

        Raises:
            UnavailableError: A required layer of the isolation is missing.
        """
        from hermes_sdk.hosts.real.host import Isolated, RealHost

        staged = self.staged
        return RealHost(
            staged.home,
            staged.release,
            pythonpath=staged.pythonpath,
            entry_points=staged.entry_points,
            isolated=Isolated(time_limit, tuple(required), self._list_readable()),
        )

    def inspect_real(self, time_limit: float, required: Sequence[str]) -> Inspection:
        """Load the plugin on the real host, and return its report and registrations."""
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
        """Return the request for the child that opens the host."""
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
        """Return the child's environment variables."""
        return process.child_environment(self.scratch, self.scratch, {"HERMES_HOME": str(self.staged.home.path)})

    def describe_isolation(
        self, seconds: float, required: Sequence[str] = (), readable: Sequence[str] = ()
    ) -> Isolated:
        """Return the isolation of the child."""
        writable = [str(self.staged.home.path), str(self.scratch)]
        return Isolated(writable, seconds, required, [*self._list_readable(), *readable])

    def ask_child(self, time_limit: float, required: Sequence[str], *, in_fork: bool = False) -> Inspection:
        """Load the plugin on the embedded host in a child process, and return the child's answer.

        Raises:
            UnavailableError: A required layer of the isolation is missing.
            HermesSdkError: The child's answer is missing or invalid.
        """
        request = self.request()
        options: dict[str, Any] = {
            "environment": self.environment(),
            "cwd": self.scratch,
            "time_limit": time_limit,
            "isolated": self.describe_isolation(time_limit, required),
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
        """Check that a value from the child has the expected type, and return it.

        Raises:
            HermesSdkError: The value does not have the expected type.
        """
        if not has_shape(value, expected):
            raise invalid_answer(f"not a valid {expected.__name__.lower()}")
        return value

    def folder(self, path: Path) -> str:
        """Return the prefix that makes the plugin's files relative to the path that the user passed."""
        if self.located is None:
            return ""
        relative = os.path.relpath(self.located.directory, path if path.is_dir() else path.parent)
        return "" if relative == "." else f"{Path(relative).as_posix()}/"

    def _list_readable(self) -> list[str]:
        """Return the paths of the plugin and its packages, including the targets of links."""
        project = [self.located.project] if self.located else []
        # List these files separately, because a project that is the user's home is not readable as a whole.
        project += [folder / name for folder in project for name in ("pyproject.toml", "requirements.txt")]
        linked = [path for folder in self.staged.pythonpath for path in folder.iterdir() if path.is_symlink()]
        return [str(path) for path in (*project, *self.staged.pythonpath, *linked)]

    def _own_package(self) -> dict[str, str]:
        """Return the copy of a bundled plugin by its module name in Hermes; empty for other plugins."""
        name = find_bundled_name(self.located.path) if self.located else None
        return {name: str(self.staged.home.path / "plugins" / self.key)} if name else {}

    def set_path(self, report: Report, path: Path | None) -> Report:
        """Make the plugin's path in a report relative to the path that the user passed."""
        if path is not None and self.located is not None and self.located.form == "directory":
            base = path if path.is_dir() else path.parent
            report["plugin"]["path"] = Path(os.path.relpath(self.located.path, base)).as_posix()
        return report


@contextmanager
def stage_plugin(
    located: Located | None, installed: EntryPoint | None, kind: HostKind, release: str, *, may_install: bool = False
) -> Generator[StagedPlugin]:
    """Put a plugin into a temporary home, and delete the home at the end of the context."""
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
    """Create the error for a process that ended without an answer, for example with ``os._exit``.

    Args:
        who: The code that was running.
        status: The exit status, negative for a signal.
        printed: The output of the process.
    """
    printed = printed[-_TAIL:].strip()
    if status >= 0:
        return HostExited(who, status, printed)
    ending = f" It had printed:\n{printed}" if printed else ""
    return HermesSdkError(f"{who} ended the host with signal {-status}.{ending}")


def make_late_error(key: str, time_limit: float, where: str = "") -> HermesSdkError:
    """Create the error for a plugin whose load timed out."""
    return HermesSdkError(
        f"plugin '{key}' did not load within {time_limit:g} s.",
        where=where,
        fix="Look for a loop, a wait or a network call that runs at import or in register().",
    )
