"""Repairs: functions with which rules create them, and `repair`, with which `--fix` applies them."""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Hashable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from hermes_sdk.check.model import Edit, Finding, Repair
from hermes_sdk.check.plugin import Plugin
from hermes_sdk.check.source import MAX_BYTES, Source, detect_encoding
from hermes_sdk.documents import read_bytes
from hermes_sdk.manifest import diagnose, parse_text
from hermes_sdk.manifest.load import YamlReader, reading_errors


def set_in_manifest(plugin: Plugin, keys: Sequence[str], value: Any, *, safe: bool = True) -> Repair | None:
    """Create a repair that sets a field of the manifest, and keeps comments, order and all other fields.

    Args:
        keys: The path to the field; missing parents are added.
        value: The new value, of YAML's plain types.
        safe: See `Repair`.

    Returns:
        The repair; None if the field cannot be changed without changing others, or if the result has a new problem.
    """
    from hermes_sdk.home.edit import set_value

    manifest = plugin.manifest
    if manifest is None or not isinstance(manifest.value, dict):
        return None
    text = _text(plugin, manifest.path)
    try:
        new = set_value(text, keys, value)
    except reading_errors():
        return None
    if not _changes_only(plugin, new, keys, value) or _is_worse(plugin, new):
        return None
    return _replace_lines(plugin.relative(manifest.path), text, new, safe)


def replace_in_manifest(plugin: Plugin, keys: Sequence[Hashable], old: str, new: str, *, safe: bool) -> Repair | None:
    """Create a repair that replaces text at a key or an item of the manifest, to rename the key or quote the value.

    Args:
        keys: The path, as for `Parsed.position`.
        old: The current text.
        new: The new text.
        safe: See `Repair`.

    Returns:
        The repair; None if `old` is not on that line, or if the result has a new problem.
    """
    from hermes_sdk.check.source import split_lines

    manifest = plugin.manifest
    if manifest is None:
        return None
    whole = _text(plugin, manifest.path)
    lines = split_lines(whole)
    line, column = manifest.position(*keys)
    at = lines[line - 1].find(old, column - 1) if line <= len(lines) else -1
    if at < 0:
        return None
    start = sum(map(len, lines[: line - 1])) + at
    edit = Edit(plugin.relative(manifest.path), start, start + len(old), new)
    return None if _is_worse(plugin, _apply(whole, [edit])) else Repair((edit,), safe)


def replace_in_source(source: Source, node: ast.expr | ast.stmt, text: str, *, safe: bool) -> Repair:
    """Create a repair that replaces a node of the source."""
    assert node.end_lineno is not None
    assert node.end_col_offset is not None
    start = source.offset(node.lineno, node.col_offset)
    end = source.offset(node.end_lineno, node.end_col_offset)
    return Repair((Edit(source.path, start, end, text),), safe)


class RepairResult(NamedTuple):
    """Result of applying repairs.

    Attributes:
        before: The original text of each changed file, by path.
        after: The new text.
    """

    before: Mapping[str, str]
    after: Mapping[str, str]
    encodings: Mapping[str, str]
    findings: tuple[Finding, ...]

    def diff(self) -> str:
        """Return the changes as a unified diff."""
        return "".join(_diff(path, self.before[path], self.after[path]) for path in sorted(self.after))

    def write(self, base: Path, root: Path | None = None, *, durable: bool = True) -> None:
        """Write all changed files atomically. A symbolic link within the project is kept, and its target changed.

        Args:
            base: As for `repair`.
            root: As for `repair`.
            durable: Whether the files must survive a crash; not needed in a temporary copy.

        Raises:
            UnavailableError: A file cannot be written.
        """
        from hermes_sdk.files import write_files

        contents = {base / path: text.encode(self.encodings[path]) for path, text in self.after.items()}
        write_files(contents, root=root or base, durable=durable, journalled=durable)


def repair(findings: Iterable[Finding], base: Path, root: Path | None = None, *, unsafe: bool = False) -> RepairResult:
    """Compute the files after the repairs of findings.

    A repair is skipped if it overlaps an earlier one, or if the file would no longer parse. The next check reports its
    finding again.

    Args:
        findings: The findings; those without a repair are skipped.
        base: The directory that their paths are relative to.
        root: Symbolic links must stay in this directory. Default: `base`.
        unsafe: Whether to include unsafe repairs.
    """
    made: dict[str, list[Edit]] = {}
    repaired: list[Finding] = []
    data: dict[str, bytes] = {}
    before: dict[str, str] = {}
    for finding in findings:
        wanted = finding.repair
        if wanted is None or not (wanted.safe or unsafe):
            continue
        for path in {edit.path for edit in wanted.edits} - {*data}:
            data[path] = _read(base / path, root or base)
            before[path] = data[path].decode(detect_encoding(data[path]))
        combined = _combine(made, wanted.edits)
        if combined is not None and all(_is_readable(path, before[path], edits) for path, edits in combined.items()):
            repaired.append(finding)
            made |= combined
    before = {path: before[path] for path in made}
    encodings = {path: detect_encoding(data[path]) for path in made}
    from hermes_sdk.files import keep_line_ends

    after = {path: keep_line_ends(text, _apply(text, made[path])) for path, text in before.items()}
    return RepairResult(before, after, encodings, tuple(repaired))


def _combine(made: Mapping[str, list[Edit]], wanted: Iterable[Edit]) -> dict[str, list[Edit]] | None:
    """Return all edits of each file that the new edits change, including earlier ones; None if two edits overlap."""
    found: dict[str, list[Edit]] = {}
    for edit in wanted:
        edits = found.setdefault(edit.path, [*made.get(edit.path, ())])
        if edit in edits:
            continue
        if any(edit.start <= other.end and other.start <= edit.end for other in made.get(edit.path, ())):
            return None
        edits.append(edit)
    return found


def _is_readable(path: str, before: str, edits: Iterable[Edit]) -> bool:
    """Return whether a YAML or Python file that could be parsed still can be after its edits."""
    after = _apply(before, edits)
    if path.endswith((".yaml", ".yml")):
        return all(
            isinstance(parse_text(after, Path(path), reader=reader).value, dict)
            for reader in _READERS
            if isinstance(parse_text(before, Path(path), reader=reader).value, dict)
        )
    if path.endswith(".py"):
        return _is_python(after) or not _is_python(before)
    return True


def _is_python(text: str) -> bool:
    try:
        ast.parse(text)
    except (SyntaxError, ValueError, RecursionError):
        return False
    return True


_READERS: tuple[YamlReader, ...] = ("ruamel", "libyaml")


def _changes_only(plugin: Plugin, text: str, keys: Sequence[str], value: Any) -> bool:
    """Return whether the new text changes only one value, with every reader that can read the manifest."""
    for reader in _READERS:
        manifest = plugin.manifest_as(reader)
        if manifest is None or not isinstance(manifest.value, dict):
            continue
        if parse_text(text, manifest.path, reader=reader).value != _set_value(manifest.value, keys, value):
            return False
    return True


def _is_worse(plugin: Plugin, text: str) -> bool:
    """Return whether the new text has a new problem with any reader."""
    assert plugin.manifest is not None
    for reader in _READERS:
        after = Counter(found.code for found in diagnose(parse_text(text, plugin.manifest.path, reader=reader)))
        if not after <= Counter(found.code for found in plugin.diagnose_as(reader)):
            return True
    return False


def _text(plugin: Plugin, file: Path) -> str:
    data = _read(file, plugin.located.project)
    return data.decode(detect_encoding(data))


def _read(file: Path, root: Path) -> bytes:
    return read_bytes(file, root=root, max_bytes=MAX_BYTES)


def _set_value(value: Any, keys: Sequence[str], new: Any) -> Any:
    if not keys:
        return new
    inner = value if isinstance(value, dict) else {}
    return {**inner, keys[0]: _set_value(inner.get(keys[0]), keys[1:], new)}


def _replace_lines(path: str, old: str, new: str, safe: bool) -> Repair:
    """Create a repair that replaces the differing lines with one edit."""
    from hermes_sdk.check.source import split_lines

    before, after = split_lines(old), split_lines(new)
    start = 0
    while start < min(len(before), len(after)) and before[start] == after[start]:
        start += 1
    end = 0
    while end < min(len(before), len(after)) - start and before[-1 - end] == after[-1 - end]:
        end += 1
    first, last = sum(map(len, before[:start])), len(old) - sum(map(len, before[len(before) - end :]))
    return Repair((Edit(path, first, last, "".join(after[start : len(after) - end])),), safe)


def _apply(text: str, edits: Iterable[Edit]) -> str:
    for edit in sorted(edits, key=lambda edit: edit.start, reverse=True):
        text = text[: edit.start] + edit.text + text[edit.end :]
    return text


def _diff(path: str, before: str, after: str) -> str:
    import difflib

    lines = difflib.unified_diff(
        before.splitlines(keepends=True), after.splitlines(keepends=True), f"a/{path}", f"b/{path}"
    )
    return "".join(line if line.endswith("\n") else f"{line}\n\\ No newline at end of file\n" for line in lines)
