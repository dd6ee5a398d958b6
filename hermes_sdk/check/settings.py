"""What a project says about its own check: the table ``[tool.hermes-sdk.check]`` of its ``pyproject.toml``.

[tool.hermes-sdk.check]
target = ">=0.16"                    # the releases that it is judged for
strict = true                        # warnings fail, too
baseline = "check-baseline.json"     # known findings

[[tool.hermes-sdk.check.ignore]]
code = "HS205"
path = "legacy/*"                    # optional
reason = "registered only with a key"
"""

from __future__ import annotations

from collections.abc import Mapping
from fnmatch import fnmatch
from pathlib import Path
from typing import Any, NamedTuple

from hermes_sdk.check.plugin import Plugin
from hermes_sdk.errors import UsageError

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
        """Whether it is about the findings of a rule in a file."""
        return code == self.code and fnmatch(path, self.path)


class Settings(NamedTuple):
    """The settings of a project.

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
        """Read the settings of a plugin's project.

        Raises:
            UsageError: They cannot be understood.
        """
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
        """Where a key stands, as near as can be told without a parser that knows places."""
        tables = [number for number, line in enumerate(self._lines) if "tool.hermes-sdk.check" in line]
        start = tables[0] if tables else 0
        return next((number for number, line in enumerate(self._lines, 1) if number > start and key in line), 1)
