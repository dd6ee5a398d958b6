"""Isolation of child processes that run untrusted code from the rest of the machine.

Each layer prevents accidents and most harm; even together, they do not protect against bugs in the kernel. `LAYERS`
describes the guarantees of each layer.

The package runs in the child before any plugin code, including in a Python that cannot import hermes_sdk, so it uses
only the standard library and relative imports.
"""

from __future__ import annotations

import signal
import sys
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress

from . import landlock, limits, namespaces, seccomp
from .kernel import end_with_parent
from .readable import find_readable
from .supervision import fork_supervised

LAYERS: Mapping[str, str] = {
    "env": "a short list of environment variables, without keys and tokens",
    "tmp": "a temporary HOME, HERMES_HOME, TMPDIR and working directory",
    "rlimit": "at most 8 GB of memory, files of at most 256 MB, the CPU time of the time limit, no core dumps",
    "pidns": "other processes are neither visible nor reachable, and its child processes end with it; at most 256 "
    "processes, 8 GB of memory for all of them, as much shared memory, and 1,024 sockets",
    "ipcns": "no shared memory, semaphores or message queues of the machine",
    "netns": "its own network, with only a loopback interface",
    "mountns": "files of the machine cannot be changed, including their permissions, times and owners; its own "
    "directories and shared memory are temporary copies of at most 1 GB",
    "landlock": "files can be changed only in its own directories, and read only there, in its project, and where "
    "programs, libraries and Python packages are installed; on kernels since 6.12, it cannot send signals to other "
    "processes",
    "seccomp": "no Unix sockets, and therefore no Docker, D-Bus or key agents; no mounts or namespaces, no access to "
    "the memory of other processes, no input to a terminal, no rarely used parts of the kernel",
}
"""Name of each layer -> its guarantees."""

FALLBACKS: Mapping[str, str] = {
    "tcp": "no TCP, if it does not have its own network; by Landlock",
    "guard": "Python's sockets reach only loopback, if it has neither of these; other code can bypass this",
}
"""Name of each replacement for ``netns`` on machines that lack it -> its guarantees."""

FULL = tuple(LAYERS)


def enter(
    writable: Sequence[str], seconds: float, readable: Sequence[str] = (), *, network: bool = False
) -> tuple[str, ...]:
    """Enter all layers that the machine supports. This cannot be undone.

    With namespaces, the function returns in a grandchild, and this process waits for it; it must not have other
    threads. Files can be changed only in the `writable` directories, which are replaced by copies if there are
    namespaces, and read there, in `readable` and in the results of `find_readable`. `seconds` limits the CPU time. With
    `network`, the process keeps access to the machine's network.

    Returns:
        The layers, in the order of `FULL`; the process that started this one is responsible for ``env`` and ``tmp``.
    """
    layers = {"env", "tmp"}

    def add(step: Callable[[], None], *names: str) -> bool:
        with suppress(OSError, ValueError, AttributeError):
            step()
            layers.update(names)
            return True
        return False

    add(lambda: limits.limit_resources(seconds), "rlimit")
    if sys.platform == "linux":
        _enter_linux(writable, find_readable(readable), add, network=network)
    if "netns" not in layers and not network:
        layers.add("tcp" if "tcp" in layers else "guard")
    return tuple(name for name in (*FULL, *FALLBACKS) if name in layers)


def _enter_linux(writable: Sequence[str], readable: Sequence[str], add: Callable[..., bool], *, network: bool) -> None:
    changed = [*writable]
    apart = add(lambda: namespaces.leave_namespaces(network=network))
    if apart:

        def prepare() -> None:
            add(lambda: None, "pidns", "ipcns")
            if not network:
                add(namespaces.start_loopback, "netns")
                add(namespaces.limit_buffers)
            if add(lambda: namespaces.replace_mounts(writable, readable), "mountns"):
                changed.extend(namespaces.shared_memory())

        fork_supervised(prepare, writable)
        add(limits.limit_processes)
        namespaces.drop_capabilities()
    else:
        add(lambda: end_with_parent(signal.SIGKILL))
    without_tcp = not (apart or network) and landlock.landlock_version() >= 4
    names = ("landlock", "tcp") if without_tcp else ("landlock",)
    add(lambda: landlock.restrict(changed, readable, without_tcp=without_tcp), *names)
    add(seccomp.filter_calls, "seccomp")
