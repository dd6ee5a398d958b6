"""The hosts that run a plugin: `embedded` (our model of Hermes) and `real` (an installed hermes-agent).

Both implement `interface.Host`. `open_host` opens one on a home; `staging` makes the home for a plugin. The layers
above use these and `inspection`, and never the hosts themselves. Must not import `traces` or anything above.
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
    """Return the release to run on when none is named: `contract.DEFAULT`, or for the real host the user's own Hermes.

    Without one it is the newest real host at hand.
    """
    if kind == "embedded":
        return contract.DEFAULT
    from hermes_sdk.hosts.environments import newest_at_hand
    from hermes_sdk.hosts.installed import find_own

    return find_own() or newest_at_hand()


def observe_command(command: Sequence[str], *, python: Path | None = None, http: bool = False) -> Observed:
    """Run a ``hermes …`` command of the user with this terminal, and return what its host and its plugins did.

    Its home is not changed, and other processes are not observed.

    Args:
        command: The program, a name on PATH or a path, and its arguments; with `python`, only the arguments of Hermes.
        python: The Python of the Hermes to run.
        http: Whether to record the HTTP requests that plugins make in their callbacks too.

    Raises:
        UsageError: There is no such program.
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
        home: The HERMES_HOME; what it enables is what gets loaded.
        cwd: The working directory of the host, which is where project plugins are searched. Default: the home.
        pythonpath: Directories that the host sees as installed packages; entry points in them count.
        entry_points: Further entry points of the group ``hermes_agent.plugins``.
        environment: Variables to set in the host's process.
        accept_hooks: Whether every shell hook of the configuration may run, as with ``--accept-hooks``; the home's
            allow-list then has it.
        stateless: Whether delegated tasks end within the turn, as where no later message can bring their results.
        record: Whether to keep what callbacks see, for `Host.events`.

    Returns:
        A running host. Close it, or use it as a context manager.

    Raises:
        UsageError: The release is not known, or the embedded host does not model it.
        UnavailableError: The real host of that release cannot be made here.
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
