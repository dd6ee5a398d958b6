"""Choice of the host: ``embedded``, ``real``, or ``auto`` to use the real host for what the embedded one lacks."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Generic, Literal, TypeVar

from hermes_sdk import contract
from hermes_sdk.contract.sources import find_source
from hermes_sdk.errors import UnavailableError
from hermes_sdk.hosts import default_release
from hermes_sdk.hosts.dependencies import find_requirements
from hermes_sdk.hosts.interface import HostKind, NotSupported, Report
from hermes_sdk.manifest import Located

HostChoice = Literal["auto", "embedded", "real"]

T = TypeVar("T")


def default_choice() -> HostChoice:
    """Return ``auto``, or ``embedded`` if the variable CI is set, so that results depend only on the commit."""
    return "embedded" if os.environ.get("CI") else "auto"


@dataclass(frozen=True)
class Ran(Generic[T]):
    """Outcome of a run, and the host that it comes from.

    Attributes:
        host: The kind of host.
        release: The release of the host.
        rerun: Whether this run repeats one on the embedded host that used unsupported features.
        reasons: Clauses that name the features that the embedded host does not model.
        missing: Why there was no run on the real host, and the command that enables it; empty unless `auto` needed one.
    """

    outcome: T
    host: HostKind
    release: str
    rerun: bool = False
    reasons: tuple[str, ...] = ()
    missing: str = ""

    @property
    def note(self) -> str:
        """Return a one-line note if the run used an unexpected host, or lacked a real one; otherwise empty."""
        if self.missing and self.reason:
            return f"{_capitalize(self.reason)}; {self.missing}."
        if self.host == "real" and self.reason:
            return f"Ran in the real Hermes {contract.format_release(self.release, 'real')}, because {self.reason}."
        return ""

    @property
    def reason(self) -> str | None:
        """Return the features that the run needed but the embedded host does not model, or None."""
        return "; ".join(self.reasons) or None

    def as_json(self) -> dict[str, Any]:
        """Return the keys that all documents about a run share; ``installed`` is the path of the user's Hermes."""
        place = contract.split_location(self.release)[1] or None
        return {"host": self.host, "installed": place, "rerun": self.rerun, "reason": self.reason}


def run_on_host(
    choice: HostChoice,
    release: str | None,
    run: Callable[[HostKind, str], T],
    list_unsupported: Callable[[T], Iterable[str]],
    plugins: Sequence[Located] = (),
) -> Ran[T]:
    """Call a function with the chosen host.

    With ``auto``, it runs on the embedded host. If it uses unsupported features there, it runs again on a real host of
    this machine; see `find_real_host`. No host is installed for that.

    Args:
        choice: The host; there is no fallback for ``embedded`` and ``real``.
        release: A release of Hermes Agent. Default: the default release of the host.
        run: The function; called with the kind of host and its release.
        list_unsupported: Returns clauses that name the unsupported features in an outcome of the embedded host.
        plugins: The plugins whose requirements a real host needs.

    Raises:
        UsageError: The release is not known, or only the real host has it, and it is not on this machine.
        NotSupported: The embedded host does not support the run, and there is no real host.
    """
    if choice == "real":
        release = release or default_release("real")
        return Ran(run("real", release), "real", release)
    modelled = release or default_release("embedded")
    require_host(choice, modelled, plugins)
    if not contract.is_modelled(modelled):
        oldest = f"the embedded host models Hermes {contract.OLDEST_MODELLED} and later"
        why = () if contract.split_location(modelled)[1] else (oldest,)
        return Ran(run("real", modelled), "real", modelled, reasons=why)
    outcome: T | NotSupported
    try:
        done = run("embedded", modelled)
        outcome, reasons = done, tuple(dict.fromkeys(list_unsupported(done)))
    except NotSupported as error:
        outcome, reasons = error, (to_clause(error.message),)
    real, missing = find_real_host(release, plugins) if choice == "auto" and reasons else ("", "")
    if real and not missing:
        try:
            return Ran(run("real", real), "real", real, rerun=True, reasons=reasons)
        except UnavailableError as error:
            missing = ": ".join(map(to_clause, filter(None, [error.message, error.fix])))
    if isinstance(outcome, NotSupported):
        raise NotSupported(outcome.action, outcome.kind, f"{_capitalize(missing)}." if missing else outcome.fix)
    return Ran(outcome, "embedded", modelled, reasons=reasons, missing=missing)


def require_host(choice: HostChoice, release: str, plugins: Iterable[Located] = ()) -> None:
    """Check that the embedded host models a release, or, with ``auto``, that its real host is on this machine.

    Raises:
        UsageError: The release is not known, or no host can run it.
    """
    if contract.is_modelled(release) or choice == "real":
        return
    if choice == "embedded" or explain_no_real_host(release, plugins):
        contract.load_modelled(release)


def find_real_host(
    release: str | None, plugins: Iterable[Located] = (), places: Iterable[Path] | None = None
) -> tuple[str, str]:
    """Return the release of the real host for `auto`, and the reason why it cannot run the plugins, or an empty string.

    The host is the user's own Hermes, or the host of the release if the release is a different one.

    Args:
        places: The places to search for the user's own Hermes. Default: `installed.list_places`.

    Raises:
        UsageError: A requirement of a plugin cannot be read.
    """
    from hermes_sdk.hosts.installed import find_own

    own = find_own(places)
    if own is None or release not in (None, contract.split_location(own)[0]):
        own = release or contract.DEFAULT
    return own, explain_no_real_host(own, plugins)


def explain_no_real_host(release: str, plugins: Iterable[Located] = ()) -> str:
    """Return why the real host of a release cannot run plugins, and how to fix that; empty if it can.

    Raises:
        UsageError: A requirement of a plugin cannot be read.
    """
    from hermes_sdk.hosts.environments import is_installed

    place, name = contract.split_location(release)[1], contract.format_release(release, "real")
    if not is_installed(release):
        if ":" not in release and find_source(release) is None:
            return f"there is no real Hermes {name}"
        return f"the real Hermes {name} is not installed: run `hermes-sdk hosts install {release}`"
    if all(is_installed(release, find_requirements(one)) for one in plugins):
        return ""
    command = f"hermes-sdk show --host real --release {place or release} --install"
    return f"the real Hermes {name} lacks what the plugin requires: run `{command}` once"


def list_unsupported_in(report: Report) -> list[str]:
    """Return a clause for the unsupported feature with which the load of a plugin ended, if any."""
    return [f"the plugin {report['error']}"] if report["status"] == "unsupported" else []


def to_clause(sentence: str) -> str:
    """Convert a sentence, such as the text of an `Unsupported`, to a clause."""
    return sentence[:1].lower() + sentence[1:].removesuffix(".")


def _capitalize(text: str) -> str:
    return text[:1].upper() + text[1:]
