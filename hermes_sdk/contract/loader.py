"""Loader of contracts: reads sections of their data, applies overlays, and determines the behaviour."""

from __future__ import annotations

import json
import re
from collections.abc import Collection
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hermes_sdk.contract.behaviour import FLAGS, Behaviour
from hermes_sdk.contract.measurements import read_measured
from hermes_sdk.contract.model import Contract, Section
from hermes_sdk.contract.ordering import parse_release
from hermes_sdk.contract.weave import Woven
from hermes_sdk.documents import parse_toml
from hermes_sdk.errors import UsageError

if TYPE_CHECKING:
    from hermes_sdk.contract.overlay import Difference

DEFAULT = "0.22.2"
"""The newest release for which the embedded host is proven."""

API_ONLY = "API only"
"""The grade of releases of which only the API is known."""

OLDEST_MODELLED = "0.19.0"
"""The oldest release that the embedded host models."""

_FOLDER = Path(__file__).parent
_DATA = _FOLDER / "data"


@cache
def known_releases() -> tuple[str, ...]:
    """Return the releases with a contract, oldest first."""
    overlays = (path.stem for path in (_FOLDER / "overlays").glob("*.toml"))
    return tuple(sorted({*_list_extracted_releases(), *overlays}, key=parse_release))


def order_releases(chosen: Collection[str]) -> tuple[str, ...]:
    """Return the chosen releases, oldest first."""
    return tuple(release for release in known_releases() if release in chosen)


@cache
def releases() -> tuple[str, ...]:
    """Return the releases for which the embedded host is proven, on upstream or on a fork, oldest first."""
    return tuple(release for release in known_releases() if is_proven(release))


@cache
def modelled_releases() -> tuple[str, ...]:
    """Return the known releases that the embedded host models, oldest first."""
    return tuple(release for release in known_releases() if is_modelled(release))


def is_modelled(release: str) -> bool:
    """Return whether the embedded host models a release; revisions of the repository are not modelled."""
    return release in known_releases() and parse_release(release) >= parse_release(OLDEST_MODELLED)


@cache
def api_releases() -> tuple[str, ...]:
    """Return the releases whose facts were read from an installed host or a source tree, oldest first.

    These facts are reliable even if the embedded host is not proven for the release.
    """
    documents = _read_grades()["documents"]
    return tuple(release for release in known_releases() if release not in documents)


@cache
def grade(release: str) -> str | None:
    """Return the grade of a release, such as ``proven``; `grades.toml` explains the grades.

    None without a contract, for example for a revision of the repository.
    """
    release = split_location(release)[0]
    if release not in known_releases():
        return None
    for name in ("proven", "proven on a fork"):
        if release in _read_grades()[name]:
            return name
    measured = read_measured(release)
    return measured.grade if measured else API_ONLY


def is_proven(release: str) -> bool:
    """Return whether the embedded host is proven for a release, on upstream or on a fork."""
    return grade(release) in ("proven", "proven on a fork")


def load_closest(release: str) -> Contract:
    """Load the contract of a release or of the nearest known one; see `find_nearest`."""
    return load(find_nearest(release))


def find_nearest(release: str) -> str:
    """Return a release if it is known, otherwise the newest known release before it.

    For a revision of the repository, return the default release; for a release before all known ones, the oldest.
    """
    release = split_location(release)[0]
    if release in known_releases():
        return release
    numbers = re.match(r"\d+(\.\d+){0,2}", release)
    if numbers is None:
        return DEFAULT
    version = parse_release(numbers[0])
    known = known_releases()
    return next((one for one in reversed(known) if parse_release(one) <= version), known[0])


def split_location(name: str) -> tuple[str, str]:
    """Split a host name such as ``0.22.2@/opt/hermes`` into its release and its path.

    The path is empty for hosts that hermes-sdk installs.
    """
    found = re.fullmatch(r"([^:@]+)@(/.+)", name)
    return (found[1], found[2]) if found else (name, "")


def format_release(release: str, host: str = "embedded") -> str:
    """Format a release for reports: with its grade for the embedded host, with its path if the user installed it."""
    if host == "embedded":
        found = grade(release)
        return f"{release} ({found})" if found else release
    number, place = split_location(release)
    if not place:
        return release
    nearest = "" if grade(number) else f" (nearest known: {find_nearest(number)})"
    return f"{number}{nearest} at {place}"


@cache
def _read_grades() -> dict[str, Any]:
    return parse_toml((_FOLDER / "grades.toml").read_text(encoding="utf-8"))


def load_modelled(release: str) -> Contract:
    """Load the contract of a release that the embedded host models.

    Raises:
        UsageError: The release is unknown, or older than the oldest modelled one.
    """
    found = load(release)
    if not is_modelled(release):
        raise UsageError(f"The embedded host models Hermes {OLDEST_MODELLED} and later.", fix="Add --host real.")
    return found


@cache
def load(release: str) -> Contract:
    """Load the contract of a release.

    Args:
        release: A release such as ``"0.19.0"``. If the name includes the path of the user's own installation, the
            contract is the nearest known one.

    Raises:
        UsageError: The release is not known.
    """
    if split_location(release)[1]:
        return load(find_nearest(release))
    if release in _list_extracted_releases():
        return _create_contract(release, release, ())
    if release in known_releases():
        from hermes_sdk.contract.overlay import read_overlay

        overlay = read_overlay(_FOLDER / "overlays", release)
        return _create_contract(release, overlay.base, overlay.differences)
    known = ", ".join(known_releases())
    raise UsageError(f"The release {release!r} of Hermes is not known.", fix=f"The known releases are {known}.")


def _create_contract(release: str, base: str, differences: tuple[Difference, ...]) -> Contract:
    def read(name: str) -> Section:
        if not any(difference.concerns(name) for difference in differences):
            return _find_section(name, base)
        facts = _parse_json(_select(_load_woven(name), name, base))
        for difference in differences:
            facts = difference.amend(name, facts)
        return Section(facts)

    def read_behaviour() -> Behaviour:
        measured = None if is_proven(release) else read_measured(release)
        if measured is None:
            return Behaviour(find_settings(release))
        return Behaviour({**find_settings(release), **measured.flags}, measured.unverified)

    return Contract(release, base, _list_sections(), read, read_behaviour)


def read_releases(data: Path) -> tuple[str, ...]:
    """Return the releases in a data folder, oldest first: the section ``release`` has a line for each."""
    lines = (data / "release.txt").read_text(encoding="utf-8").splitlines()
    return tuple(line.strip('"') for line in lines if line.startswith('"'))


def section_names(data: Path) -> tuple[str, ...]:
    """Return the sorted names of the sections in a data folder."""
    return tuple(sorted(path.stem for path in data.glob("*.txt")))


def read_section(data: Path, name: str, release: str) -> str:
    """Return the JSON text of a section of a release.

    Raises:
        KeyError: There is no such section.
    """
    return _select(_read_woven(data, name), name, release)


def _select(woven: Woven, name: str, release: str) -> str:
    if not (text := woven.text(release)):
        raise KeyError(name)
    return text


def _parse_json(text: str) -> Any:
    """Parse a section; `documents.parse_json` would take five times as long, and this data is trusted."""
    return json.loads(text)


def _read_woven(data: Path, name: str) -> Woven:
    try:
        return Woven((data / f"{name}.txt").read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise KeyError(name) from None


@cache
def _list_sections() -> tuple[str, ...]:
    return section_names(_DATA)


@cache
def _load_woven(name: str) -> Woven:
    return _read_woven(_DATA, name)


_sections: dict[tuple[str, int], Section] = {}


def _find_section(name: str, release: str) -> Section:
    """Return a section of a release; releases with the same version of it share the object."""
    woven = _load_woven(name)
    version = name, woven.version(release)
    if version not in _sections:
        _sections[version] = Section(_parse_shared(_select(woven, name, release)))
    return _sections[version]


_entries: dict[str, tuple[str, Any]] = {}
"""Name and value of each parsed entry, by its text without the first quotation mark."""


def _parse_shared(text: str) -> Any:
    """Parse a section, parsing each entry only once for all versions, since these differ in few entries."""
    if not text.startswith('{\n "'):
        return _parse_json(text)
    entries = text[4:-2].split(',\n "')
    if unknown := [entry for entry in entries if entry not in _entries]:
        parsed = _parse_json('{"' + ',"'.join(unknown) + "}")
        _entries.update(zip(unknown, parsed.items(), strict=True))
    return dict(map(_entries.__getitem__, entries))


@cache
def _list_extracted_releases() -> tuple[str, ...]:
    return read_releases(_DATA)


def find_settings(release: str) -> dict[str, bool]:
    """Return whether each behaviour flag is on in a release, according to the dates of the flags."""
    version = parse_release(release)
    return {
        name: parse_release(flag.since) <= version and (flag.until is None or version < parse_release(flag.until))
        for name, flag in FLAGS.items()
    }
