"""Load contracts: read single sections of their data, lay an overlay on top, work out the behaviour."""

from __future__ import annotations

import json
import re
from collections.abc import Collection
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hermes_sdk.contract.behaviour import FLAGS, Behaviour
from hermes_sdk.contract.measured import read_measured
from hermes_sdk.contract.model import Contract, Section
from hermes_sdk.contract.ordering import parse_release
from hermes_sdk.contract.weave import Woven
from hermes_sdk.documents import parse_toml
from hermes_sdk.errors import UsageError

if TYPE_CHECKING:
    from hermes_sdk.contract.overlay import Difference

DEFAULT = "0.22.2"
"""The newest release that the embedded host is proven for."""

API_ONLY = "API only"
"""The grade of a release of which only the API is known, from documents."""

OLDEST_MODELLED = "0.19.0"
"""The oldest release that the embedded host models."""

_FOLDER = Path(__file__).parent
_DATA = _FOLDER / "data"


@cache
def known_releases() -> tuple[str, ...]:
    """Return the releases that have a contract, oldest first."""
    overlays = (path.stem for path in (_FOLDER / "overlays").glob("*.toml"))
    return tuple(sorted({*_list_extracted_releases(), *overlays}, key=parse_release))


def order_releases(chosen: Collection[str]) -> tuple[str, ...]:
    """Return some releases, oldest first."""
    return tuple(release for release in known_releases() if release in chosen)


@cache
def releases() -> tuple[str, ...]:
    """Return the releases that the embedded host is proven for, on upstream or on a fork, oldest first."""
    return tuple(release for release in known_releases() if is_proven(release))


@cache
def modelled_releases() -> tuple[str, ...]:
    """Return the known releases that the embedded host models, oldest first."""
    return tuple(release for release in known_releases() if is_modelled(release))


def is_modelled(release: str) -> bool:
    """Return whether the embedded host models a release of Hermes; it models no revision of the repository."""
    return release in known_releases() and parse_release(release) >= parse_release(OLDEST_MODELLED)


@cache
def api_releases() -> tuple[str, ...]:
    """Return the releases whose facts were read from an installed host or a source tree, oldest first.

    They tell what a release has, including where the embedded host is not proven for it.
    """
    documents = _read_grades()["documents"]
    return tuple(release for release in known_releases() if release not in documents)


@cache
def grade(release: str) -> str | None:
    """Return the grade of a release, such as ``proven``; `grades.toml` explains the grades.

    None for a name without a contract, such as a revision of the repository.
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
    """Load the contract of a release, or of the nearest known one; see `find_nearest`."""
    return load(find_nearest(release))


def find_nearest(release: str) -> str:
    """Return the newest known release that is not newer than a release.

    The default release stands for a revision of the repository, and the oldest one for what is older.
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
    """Format a release for reports: on the embedded host with its grade, for an installed one with its place."""
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
    """Return the contract of a release that the embedded host models.

    Raises:
        UsageError: The release is not known, or is older than the embedded host models.
    """
    found = load(release)
    if not is_modelled(release):
        raise UsageError(f"The embedded host models Hermes {OLDEST_MODELLED} and later.", fix="Add --host real.")
    return found


@cache
def load(release: str) -> Contract:
    """Return the contract of a release.

    Args:
        release: A release such as ``"0.19.0"``. For a Hermes that the user has installed, whose name has its place too,
            the contract is the nearest known one.

    Raises:
        UsageError: The release is not known.
    """
    if split_location(release)[1]:
        return load(find_nearest(release))
    if release in _list_extracted_releases():
        return _contract(release, release, ())
    if release in known_releases():
        from hermes_sdk.contract.overlay import read_overlay

        overlay = read_overlay(_FOLDER / "overlays", release)
        return _contract(release, overlay.base, overlay.differences)
    known = ", ".join(known_releases())
    raise UsageError(f"The release {release!r} of Hermes is not known.", fix=f"Known are {known}.")


def _contract(release: str, base: str, differences: tuple[Difference, ...]) -> Contract:
    def read(name: str) -> Section:
        if not any(difference.concerns(name) for difference in differences):
            return _section(name, base)
        facts = _parse(_select(_woven(name), name, base))
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
    """Return the releases of a data folder, oldest first: each has a line of its own in the section ``release``."""
    lines = (data / "release.txt").read_text(encoding="utf-8").splitlines()
    return tuple(line.strip('"') for line in lines if line.startswith('"'))


def section_names(data: Path) -> tuple[str, ...]:
    """Return the names of the sections of a data folder, sorted."""
    return tuple(sorted(path.stem for path in data.glob("*.txt")))


def read_section(data: Path, name: str, release: str) -> str:
    """Return the JSON text of one section of a release.

    Raises:
        KeyError: There is no such section.
    """
    return _select(_read_woven(data, name), name, release)


def _select(woven: Woven, name: str, release: str) -> str:
    if not (text := woven.text(release)):
        raise KeyError(name)
    return text


def _parse(text: str) -> Any:
    """Return the value of a section; `documents.parse_json` would take five times as long, and this data is ours."""
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
def _woven(name: str) -> Woven:
    return _read_woven(_DATA, name)


_sections: dict[tuple[str, int], Section] = {}


def _section(name: str, release: str) -> Section:
    """The section of a release, shared by the releases that have the same one."""
    woven = _woven(name)
    version = name, woven.version(release)
    if version not in _sections:
        _sections[version] = Section(_parse_shared(_select(woven, name, release)))
    return _sections[version]


_entries: dict[str, tuple[str, Any]] = {}
"""Name and value of each entry that was parsed, by its text without the first quotation mark."""


def _parse_shared(text: str) -> Any:
    """Return the value of a section, whose entries are parsed once for all of its versions, which differ in a few."""
    if not text.startswith('{\n "'):
        return _parse(text)
    entries = text[4:-2].split(',\n "')
    if unknown := [entry for entry in entries if entry not in _entries]:
        parsed = _parse('{"' + ',"'.join(unknown) + "}")
        _entries.update(zip(unknown, parsed.items(), strict=True))
    return dict(map(_entries.__getitem__, entries))


@cache
def _list_extracted_releases() -> tuple[str, ...]:
    return read_releases(_DATA)


def find_settings(release: str) -> dict[str, bool]:
    """Return whether each behaviour flag is on in a release, by the dates of the flags."""
    version = parse_release(release)
    return {
        name: parse_release(flag.since) <= version and (flag.until is None or version < parse_release(flag.until))
        for name, flag in FLAGS.items()
    }
