"""Options of a check: what the call asks for, and what ``[tool.hermes-sdk.check]`` of the project says."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from fnmatch import fnmatch
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from hermes_sdk import contract, links
from hermes_sdk.check.model import Profile
from hermes_sdk.check.plugin import Plugin
from hermes_sdk.check.rule import Rule
from hermes_sdk.check.rules import RULES
from hermes_sdk.contract.ordering import Supported
from hermes_sdk.errors import UsageError
from hermes_sdk.manifest.project import find_workspace

if TYPE_CHECKING:
    from hermes_sdk.hosts.staging import HostChoice
    from hermes_sdk.manifest import Form


_TYPES: Mapping[str, type] = {"target": str, "strict": bool, "baseline": str, "ignore": list}
_IGNORE_KEYS = ("code", "path", "reason")


class Ignored(NamedTuple):
    """A rule that the project does not want to hear of.

    Attributes:
        path: A pattern for the files, relative to the project.
    """

    code: str
    path: str
    line: int

    def covers(self, code: str, path: str) -> bool:
        """Return whether it is about the findings of a rule in a file."""
        return code == self.code and fnmatch(path, self.path)


class Settings(NamedTuple):
    """The settings of a project in its ``pyproject.toml``::

        [tool.hermes-sdk.check]
        target = ">=0.16"                    # the releases that it is judged for
        strict = true                        # warnings fail, too
        baseline = "check-baseline.json"     # known findings

        [[tool.hermes-sdk.check.ignore]]
        code = "HS205"
        path = "legacy/*"                    # optional
        reason = "registered only with a key"

    Attributes:
        target: A range of releases; None when there is none.
        strict: Whether a warning, or a rule that could not run, fails the check.
        baseline: The baseline file of known findings, or None.
        ignored: In the order of the file.
    """

    target: str | None = None
    strict: bool = False
    baseline: Path | None = None
    ignored: tuple[Ignored, ...] = ()

    @classmethod
    def of(cls, plugin: Plugin) -> Settings:
        """Read the settings of a plugin's project. The target of its workspace applies if the project has none.

        Raises:
            UsageError: They cannot be understood.
        """
        settings = cls._read(plugin)
        root = find_workspace(plugin.located.directory) if settings.target is None else None
        if root is None:
            return settings
        return settings._replace(target=cls._read(Plugin(plugin.located._replace(project=root), plugin.base)).target)

    @classmethod
    def _read(cls, plugin: Plugin) -> Settings:
        """Read the settings in the `pyproject.toml` of a plugin's project."""
        tool = plugin.pyproject.get("tool")
        ours = tool.get("hermes-sdk") if isinstance(tool, dict) else None
        table = ours.get("check", {}) if isinstance(ours, dict) else {}
        return _Reader(plugin).settings(table)


class _Reader:
    def __init__(self, plugin: Plugin) -> None:
        self._file = plugin.pyproject_file
        self._lines = plugin.read(self._file).splitlines() if plugin.pyproject else []

    def settings(self, table: Any) -> Settings:
        if not isinstance(table, dict):
            raise self._wrong("check", "is not a table", "Write [tool.hermes-sdk.check].")
        for key, value in table.items():
            self._check_key(key, tuple(_TYPES))
            if not isinstance(value, _TYPES[key]):
                raise self._wrong(key, f"is not of the type {_TYPES[key].__name__}", "Correct its type.")
        ignored = table.get("ignore", [])
        opening = "[[tool.hermes-sdk.check.ignore]]"
        lines = [number for number, line in enumerate(self._lines, 1) if line.startswith(opening)]
        lines += [self._line("ignore")] * (len(ignored) - len(lines))
        baseline = table.get("baseline")
        if baseline is not None and links.leads_out(self._file.parent / baseline, self._file.parent):
            raise self._wrong("baseline", "is a path out of the project", "Name a file of the project.")
        return Settings(
            table.get("target"),
            table.get("strict", False),
            self._file.parent / baseline if baseline is not None else None,
            tuple(self._read_ignored(entry, line) for entry, line in zip(ignored, lines, strict=False)),
        )

    def _read_ignored(self, entry: Any, line: int) -> Ignored:
        if not isinstance(entry, dict) or not all(isinstance(value, str) for value in entry.values()):
            raise self._wrong("ignore", "is not an array of tables of text", "Write [[tool.hermes-sdk.check.ignore]].")
        for key in entry:
            self._check_key(key, _IGNORE_KEYS)
        for key in ("code", "reason"):
            if not entry.get(key, "").strip():
                raise self._wrong("ignore", f"has an entry without a {key}", f"Say the {key} of each entry.")
        return Ignored(entry["code"], entry.get("path", "*"), line)

    def _check_key(self, key: str, known: tuple[str, ...]) -> None:
        if key not in known:
            from difflib import get_close_matches

            close = get_close_matches(key, known, n=1)
            hint = f"Did you mean {close[0]!r}?" if close else f"Known are {', '.join(known)}."
            raise self._wrong(key, "is no setting", hint)

    def _wrong(self, key: str, problem: str, fix: str) -> UsageError:
        return UsageError(f"[tool.hermes-sdk.check] {key} {problem}", where=f"{self._file}:{self._line(key)}", fix=fix)

    def _line(self, key: str) -> int:
        """Return where a key stands, as near as can be told without a parser that knows places."""
        tables = [number for number, line in enumerate(self._lines) if "tool.hermes-sdk.check" in line]
        start = tables[0] if tables else 0
        return next((number for number, line in enumerate(self._lines, 1) if number > start and key in line), 1)


TIME_LIMIT = 30.0
"""Seconds that a plugin has for loading."""


class Options(NamedTuple):
    """Options of one check.

    Attributes:
        release: The release of Hermes Agent that the plugin is judged for; None for `target`, or for the newest proven
            one that its manifest admits.
        target: A range of releases such as ``>=0.16``, instead of one release; None for that of the project's settings.
        static: Whether to run no code of the plugin, and leave out what only that shows.
        online: Whether rules may use the network.
        profile: ``catalog`` adds the admission rules of the public catalog.
        strict: Whether a warning, or a rule that could not run, fails the check; else the project's settings say so.
        baseline: The baseline file of known findings; None for that of the project's settings.
        use_baseline: Whether to leave out known findings.
        require_isolation: ``full`` to run no code of the plugin when a layer of the isolation is missing here.
        cache: The directory that keeps what static rules found in plugins that did not change; None for no cache.
        time_limit: Seconds that the plugin has for loading.
        host: The host that loads the plugin; None for `default_choice`.
        form: The only form to check; None for all.
        plugin: The name of the only plugin to check, in a project with several.
        select: The codes of the only rules to run; empty for all.
    """

    release: str | None = None
    target: str | None = None
    static: bool = False
    online: bool = False
    profile: Profile = "default"
    strict: bool = False
    baseline: Path | None = None
    use_baseline: bool = True
    require_isolation: Literal["full"] | None = None
    cache: Path | None = None
    time_limit: float = TIME_LIMIT
    host: HostChoice | None = None
    form: Form | None = None
    plugin: str = ""
    select: tuple[str, ...] = ()

    @property
    def installed(self) -> str:
        """The name of the user's own Hermes if its release was asked for, else empty."""
        return self.release if self.release and contract.split_location(self.release)[1] else ""

    def rules(self) -> Iterator[Rule]:
        """The rules that these options ask for.

        Raises:
            UsageError: A code is not that of a rule.
        """
        unknown = sorted(set(self.select).difference(rule.code for rule in RULES))
        if unknown:
            raise UsageError(
                f"There is no rule {', '.join(unknown)}", fix="`hermes-sdk explain` lists the rules of the check."
            )
        for rule in RULES:
            asked = not self.select or rule.code in self.select
            if asked and (self.online or rule.subject != "network") and rule.profile in ("default", self.profile):
                yield rule

    def releases(self, settings: Settings, declared: object = None) -> tuple[str, ...]:
        """The releases that a plugin is judged for, oldest first, by its source and by loading it.

        Releases that the embedded host is not proven for are among them only when the range has no other ones.

        Args:
            declared: What its manifest says with ``requires_hermes``.

        Raises:
            UsageError: The range cannot be read, or no known release lies in it.
        """
        if self.release is not None and self.target is not None:
            raise UsageError("One release and a range of releases are asked for.", fix="Give one of them.")
        if self.release is not None:
            load = contract.load_modelled if self.host == "embedded" else contract.load
            return (load(self.release).release,)
        target = self.target if self.target is not None else settings.target
        if target is None:
            return (_choose_release(declared),)
        try:
            found = _list_admitted(target)
        except ValueError as error:
            raise UsageError(
                f"the target cannot be read: {error}.", fix="Write for instance '>=0.16, <0.19'."
            ) from None
        if not found:
            known = ", ".join(contract.api_releases())
            raise UsageError(f"no known release of Hermes is {target}.", fix=f"Known are {known}.")
        return found

    def later_releases(self, settings: Settings) -> tuple[str, ...]:
        """The rest of a range of releases, oldest first: those that a plugin is judged for by its source alone."""
        target = self.target if self.target is not None else settings.target
        if self.release is not None or target is None:
            return ()
        wanted = Supported.parse(target)
        rest = {*contract.api_releases()}.difference(self.releases(settings))
        return tuple(release for release in contract.api_releases() if release in rest and wanted.admits(release))


def _choose_release(declared: object) -> str:
    """Return the default release, or the newest one that the manifest admits when it excludes that one."""
    try:
        admitted = _list_admitted(declared) if isinstance(declared, str) else ()
    except ValueError:
        admitted = ()
    return prefer_default(admitted)


def prefer_default(admitted: Sequence[str]) -> str:
    """Return the newest of some releases, oldest first; the default release if it is among them or there are none."""
    return contract.DEFAULT if not admitted or contract.DEFAULT in admitted else admitted[-1]


def _list_admitted(text: str) -> tuple[str, ...]:
    """List the proven releases in a range, or those whose APIs are known when it has no proven one."""
    wanted = Supported.parse(text)
    proven = tuple(release for release in contract.releases() if wanted.admits(release))
    return proven or tuple(release for release in contract.api_releases() if wanted.admits(release))
