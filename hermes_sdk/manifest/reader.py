"""From the bytes of a manifest to the value that the host sees, in one parse, with every problem located.

What the host does (statements A17 to A24): decode UTF-8, load one YAML document of plain types, take a false value for
an empty mapping. A document so large, deep or self-referring that it can only be an attack is refused before it costs
anything.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import yaml

from hermes_sdk.documents import DocumentError, read_bytes
from hermes_sdk.manifest.load import RefusedError, compose_yaml, construct_yaml
from hermes_sdk.manifest.model import Diagnostic, Parsed
from hermes_sdk.manifest.syntax import explain_syntax

MAX_BYTES = 64 * 1024
MAX_NODES = 5_000


def parse(path: Path) -> Parsed:
    """Read a manifest. Bad content never raises: it gives diagnostics.

    Args:
        path: The file `plugin.yaml`.

    Returns:
        What the host sees, and what is wrong.
    """
    try:
        if not path.is_file():
            reason = "it is not a file" if path.exists() else "it does not exist"
            return _unreadable(path, "HS101", f"the manifest cannot be read: {reason}")
        data = read_bytes(path, max_bytes=MAX_BYTES)
    except DocumentError as error:
        return _unreadable(path, "HS111", f"the manifest is refused: {error}")
    except OSError as error:
        return _unreadable(path, "HS101", f"the manifest cannot be read: {error.strerror or error}")
    return parse_text(data, path)


def parse_text(data: bytes | str, path: Path) -> Parsed:
    """Read a manifest that is in memory.

    Args:
        data: The content of the file.
        path: Its name, for messages.

    Returns:
        What the host sees, and what is wrong.
    """
    if len(data) > MAX_BYTES:
        return _unreadable(path, "HS111", f"the manifest is larger than {MAX_BYTES // 1024} KiB")
    try:
        raw = data.encode() if isinstance(data, str) else data
        text = raw.decode("utf-8")
    except UnicodeEncodeError as error:
        return _unreadable(path, "HS102", "the text contains an unpaired surrogate", _place(error.object, error.start))
    except UnicodeDecodeError as error:
        before = error.object[: error.start].decode("utf-8")
        message = f"byte 0x{error.object[error.start]:02x} is not UTF-8"
        return _unreadable(path, "HS102", message, _place(before, len(before)))
    parsed = _parse(text.removeprefix("\ufeff"), path)
    if text.startswith("\ufeff"):
        parsed.problems.append(Diagnostic.of("HS103", "the file starts with a byte order mark", path, (1, 1)))
    return parsed


def _parse(text: str, path: Path) -> Parsed:
    root: yaml.Node | None = None
    try:
        root = compose_yaml(text, max_nodes=MAX_NODES)
        if root is None:
            return Parsed(path, {})
        repeated = [
            Diagnostic.of("HS108", f"{message}: the host takes the last one", path, place)
            for message, place in duplicates(root)
        ]
        value = construct_yaml(root) or {}
    except Exception as error:
        return _unreadable(path, *_explain(error, text, root))
    parsed = Parsed(path, value, repeated, root)
    if not isinstance(value, dict):
        message = f"the manifest is {'a list' if isinstance(value, list) else 'a single value'}, not a mapping"
        parsed.problems.append(Diagnostic.of("HS107", message, path, parsed.position()))
    return parsed


def _unreadable(path: Path, code: str, message: str, place: tuple[int, int] = (1, 1)) -> Parsed:
    return Parsed(path, None, [Diagnostic.of(code, message, path, place)])


def duplicates(root: yaml.Node) -> list[tuple[str, tuple[int, int]]]:
    """Find the keys of mappings that stand there again.

    Args:
        root: The document.

    Returns:
        For each what to say of it, and its line and column; in no order.
    """
    found: list[tuple[str, tuple[int, int]]] = []
    pending, visited = [root], set[int]()
    while pending:
        node = pending.pop()
        if id(node) in visited or not isinstance(node, yaml.CollectionNode):
            continue
        visited.add(id(node))
        if isinstance(node, yaml.SequenceNode):
            pending += node.value
            continue
        first: dict[tuple[str, str], int] = {}
        for key, value in node.value:
            pending.append(value)
            if not isinstance(key, yaml.ScalarNode):
                continue
            line, name = key.start_mark.line + 1, (key.tag, key.value)
            if name in first:
                message = f"'{key.value}' is a duplicate of line {first[name]}"
                found.append((message, (line, key.start_mark.column + 1)))
            first[name] = line
    return found


def _explain(error: Exception, text: str, root: yaml.Node | None) -> tuple[str, str, tuple[int, int]]:
    """Return code, message and place of what went wrong while reading."""
    if isinstance(error, RefusedError):
        return "HS111", f"the manifest is refused: {error}", (1, 1)
    if isinstance(error, yaml.reader.ReaderError):
        character = int(error.character)
        return (
            "HS104",
            f"YAML does not allow the character U+{character:04X}",
            _place(text, text.find(chr(character))),
        )
    if isinstance(error, yaml.constructor.ConstructorError) and "could not determine a constructor" in str(error):
        return "HS109", f"the tag {str(error.problem).rpartition(' ')[2]} is not known to the host", _mark(error)
    if isinstance(error, yaml.MarkedYAMLError) and root is None:
        return _explain_syntax(error, text)
    if isinstance(error, yaml.MarkedYAMLError):
        return "HS110", f"YAML cannot read this value: {error.problem}", _mark(error)
    culprit = _culprit(root) if root else None
    place = (culprit.start_mark.line + 1, culprit.start_mark.column + 1) if culprit else (1, 1)
    return "HS110", f"YAML cannot read this value: {error}", place


def _explain_syntax(error: yaml.MarkedYAMLError, text: str) -> tuple[str, str, tuple[int, int]]:
    line, column = _mark(error)
    if str(error.context).startswith("expected a single document"):
        return "HS106", "a second document starts here", (line, column)
    lines = text.split("\n")
    content = lines[line - 1] if line <= len(lines) else ""
    indent = content[: len(content) - len(content.lstrip(" \t"))]
    if "\t" in indent or content[column - 1 : column] == "\t":
        tab = indent.find("\t") + 1 or column
        return "HS105", "the line is indented with a tab; YAML allows only spaces", (line, tab)
    message, place = explain_syntax(error, text)
    return "HS104", f"not valid YAML: {message}", place


def _mark(error: yaml.MarkedYAMLError) -> tuple[int, int]:
    mark = error.problem_mark or error.context_mark
    return (mark.line + 1, mark.column + 1) if mark else (1, 1)


def _place(text: str, index: int) -> tuple[int, int]:
    before = text[: max(index, 0)]
    return before.count("\n") + 1, len(before) - before.rfind("\n")


def _culprit(node: yaml.Node) -> yaml.Node | None:
    """Return the scalar that its constructor does not take."""
    if isinstance(node, yaml.ScalarNode):
        try:
            yaml.constructor.SafeConstructor().construct_document(node)
        except Exception:
            return node
        return None
    pairs: list[Any] = node.value if isinstance(node, yaml.MappingNode) else [node.value]
    return next(filter(None, (_culprit(child) for pair in pairs for child in pair)), None)
