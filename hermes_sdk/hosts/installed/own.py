"""Search for the user's own Hermes, and names of installed hosts, such as ``0.22.2@/home/ann/.local/bin/hermes``."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from functools import cache
from pathlib import Path

from hermes_sdk.contract import split_location
from hermes_sdk.documents import read_text
from hermes_sdk.errors import HermesSdkError, UnavailableError, UsageError
from hermes_sdk.hosts.installed.borrowing import Borrowed, borrow, find_borrowed
from hermes_sdk.hosts.installed.launchers import is_code, read_place
from hermes_sdk.hosts.installed.search import is_trusted, search_path

INSTALLED = "installed"
"""The name by which users refer to their own Hermes."""

_LAUNCHERS = (
    ".local/bin/hermes",
    ".local/share/pipx/venvs/hermes-agent/bin/hermes",
    ".local/share/uv/tools/hermes-agent/bin/hermes",
    ".nix-profile/bin/hermes",
)


def is_place(name: str) -> bool:
    """Return whether a name refers to an installed Hermes: the user's own, or the installation at a path."""
    return name == INSTALLED or os.sep in name.partition(":")[0] or name.startswith(("~", "."))


def name_host(wanted: str) -> str:
    """Expand ``installed`` or a path to the name of a host with its release and place; return other names unchanged.

    Raises:
        UsageError: The path does not exist.
        UnavailableError: Hermes is not installed, or it cannot run.
    """
    if split_location(wanted)[1] or not is_place(wanted):
        return wanted
    if wanted != INSTALLED:
        place = Path(os.path.abspath(Path(wanted).expanduser()))  # noqa: PTH100  # Do not resolve environments' links.
        if not os.path.exists(place):
            raise UsageError(
                "there is no Hermes here", where=str(place), fix="Pass the path of a program, a Python or a checkout."
            )
        return borrow(place).name
    if found := find_own():
        return found
    failures = [str(_try_borrow(place)) for place in list_places()]
    raise UnavailableError(
        f"your own Hermes was not found{': ' + failures[0] if failures else ''}",
        fix="Pass the path of its program, Python or checkout instead of `installed`. A Hermes in a container, or "
        "one that "
        "only a shell function starts, cannot be used.",
    )


def find_own(places: Iterable[Path] | None = None) -> str | None:
    """Return the name of the user's own Hermes, or None if none can run.

    Args:
        places: The places to search. Default: `list_places`.
    """
    places = list_places() if places is None else places
    return next((name for place in places if isinstance(name := _try_borrow(place), str)), None)


@cache
def _try_borrow(place: Path) -> str | HermesSdkError:
    """Return the name of the Hermes at a place, or the reason why it cannot run."""
    try:
        return borrow(place).name
    except HermesSdkError as error:
        return error


def list_own() -> list[Borrowed]:
    """Return the user's Hermes installations that can run, in the order of `list_places`."""
    hosts = [find_borrowed(name) for place in list_places() if isinstance(name := _try_borrow(place), str)]
    return list({one.code: one for one in reversed(hosts)}.values())[::-1]


def list_places() -> Iterator[Path]:
    """Yield the possible places of the user's Hermes by PATH and HOME, beginning with the command ``hermes``."""
    home = Path.home()
    places = [*search_path("hermes"), *(home / name for name in _LAUNCHERS), home / ".hermes" / "hermes-agent"]
    for note in sorted((home / ".hermes" / "installs").glob("*/inputs/.project-root")):
        try:
            places.append(Path(read_text(note).strip()))
        except (OSError, ValueError):
            continue
    for place in dict.fromkeys(places):
        if (
            is_trusted(place)
            and (os.path.isfile(place) or is_code(place))
            and all(map(is_trusted, read_place(place).pythons))
        ):
            yield place
