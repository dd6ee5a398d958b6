"""Choice of the host of a plugin: ``embedded``, ``real``, or ``auto`` for the real one where the first falls short."""

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
    """Return ``auto``; ``embedded`` where the variable CI is set, so that a commit always gives the same result."""
    return "embedded" if os.environ.get("CI") else "auto"


@dataclass(frozen=True)
class Ran(Generic[T]):
    """The outcome of a run that counts.

    Attributes:
        host: The host that it comes from.
        release: The release of that host.
        rerun: Whether the embedded host ran before, and did not model everything that was reached.
        reasons: Clauses that say what the embedded host does not model.
        missing: Why there was no run in the real Hermes, and the command that changes that; empty unless `auto`
            needed one.
    """

    outcome: T
    host: HostKind
    release: str
    rerun: bool = False
    reasons: tuple[str, ...] = ()
    missing: str = ""

    @property
    def note(self) -> str:
        """Return what a person has to know of the host, on one line; empty if it ran where it was expected to."""
        if self.missing and self.reason:
            return f"{_capitalize(self.reason)}; {self.missing}."
        if self.host == "real" and self.reason:
            return f"Ran in the real Hermes {contract.format_release(self.release, 'real')}, because {self.reason}."
        return ""

    @property
    def reason(self) -> str | None:
        """Return what the embedded host does not model; None if nothing of that was reached."""
        return "; ".join(self.reasons) or None

    def as_json(self) -> dict[str, Any]:
        """Return the keys that every document about a run has; ``installed`` is where the user's Hermes is."""
        place = contract.split_location(self.release)[1] or None
        return {"host": self.host, "installed": place, "rerun": self.rerun, "reason": self.reason}


def run_on_host(
    choice: HostChoice,
    release: str | None,
    run: Callable[[HostKind, str], T],
    list_unsupported: Callable[[T], Iterable[str]],
    plugins: Sequence[Located] = (),
) -> Ran[T]:
    """Run something on the host that was chosen.

    With ``auto``, it runs on the embedded host. If that reached something unsupported, it runs again in a real host on
    this machine; see `find_real_host`. Nothing is installed for that.

    Args:
        choice: Where to run it; ``embedded`` and ``real`` are strict.
        release: A release of Hermes Agent. Default: that of the host.
        run: Runs it on a host and a release.
        list_unsupported: Returns what an outcome of the embedded host reached that this does not model, as clauses.
        plugins: The plugins whose requirements a real host needs.

    Raises:
        UsageError: The release is not known, or only the real host has it, and it is not on this machine.
        NotSupported: The embedded host cannot do it at all, and there is no real host.
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
    """Check that the embedded host models a release, or with ``auto`` that its real host is on this machine.

    Raises:
        UsageError: The release is not known, or neither is the case.
    """
    if contract.is_modelled(release) or choice == "real":
        return
    if choice == "embedded" or explain_no_real_host(release, plugins):
        contract.load_modelled(release)


def find_real_host(
    release: str | None, plugins: Iterable[Located] = (), places: Iterable[Path] | None = None
) -> tuple[str, str]:
    """Return the real host in which `auto` runs plugins, and why it cannot run them, which is empty if it can.

    It is the user's own Hermes, unless another release is asked for; otherwise the host of that release.

    Args:
        places: Where the user's own Hermes may be, from `installed.list_places`. Default: as the environment says now.

    Raises:
        UsageError: A requirement of a plugin cannot be read.
    """
    from hermes_sdk.hosts.installed import find_own

    own = find_own(places)
    if own is None or release not in (None, contract.split_location(own)[0]):
        own = release or contract.DEFAULT
    return own, explain_no_real_host(own, plugins)


def explain_no_real_host(release: str, plugins: Iterable[Located] = ()) -> str:
    """Return why the real host of a release cannot run some plugins, and what to do; empty if it can.

    Raises:
        UsageError: A requirement of a plugin cannot be read.
    """
    from hermes_sdk.hosts.environments import is_installed

    place, name = contract.split_location(release)[1], contract.format_release(release, "real")
    command = f"hermes-sdk show --host real --release {place or release}"
    if not is_installed(release):
        if ":" not in release and find_source(release) is None:
            return f"there is no real Hermes {name}"
        return f"the real Hermes {name} is not installed: run `{command}` once"
    if all(is_installed(release, find_requirements(one)) for one in plugins):
        return ""
    return f"the real Hermes {name} lacks what the plugin requires: run `{command} --install` once"


def list_unsupported_in(report: Report) -> list[str]:
    """Return what a plugin reached while it loaded that the embedded host does not model."""
    return [f"the plugin {report['error']}"] if report["status"] == "unsupported" else []


def to_clause(sentence: str) -> str:
    """Make a clause of a sentence such as the text of an `Unsupported`."""
    return sentence[:1].lower() + sentence[1:].removesuffix(".")


def _capitalize(text: str) -> str:
    return text[:1].upper() + text[1:]
