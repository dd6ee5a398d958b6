"""YAML documents with positions: their value, the nodes of their values, and where a text is not YAML."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import yaml

from hermes_sdk.manifest.model import Diagnostic, Parsed, find_place
from hermes_sdk.manifest.nodes import find_duplicates
from hermes_sdk.manifest.safe_loader import Loader, RefusedError, compose_yaml, construct_yaml

_Place = tuple[int, int]


def explain_syntax(error: yaml.MarkedYAMLError, text: str) -> tuple[str, _Place]:
    """Return what is wrong with a text that is not YAML, and the line and the column of it, counted from 1."""
    mark = error.problem_mark or error.context_mark
    place = _place(mark) if mark else (1, 1)
    opening = _find_open_quote(error, text, place)
    if opening:
        return "this quote is never closed", opening
    return f"{error.problem} {error.context or ''}".rstrip(), place


def _find_open_quote(error: yaml.MarkedYAMLError, text: str, place: _Place) -> _Place | None:
    """Find the quote to blame for an error at a place: the last one, when its text runs over the end of its line.

    An open quote is closed by the next one of its kind, on a later line, and what follows there makes no sense.
    """
    if "quoted scalar" in str(error.context) and error.context_mark:
        return _place(error.context_mark)
    last: yaml.Token | None = None
    try:
        for token in yaml.scan(text, Loader):
            if _place(token.start_mark) >= place:
                break
            last = token
    except yaml.MarkedYAMLError:
        pass
    if not isinstance(last, yaml.ScalarToken) or last.style not in ("'", '"'):
        return None
    start, end = _place(last.start_mark), _place(last.end_mark)
    return start if start[0] < end[0] == place[0] else None


def _place(mark: yaml.Mark) -> _Place:
    return mark.line + 1, mark.column + 1


_MAX_NODES = 5_000


def parse_document(text: str, path: Path) -> Parsed:
    """Read a document; whatever is wrong with it becomes a diagnostic."""
    root: yaml.Node | None = None
    try:
        root = compose_yaml(text, max_nodes=_MAX_NODES)
        if root is None:
            return Parsed(path, {})
        repeated = [
            Diagnostic.of("HS108", f"{message}: the host takes the last one", path, place)
            for message, place in find_duplicates(root)
        ]
        value = construct_yaml(root) or {}
    except Exception as error:
        return Parsed.unreadable(path, *_explain(error, text, root))
    parsed = Parsed(path, value, repeated, lambda: root)
    if not isinstance(value, dict):
        message = f"the manifest is {'a list' if isinstance(value, list) else 'a single value'}, not a mapping"
        parsed.problems.append(Diagnostic.of("HS107", message, path, parsed.position()))
    return parsed


def _explain(error: Exception, text: str, root: yaml.Node | None) -> tuple[str, str, tuple[int, int]]:
    """Return code, message and place of what went wrong while reading."""
    if isinstance(error, RefusedError):
        return "HS111", f"the manifest is refused: {error}", (1, 1)
    if isinstance(error, yaml.reader.ReaderError):
        character = int(error.character)
        return (
            "HS104",
            f"YAML does not allow the character U+{character:04X}",
            find_place(text, text.find(chr(character))),
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
