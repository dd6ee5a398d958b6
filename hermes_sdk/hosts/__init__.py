"""Hosts that run plugins: `embedded` (our model of Hermes) and `real` (an installed hermes-agent).

Both implement `interface.Host`. `open_host` opens a host on a home, and `staging` prepares the home of a plugin. The
layers above use these and `inspection`, but not the hosts directly. The package must not import `traces` or layers
above it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from hermes_sdk import contract

if TYPE_CHECKING:
    from hermes_sdk.home import Home
    from hermes_sdk.hosts.interface import Host, HostKind
    from hermes_sdk.hosts.interface.values import Observed
    from hermes_sdk.manifest import EntryPoint


def default_release(kind: HostKind) -> str:
    """Return the default release of a host.

    For the embedded host, it is `contract.DEFAULT`; for the real host, the user's own Hermes or, without one, the
    newest real host on this machine.
    """
    if kind == "embedded":
        return contract.DEFAULT
    from hermes_sdk.hosts.environments import find_newest_release
    from hermes_sdk.hosts.installed import find_own

    return find_own() or find_newest_release()


def observe_command(command: Sequence[str], *, python: Path | None = None, http: bool = False) -> Observed:
    """Run a ``hermes …`` command of the user in this terminal, and record its host and plugins.

    The recording does not change the home, and does not cover other processes.

    Args:
        command: The program (a name on PATH, or a path) and its arguments; with `python`, only the arguments of Hermes.
        python: The Python of the Hermes to run.
        http: Whether to also record the HTTP requests that plugins make in their callbacks.

    Raises:
        UsageError: The program does not exist.
    """
    from hermes_sdk.hosts.real.attached_process import run

    return run(command, python=python, http=http)


def open_host(
    kind: HostKind,
    release: str,
    home: Home,
    *,
    cwd: Path | None = None,
    pythonpath: Sequence[Path] = (),
    entry_points: Sequence[EntryPoint] = (),
    environment: Mapping[str, str] | None = None,
    accept_hooks: bool = False,
    stateless: bool = False,
    record: bool = False,
) -> Host:
    """Start a host on a home and let it discover its plugins.

    Args:
        kind: ``"embedded"`` or ``"real"``.
        release: A release of Hermes Agent such as ``"0.19.0"``.
        home: The HERMES_HOME, which enables the plugins to load.
        cwd: The working directory of the host, which is searched for project plugins. Default: the home.
        pythonpath: Directories that the host sees as installed packages, including their entry points.
        entry_points: Additional entry points of the group ``hermes_agent.plugins``.
        environment: Variables to set in the host's process.
        accept_hooks: Whether to allow all shell hooks of the configuration, as ``--accept-hooks`` does; they are added
            to the home's allowlist.
        stateless: Whether delegated tasks end within the turn, as in clients that cannot receive their results later.
        record: Whether to record calls for `Host.events`.

    Returns:
        A running host. Close it, or use it as a context manager.

    Raises:
        UsageError: The release is not known, or the embedded host does not model it.
        UnavailableError: The real host of that release cannot be created here.
    """
    host: type[EmbeddedHost] | type[RealHost]
    if kind == "embedded":
        from hermes_sdk.hosts.embedded.host import EmbeddedHost

        contract.load_modelled(release)
        host = EmbeddedHost
    else:
        from hermes_sdk.hosts.real.host import RealHost

        host = RealHost
    return host(
        home,
        release,
        cwd=cwd,
        pythonpath=pythonpath,
        entry_points=entry_points,
        environment=environment,
        accept_hooks=accept_hooks,
        stateless=stateless,
        record=record,
    )
