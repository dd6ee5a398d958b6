"""Functions of Hermes that the embedded host imitates, and those that another release changes."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Literal, NamedTuple

from hermes_sdk.documents import parse_toml

FILE = Path(__file__).parents[1] / "hosts" / "embedded" / "imitated.toml"


class Suspect(NamedTuple):
    """An imitated function that differs between two hosts.

    Attributes:
        function: Its name, such as ``hermes_cli.plugins:PluginManager.invoke_hook``.
        change: The change from the first host to the second.
        place: The place of a moved function in the second host; otherwise empty.
        modules: The modules of the embedded host that imitate it, sorted.
    """

    function: str
    change: Literal["added", "changed", "moved", "removed"]
    place: str
    modules: tuple[str, ...]


@cache
def read_imitated() -> Mapping[str, tuple[str, ...]]:
    """Return the modules of the embedded host that imitate functions of Hermes, by function."""
    found: dict[str, list[str]] = {}
    for module, imitated in parse_toml(FILE.read_text(encoding="utf-8")).items():
        if isinstance(imitated, dict):
            for origin, names in imitated.items():
                for name in names:
                    found.setdefault(f"{origin}:{name}", []).append(module)
    return {function: tuple(sorted(modules)) for function, modules in sorted(found.items())}


def find_suspects(before: Mapping[str, str], after: Mapping[str, str]) -> list[Suspect]:
    """Return the imitated functions with different fingerprints; see `contract.probe.fingerprints`."""
    places = {after[name].split()[0]: name for name in after if name not in before}
    found = []
    for name, modules in read_imitated().items():
        old, new = before.get(name, ""), after.get(name, "")
        if old == new:
            continue
        (old_hash, *_), (new_hash, *place) = old.split() or [""], new.split() or [""]
        if not new and old_hash in places:
            found.append(Suspect(name, "moved", places[old_hash], modules))
        elif old_hash == new_hash:
            found.append(Suspect(name, "moved", "".join(place) or name, modules))
        else:
            found.append(Suspect(name, "changed" if old and new else "added" if new else "removed", "", modules))
    return found
