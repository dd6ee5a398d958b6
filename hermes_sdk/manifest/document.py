"""YAML documents with positions: values, nodes, and places of syntax errors."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from hermes_sdk.manifest.limits import RefusedError
from hermes_sdk.manifest.load import YamlReader, load_yaml
from hermes_sdk.manifest.model import Diagnostic, Parsed, find_place
from hermes_sdk.manifest.nodes import construct_node, find_duplicates

_Place = tuple[int, int]


def explain_syntax(error: Any, text: str) -> tuple[str, _Place]:
    """Return the problem of a text that is not valid YAML, with line and column, counted from 1.

    Args:
        error: A `MarkedYAMLError` of either library.
    """
    mark = error.problem_mark or error.context_mark
    place = _place(mark) if mark else (1, 1)
    opening = _find_open_quote(error, text, place)
    if opening:
        return "this quote is never closed", opening
    return f"{error.problem} {error.context or ''}".rstrip(), place


def _find_open_quote(error: Any, text: str, place: _Place) -> _Place | None:
    """Return the place of the unclosed quote that causes an error: the last one, if its text spans lines.

    An unclosed quote ends at the next quote of the same kind on a later line, and the text after that is not valid.
    """
    if "quoted scalar" in str(error.context) and error.context_mark:
        return _place(error.context_mark)
    # Imported only here: a text that ruamel.yaml can read needs no second library.
    from hermes_sdk.manifest.safe_loader import Loader, yaml

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


def _place(mark: Any) -> _Place:
    return mark.line + 1, mark.column + 1


_MAX_NODES = 5_000


def parse_document(text: str, path: Path, reader: YamlReader) -> Parsed:
    """Read a document; problems become diagnostics."""
    root: Any = None
    try:
        root = compose_document(text, reader, max_nodes=_MAX_NODES)
        if root is None:
            return Parsed(path, {})
        value = load_yaml(text, reader) or {}
    except Exception as error:
        return _explain(error, text, root, path)
    repeated = [
        Diagnostic.of("HS108", f"{message}: the host takes the last one", path, place)._replace(severity="warning")
        for message, place in find_duplicates(root)
        if reader != "ruamel"
    ]
    parsed = Parsed(path, value, repeated, lambda: root)
    if not isinstance(value, dict):
        message = f"the manifest is {'a list' if isinstance(value, list) else 'a single value'}, not a mapping"
        parsed.problems.append(Diagnostic.of("HS107", message, path, parsed.position()))
    return parsed


def compose_document(text: str, reader: YamlReader, *, max_nodes: int) -> Any:
    """Return the nodes of a document from a reader's library; None for an empty document."""
    if reader == "ruamel":
        from hermes_sdk.manifest.ruamel_loader import compose_yaml as compose_by_ruamel

        return compose_by_ruamel(text, max_nodes=max_nodes)
    from hermes_sdk.manifest.safe_loader import compose_yaml

    return compose_yaml(text, max_nodes=max_nodes)


def _explain(error: Any, text: str, root: Any, path: Path) -> Parsed:
    """Return the diagnostics of an error while reading; `root` is None if the text is not valid YAML."""
    kinds = {one.__name__ for one in type(error).__mro__}  # Both libraries use the same class names.
    if "DuplicateKeyError" in kinds:
        return Parsed(path, None, _explain_duplicates(error, root, path))
    if isinstance(error, RefusedError):
        return Parsed.unreadable(path, "HS111", f"the manifest is not parsed: {error}")
    if "ReaderError" in kinds:
        character = int(error.character)
        message = f"YAML does not allow the character U+{character:04X}"
        return Parsed.unreadable(path, "HS104", message, find_place(text, text.find(chr(character))))
    if "ConstructorError" in kinds and "could not determine a constructor" in str(error):
        message = f"the tag {str(error.problem).rpartition(' ')[2]} is not known to the host"
        return Parsed.unreadable(path, "HS109", message, _error_place(error))
    if "ConstructorError" in kinds:
        return Parsed.unreadable(path, "HS110", f"YAML cannot read this value: {error.problem}", _error_place(error))
    if "MarkedYAMLError" in kinds:
        return Parsed.unreadable(path, *_explain_syntax(error, text))
    culprit = _find_invalid_scalar(root) if root else None
    place = _place(culprit.start_mark) if culprit else (1, 1)
    return Parsed.unreadable(path, "HS110", f"YAML cannot read this value: {error or type(error).__name__}", place)


def _explain_duplicates(error: Any, root: Any, path: Path) -> list[Diagnostic]:
    """Return diagnostics for all duplicate keys with equal text, or else for the first with an equal value."""
    found = find_duplicates(root) if root else []
    if not found:
        key = str(error.problem).partition(" with value ")[0].removeprefix("found duplicate key ")
        found = [(f"this key, which YAML reads as {key}, is a duplicate", _error_place(error))]
    return [
        Diagnostic.of("HS108", f"{message}: the host rejects the manifest", path, place) for message, place in found
    ]


def _explain_syntax(error: Any, text: str) -> tuple[str, str, _Place]:
    line, column = _error_place(error)
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


def _error_place(error: Any) -> _Place:
    mark = error.problem_mark or error.context_mark
    return _place(mark) if mark else (1, 1)


def _find_invalid_scalar(node: Any) -> Any:
    """Return the scalar that its constructor rejects."""
    if node.id == "scalar":
        try:
            construct_node(node)
        except Exception:
            return node
        return None
    pairs: list[Any] = node.value if node.id == "mapping" else [node.value]
    return next(filter(None, (_find_invalid_scalar(child) for pair in pairs for child in pair)), None)
