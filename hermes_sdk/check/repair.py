"""Repairs: how a rule makes one, and how `--fix` applies them."""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Hashable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from hermes_sdk.check.model import Edit, Finding, Repair
from hermes_sdk.check.plugin import Plugin
from hermes_sdk.check.source import MAX_BYTES, Source, encoding_of
from hermes_sdk.documents import read_bytes
from hermes_sdk.manifest import diagnose, parse_text
from hermes_sdk.manifest.load import YamlReader, reading_errors


def set_in_manifest(plugin: Plugin, keys: Sequence[str], value: Any, *, safe: bool = True) -> Repair | None:
    """A repair that gives a field of the manifest a value, and leaves comments, order and all other fields as they are.

    Args:
        keys: The path to the field; what is missing is added.
        value: Its new value, of YAML's plain types.
        safe: See `Repair`.

    Returns:
        The repair; None when the manifest is so written that it cannot be changed at that place alone, or when it
        would be wrong in another way afterwards.
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
    if not _reads(plugin, new, keys, value) or _is_worse(plugin, new):
        return None
    return _rewritten(plugin.relative(manifest.path), text, new, safe)


def replace_in_manifest(plugin: Plugin, keys: Sequence[Hashable], old: str, new: str, *, safe: bool) -> Repair | None:
    """A repair that replaces a text at the place of a key or an item of the manifest: to rename a key, or to quote.

    Args:
        keys: The path, as `Parsed.position` takes it.
        old: What stands there now.
        new: The new text.
        safe: See `Repair`.

    Returns:
        The repair; None when `old` does not stand on that line, or when the manifest would be wrong in another way
        afterwards.
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
    """A repair that puts a text in the place of a node."""
    assert node.end_lineno is not None
    assert node.end_col_offset is not None
    start = source.offset(node.lineno, node.col_offset)
    end = source.offset(node.end_lineno, node.end_col_offset)
    return Repair((Edit(source.path, start, end, text),), safe)


class Repaired(NamedTuple):
    """Result of applying repairs.

    Attributes:
        before: The text of each changed file, by path.
    """

    before: Mapping[str, str]
    after: Mapping[str, str]
    encodings: Mapping[str, str]
    findings: tuple[Finding, ...]

    def diff(self) -> str:
        """The changes as a unified diff."""
        return "".join(_diff(path, self.before[path], self.after[path]) for path in sorted(self.after))

    def write(self, base: Path, root: Path | None = None, *, durable: bool = True) -> None:
        """Write all changed files, or none. A link within the project stays; its target is changed.

        Args:
            base: As for `repair`.
            root: As for `repair`.
            durable: Whether a crash must not harm them; needless in a copy that goes away itself.

        Raises:
            UnavailableError: A file cannot be written.
        """
        from hermes_sdk.files import write_files

        contents = {base / path: text.encode(self.encodings[path]) for path, text in self.after.items()}
        write_files(contents, root=root or base, durable=durable, journalled=durable)


def repair(findings: Iterable[Finding], base: Path, root: Path | None = None, *, unsafe: bool = False) -> Repaired:
    """Work out what files are like after the repairs of findings.

    A repair is left out when it touches one before it, or when the file could not be read after both. Checking again
    finds it again.

    Args:
        findings: The findings; those without a repair are passed over.
        base: The directory that their paths are relative to.
        root: The directory that no link leads out of. Default: `base`.
        unsafe: Whether to apply repairs that are not safe, too.
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
            before[path] = data[path].decode(encoding_of(data[path]))
        combined = _combine(made, wanted.edits)
        if combined is not None and all(_is_readable(path, before[path], edits) for path, edits in combined.items()):
            repaired.append(finding)
            made |= combined
    before = {path: before[path] for path in made}
    encodings = {path: encoding_of(data[path]) for path in made}
    from hermes_sdk.files import keep_line_ends

    after = {path: keep_line_ends(text, _apply(text, made[path])) for path, text in before.items()}
    return Repaired(before, after, encodings, tuple(repaired))


def _combine(made: Mapping[str, list[Edit]], wanted: Iterable[Edit]) -> dict[str, list[Edit]] | None:
    """Return the edits of the files that more edits change; None when one touches another."""
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
    """Return whether a file of YAML or Python can be read after its edits, if it could before."""
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


def _reads(plugin: Plugin, text: str, keys: Sequence[str], value: Any) -> bool:
    """Return whether the new text changes only one value, for every release that can read the manifest."""
    for reader in _READERS:
        manifest = plugin.manifest_as(reader)
        if manifest is None or not isinstance(manifest.value, dict):
            continue
        if parse_text(text, manifest.path, reader=reader).value != _with(manifest.value, keys, value):
            return False
    return True


def _is_worse(plugin: Plugin, text: str) -> bool:
    """Return whether the new text adds a problem on any release."""
    assert plugin.manifest is not None
    for reader in _READERS:
        after = Counter(found.code for found in diagnose(parse_text(text, plugin.manifest.path, reader=reader)))
        if not after <= Counter(found.code for found in plugin.diagnose_as(reader)):
            return True
    return False


def _text(plugin: Plugin, file: Path) -> str:
    data = _read(file, plugin.located.project)
    return data.decode(encoding_of(data))


def _read(file: Path, root: Path) -> bytes:
    return read_bytes(file, root=root, max_bytes=MAX_BYTES)


def _with(value: Any, keys: Sequence[str], new: Any) -> Any:
    if not keys:
        return new
    inner = value if isinstance(value, dict) else {}
    return {**inner, keys[0]: _with(inner.get(keys[0]), keys[1:], new)}


def _rewritten(path: str, old: str, new: str, safe: bool) -> Repair:
    """The repair that makes one text of another, as one edit of the whole lines that differ."""
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
