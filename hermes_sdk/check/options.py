"""Options of a check, and settings in the table ``[tool.hermes-sdk.check]`` of a project."""

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


class IgnoredRule(NamedTuple):
    """Rule that a project ignores.

    Attributes:
        path: Pattern of the files, relative to the project.
    """

    code: str
    path: str
    line: int

    def covers(self, code: str, path: str) -> bool:
        """Return whether the entry applies to the findings of a rule in a file."""
        return code == self.code and fnmatch(path, self.path)


class Settings(NamedTuple):
    """Settings of a project in its ``pyproject.toml``::

        [tool.hermes-sdk.check]
        target = ">=0.16"                    # the releases to check
        strict = true                        # also fail for warnings
        baseline = "check-baseline.json"     # known findings

        [[tool.hermes-sdk.check.ignore]]
        code = "HS205"
        path = "legacy/*"                    # optional
        reason = "registered only with a key"

    Attributes:
        target: A range of releases, or None.
        strict: Whether warnings and rules that could not run fail the check.
        baseline: The baseline file of known findings, or None.
        ignored: In the order of the file.
    """

    target: str | None = None
    strict: bool = False
    baseline: Path | None = None
    ignored: tuple[IgnoredRule, ...] = ()

    @classmethod
    def load(cls, plugin: Plugin) -> Settings:
        """Read the settings of a plugin's project. The target of its workspace applies if the project has none.

        Raises:
            UsageError: The settings are invalid.
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
        return _SettingsReader(plugin).settings(table)


class _SettingsReader:
    def __init__(self, plugin: Plugin) -> None:
        self._file = plugin.pyproject_file
        self._lines = plugin.read(self._file).splitlines() if plugin.pyproject else []

    def settings(self, table: Any) -> Settings:
        if not isinstance(table, dict):
            raise self._make_error("check", "is not a table", "Write [tool.hermes-sdk.check].")
        for key, value in table.items():
            self._check_key(key, tuple(_TYPES))
            if not isinstance(value, _TYPES[key]):
                raise self._make_error(key, f"is not of the type {_TYPES[key].__name__}", "Correct its type.")
        ignored = table.get("ignore", [])
        opening = "[[tool.hermes-sdk.check.ignore]]"
        lines = [number for number, line in enumerate(self._lines, 1) if line.startswith(opening)]
        lines += [self._line("ignore")] * (len(ignored) - len(lines))
        baseline = table.get("baseline")
        if baseline is not None and links.leads_out(self._file.parent / baseline, self._file.parent):
            raise self._make_error("baseline", "points outside the project", "Name a file of the project.")
        return Settings(
            table.get("target"),
            table.get("strict", False),
            self._file.parent / baseline if baseline is not None else None,
            tuple(self._read_ignored(entry, line) for entry, line in zip(ignored, lines, strict=False)),
        )

    def _read_ignored(self, entry: Any, line: int) -> IgnoredRule:
        if not isinstance(entry, dict) or not all(isinstance(value, str) for value in entry.values()):
            raise self._make_error(
                "ignore", "is not an array of tables with texts", "Write [[tool.hermes-sdk.check.ignore]]."
            )
        for key in entry:
            self._check_key(key, _IGNORE_KEYS)
        for key in ("code", "reason"):
            if not entry.get(key, "").strip():
                raise self._make_error("ignore", f"has an entry without a {key}", f"Add a {key} to each entry.")
        return IgnoredRule(entry["code"], entry.get("path", "*"), line)

    def _check_key(self, key: str, known: tuple[str, ...]) -> None:
        if key not in known:
            from difflib import get_close_matches

            close = get_close_matches(key, known, n=1)
            hint = f"Did you mean {close[0]!r}?" if close else f"The known settings are {', '.join(known)}."
            raise self._make_error(key, "is not a known setting", hint)

    def _make_error(self, key: str, problem: str, fix: str) -> UsageError:
        return UsageError(f"[tool.hermes-sdk.check] {key} {problem}", where=f"{self._file}:{self._line(key)}", fix=fix)

    def _line(self, key: str) -> int:
        """Return the line of a key, found by text search because the TOML parser reports no positions."""
        tables = [number for number, line in enumerate(self._lines) if "tool.hermes-sdk.check" in line]
        start = tables[0] if tables else 0
        return next((number for number, line in enumerate(self._lines, 1) if number > start and key in line), 1)


TIME_LIMIT = 30.0
"""Seconds within which a plugin must load."""


class Options(NamedTuple):
    """Options of one check.

    Attributes:
        release: The release of Hermes Agent to check for; None for `target`, or for the newest proven release that the
            manifest admits.
        target: A range of releases such as ``>=0.16``, instead of one release; None for that of the project's settings.
        static: Whether to run no code of the plugin and skip the rules that need it.
        online: Whether rules may use the network.
        profile: ``catalog`` adds the admission rules of the public catalog.
        strict: Whether warnings and rules that could not run fail the check; False for the project's setting.
        baseline: The baseline file of known findings; None for that of the project's settings.
        use_baseline: Whether to drop known findings.
        require_isolation: ``full`` to run no code of the plugin if an isolation layer is missing.
        cache: The directory with the cached outcomes of static rules; None for no cache.
        time_limit: Seconds within which the plugin must load.
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
        """The name of the user's own Hermes if `release` selects it, else empty."""
        return self.release if self.release and contract.split_location(self.release)[1] else ""

    def rules(self) -> Iterator[Rule]:
        """Yield the selected rules.

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
        """Return the releases on which to load and check a plugin, oldest first.

        Releases without a proven embedded host are included only if the range has no others.

        Args:
            declared: The value of ``requires_hermes`` in the manifest.

        Raises:
            UsageError: The range is invalid, or contains no known release.
        """
        if self.release is not None and self.target is not None:
            raise UsageError("Both a release and a range of releases are given.", fix="Give one of them.")
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
                f"the target cannot be read: {error}.", fix="For example, write '>=0.16, <0.19'."
            ) from None
        if not found:
            known = ", ".join(contract.api_releases())
            raise UsageError(f"no known release of Hermes matches {target}.", fix=f"Known releases are {known}.")
        return found

    def later_releases(self, settings: Settings) -> tuple[str, ...]:
        """Return the remaining releases of a range, oldest first, for which only the source is checked."""
        target = self.target if self.target is not None else settings.target
        if self.release is not None or target is None:
            return ()
        wanted = Supported.parse(target)
        rest = {*contract.api_releases()}.difference(self.releases(settings))
        return tuple(release for release in contract.api_releases() if release in rest and wanted.admits(release))


def _choose_release(declared: object) -> str:
    """Return the default release, or the newest admitted release if the manifest excludes the default."""
    try:
        admitted = _list_admitted(declared) if isinstance(declared, str) else ()
    except ValueError:
        admitted = ()
    return prefer_default(admitted)


def prefer_default(admitted: Sequence[str]) -> str:
    """Return the default release if it is admitted or if there are no releases, else the newest admitted release.

    Args:
        admitted: The admitted releases, oldest first.
    """
    return contract.DEFAULT if not admitted or contract.DEFAULT in admitted else admitted[-1]


def _list_admitted(text: str) -> tuple[str, ...]:
    """List the proven releases in a range, or all known releases in it if none is proven."""
    wanted = Supported.parse(text)
    proven = tuple(release for release in contract.releases() if wanted.admits(release))
    return proven or tuple(release for release in contract.api_releases() if wanted.admits(release))
