"""Bring one HERMES_HOME in line with a set of plugins that Nix built.

    plugins/nix-managed-notes  ->  ../.nix-plugins/current/links/nix-managed-notes
    .nix-plugins/current       ->  /nix/store/…-hermes-plugins

Our links are recognised by their targets, never by names. One rename of `current` switches all plugins at once; a link
that is in only one of the two sets is dangling for a moment, and the host skips it. So a host that starts at any time,
even after a crash, finds either the old set or the new one. Everything is read and planned before anything is
changed, and an up-to-date home is not written.
"""

from __future__ import annotations

import argparse
import itertools
import json
import os
import shutil
import sys
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

from settings import change

from hermes_sdk.documents import parse_json, read_text
from hermes_sdk.errors import HermesSdkError, UnavailableError, UsageError
from hermes_sdk.files import write_file, write_link
from hermes_sdk.home.lock import lock_home
from hermes_sdk.journal import recover

STATE = ".nix-plugins"
GROUPS = ("", "model-providers")
"""The directories below `plugins/` in which the host finds our plugins."""


class Step(NamedTuple):
    """One change of the home: its description, its action, and whether it affects a file of the user."""

    text: str
    run: Callable[[], object]
    is_users: bool = False


class Home(NamedTuple):
    """The relevant paths in a home."""

    path: Path

    @property
    def plugins(self) -> Path:
        """Return the directory with the user's plugins."""
        return self.path / "plugins"

    @property
    def state(self) -> Path:
        """Return the directory of the linker's own state."""
        return self.path / STATE

    @property
    def current(self) -> Path:
        """Return the link to the current set."""
        return self.state / "current"

    @property
    def added(self) -> Path:
        """Return the record of values that were added to the configuration."""
        return self.state / "added.json"

    @property
    def config(self) -> Path:
        """Return the configuration of the host."""
        return self.path / "config.yaml"


class Set(NamedTuple):
    """The desired content of a home.

    Attributes:
        path: Directory of the set, or None for an empty set.
        places: The name of each plugin by its place below `plugins/`.
        directories: Directories to create in the home.
        config: Values to add to its `config.yaml`.
    """

    path: Path | None
    places: dict[str, str]
    directories: Sequence[str]
    config: dict[str, Any]

    @classmethod
    def read(cls, path: Path | None) -> Set:
        """Read a set that `builder.py` made."""
        if path is None:
            return cls(None, {}, (), {})
        try:
            found = cls(path, **parse_json(read_text(path / "plan.json")))
            found.check()
        except (OSError, ValueError, TypeError, AttributeError) as error:
            raise UsageError(
                f"not a set of plugins: {error}", where=str(path), fix="Build one with buildPluginSet."
            ) from None
        return found

    def check(self) -> None:
        """Raise `ValueError` for paths outside the home."""
        for place in {**self.places}:
            *group, name = _split(place, "place")
            if "/".join(group) not in GROUPS or name.startswith("."):
                raise ValueError(f"its plan.json has the place {place!r}, in which the host finds no plugin")
        for directory in self.directories:
            _split(directory, "directory")


def _split(path: str, what: str) -> tuple[str, ...]:
    parts = Path(path).parts
    if not parts or Path(path).is_absolute() or ".." in parts:
        raise ValueError(f"its plan.json has the {what} {path!r}, which leads out of the home")
    return parts


class Conflict(NamedTuple):
    """A plugin of the user in the place of a plugin of the set."""

    path: Path
    place: str
    why: str

    def __str__(self) -> str:
        return f"{self.path}, which is not managed by Nix, {self.why}"


Entries = dict[str, str | None]
"""Entries of `plugins/` by their place: the target of one of our links, or None for an entry of the user."""


def plan(home: Home, wanted: Set, on_conflict: str) -> list[Step]:
    """Return all necessary changes of a home, in an order that can be interrupted anywhere.

    Args:
        home: The home.
        wanted: Its desired content.
        on_conflict: What to do if a plugin of the user is in the way: ``fail``, ``keep`` or ``move``.

    Raises:
        UsageError: A plugin of the user is in the way, or a file of the home cannot be used. Nothing was changed.
    """
    entries = dict(_entries(home))
    conflicts = list(_conflicts(home, wanted, entries))
    if conflicts and on_conflict == "fail":
        fix = 'Nothing was changed. Remove or rename the user\'s plugin, or set onConflict to "keep" or "move".'
        raise UsageError("\n".join(map(str, conflicts)), fix=fix)
    hidden = {conflict.place for conflict in conflicts if on_conflict == "keep"}
    places = [place for place in wanted.places if place not in hidden]
    before, after = _settings(home, wanted)
    return [
        *_directories(home, wanted, places),
        *(_answer(home, conflict, on_conflict) for conflict in conflicts),
        *_added_links(home, places, entries),
        *before,
        *_switch(home, wanted),
        *after,
        *_dropped_links(home, places, entries),
    ]


def _entries(home: Home) -> Iterator[tuple[str, str | None]]:
    for group in GROUPS:
        directory = home.plugins / group
        if directory.is_symlink() and not directory.exists():
            raise UsageError("a broken link is in the way", where=str(directory), fix="Remove it.")
        if directory.exists() and not directory.is_dir():
            raise UsageError("a file is in the way", where=str(directory), fix="Remove it.")
        for entry in os.scandir(directory) if directory.is_dir() else ():
            place = str(Path(group, entry.name))
            target = str(Path(entry).readlink()) if entry.is_symlink() else ""
            ours = Path(os.path.realpath(home.state), "current", "links", place)
            yield place, target if os.path.normpath(Path(os.path.realpath(directory), target)) == str(ours) else None


def _conflicts(home: Home, wanted: Set, entries: Entries) -> Iterator[Conflict]:
    places = {name: place for place, name in wanted.places.items() if not Path(place).parts[1:]}
    for entry, target in sorted(entries.items()):
        path = home.plugins / entry
        if target is not None:
            continue
        if entry in wanted.places:
            yield Conflict(path, entry, "stands in the way")
        elif (name := _manifest_name(path)) in places and not Path(entry).parts[1:]:
            yield Conflict(path, places[name], f"has the name {name!r}, too; the host would load only one of them")


def _manifest_name(directory: Path) -> Any:
    """Return the name of a plugin of the user, or None if the directory has no readable manifest."""
    from hermes_sdk.manifest import load_yaml, manifest_file

    try:
        file = manifest_file(directory)
        value = load_yaml(read_text(file, encoding="utf-8-sig")) if file else None
        return str(value["name"]) if isinstance(value, dict) else None
    except Exception:
        return None


def _directories(home: Home, wanted: Set, places: Sequence[str]) -> list[Step]:
    needed = [home.path / name for name in wanted.directories]
    needed += [home.plugins, *sorted({(home.plugins / place).parent for place in places} - {home.plugins})]
    return [Step(f"make {path}", partial(path.mkdir, parents=True)) for path in needed if not path.exists()]


def _answer(home: Home, conflict: Conflict, on_conflict: str) -> Step:
    """Return the step for a conflict; keeping the user's plugin only reports it."""
    if on_conflict == "keep":
        return Step(f"keep {conflict}", lambda: None, is_users=True)
    names = (f"{conflict.path.name}.{number}" for number in itertools.count(1))
    aside = next(path for name in names if not os.path.lexists(path := home.state / "replaced" / name))
    return Step(f"move {conflict.path} to {aside}", partial(_move, conflict.path, aside), is_users=True)


def _move(path: Path, aside: Path) -> None:
    aside.parent.mkdir(exist_ok=True)
    shutil.move(path, aside)


def _added_links(home: Home, places: Sequence[str], entries: Entries) -> list[Step]:
    # Make links relative, so that the home also works under another mount point, even if `plugins` is itself a link.
    up = {
        group: os.path.relpath(os.path.realpath(home.state), os.path.realpath(home.plugins / group)) for group in GROUPS
    }
    steps = []
    for place in places:
        path, group = home.plugins / place, str(Path(place).parent)
        target = f"{up['' if group == '.' else group]}/current/links/{place}"
        if entries.get(place) != target:
            steps.append(Step(f"link {path}", partial(_link, path, target)))
    return steps


def _link(path: Path, target: str) -> None:
    if path.exists() and not path.is_symlink():
        raise UnavailableError("a file or directory is in the way", where=str(path), fix="Remove it.")
    write_link(path, target)


def _settings(home: Home, wanted: Set) -> tuple[list[Step], list[Step]]:
    """Return the changes of the configuration before and after the set is switched."""
    text, added = _read(home.config), _read_added(home)
    planned = change(text, wanted.config, added, str(home.config))
    before = [*_write(home.added, added, planned.recorded), *_write(home.config, text, planned.before)]
    after = [
        *_write(home.config, planned.before, planned.after),
        *_write(home.added, planned.recorded, planned.added),
    ]
    return before, after


def _read_added(home: Home) -> dict[str, Any]:
    try:
        return dict(parse_json(_read(home.added) or "{}"))
    except (ValueError, TypeError):
        raise UsageError("not a record of this program", where=str(home.added), fix="Remove the file.") from None


def _read(path: Path) -> str:
    try:
        return read_text(path)
    except FileNotFoundError:
        return ""
    except ValueError as error:
        raise UsageError(f"cannot be read: {error}", where=str(path), fix="Correct it first.") from None


def _write(path: Path, old: object, new: object) -> list[Step]:
    if old == new:
        return []
    text = new if isinstance(new, str) else json.dumps(new, indent=1, sort_keys=True) + "\n"
    return [Step(f"write {path}", partial(write_file, path, text.encode(), new_mode=0o600))]


def _switch(home: Home, wanted: Set) -> list[Step]:
    now = str(home.current.readlink()) if home.current.is_symlink() else None
    if wanted.path is None:
        return [Step(f"remove {home.current}", home.current.unlink)] if now else []
    if now == str(wanted.path):
        return []
    return [Step(f"link {home.current} to {wanted.path}", partial(_link, home.current, str(wanted.path)))]


def _dropped_links(home: Home, places: Sequence[str], entries: Entries) -> list[Step]:
    surplus = {place for place, target in entries.items() if target is not None and place not in places}
    steps = [Step(f"unlink {home.plugins / place}", (home.plugins / place).unlink) for place in sorted(surplus)]
    for group in filter(None, GROUPS):
        held = {place for place in [*entries, *places] if place.startswith(f"{group}/")}
        if held and held <= surplus:
            steps.append(Step(f"remove {home.plugins / group}", (home.plugins / group).rmdir))
    return steps


def _report_waiting() -> None:
    print("hermes-plugins-link: waiting for another one that changes this home", file=sys.stderr, flush=True)


def switch(home: Home, wanted: Set, on_conflict: str, *, dry_run: bool) -> list[Step]:
    """Bring a home in line with a set, and return the steps that were done or, with `dry_run`, would be done."""
    if os.geteuid() == 0 and home.path.exists() and home.path.stat().st_uid != 0:
        # Root would follow symbolic links, and the home's owner, as whom the agent runs, can point them anywhere.
        raise UnavailableError("the home belongs to another user", where=str(home.path), fix="Run this as that user.")
    if dry_run:
        return plan(home, wanted, on_conflict)
    with lock_home(home.path, _report_waiting):
        recover()
        home.state.mkdir(parents=True, exist_ok=True)
        steps = plan(home, wanted, on_conflict)
        for step in steps:
            step.run()
    return steps


def main(argv: Sequence[str]) -> int:
    """Switch one home; the exit code is 0, or that of the error whose reason is on stderr."""
    parser = argparse.ArgumentParser(
        prog="hermes-plugins-link", allow_abbrev=False, description=(__doc__ or "").split("\n")[0]
    )
    parser.add_argument("--home", type=Path, help="HERMES_HOME. Default: $HERMES_HOME, else ~/.hermes.")
    parser.add_argument("--set", type=Path, help="The set of plugins. Default: the one that this program came with.")
    parser.add_argument(
        "--on-conflict",
        choices=["fail", "keep", "move"],
        default="fail",
        help="Where a plugin of yours stands in the way.",
    )
    parser.add_argument("--dry-run", action="store_true", help="Say what would be done.")
    parser.add_argument("--unlink", action="store_true", help="Take everything out that this program put in.")
    given = parser.parse_args(argv)
    path = given.home or Path(os.environ.get("HERMES_HOME") or Path.home() / ".hermes")
    if not given.unlink and given.set is None:
        parser.error("--set or --unlink is needed")
    try:
        home, wanted = Home(path.absolute()), Set.read(None if given.unlink else given.set)
        steps = switch(home, wanted, given.on_conflict, dry_run=given.dry_run)
    except HermesSdkError as error:
        print(f"hermes-plugins-link: {error}", file=sys.stderr)
        return error.exit_code
    except OSError as error:
        print(f"hermes-plugins-link: {error}", file=sys.stderr)
        return UnavailableError.exit_code
    except KeyboardInterrupt:
        print("hermes-plugins-link: broken off; run it again to finish", file=sys.stderr)
        return 130
    for step in steps:
        if given.dry_run:
            print(f"would {step.text}")
        elif step.is_users:
            print(step.text)
    print(f"{home.path}: {len(wanted.places)} linked from Nix, {len(steps)} steps")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
