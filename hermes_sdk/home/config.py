"""The file `config.yaml`: read as the host reads it, edited without losing comments, order or keys of others."""

from __future__ import annotations

import copy
from collections.abc import Hashable, Iterator, Mapping
from typing import Any

from hermes_sdk.errors import UsageError
from hermes_sdk.manifest.load import YamlReader, load_yaml, reading_errors

REMOVED: Any = object()
"""As a value in changes: the key goes away."""


def parse_config(text: str, reader: YamlReader = "libyaml") -> tuple[dict[str, Any], str]:
    """Read a configuration as the host does: one that cannot be read counts as empty (statement B10).

    Returns:
        The configuration, and what is wrong with it on one line; empty when nothing is.
    """
    try:
        value = load_yaml(text, reader)
    except Exception as error:  # The host goes on with its defaults, whatever is wrong with the file.
        message, place = _explain(error, text)
        return {}, f"line {place[0]}, column {place[1]}: {message}" if place else " ".join(message.split())
    if value and not isinstance(value, dict):
        return {}, f"the file holds a {type(value).__name__}, not a mapping"
    return value or {}, ""


def edit_config(text: str, changes: Mapping[str, Any], where: str) -> str:
    """Merge changes into the text of a configuration: mappings key by key, every other value is replaced.

    In the section `plugins`, a mapping or a list does not replace a value of another type, which is a mistake.

    Args:
        text: The configuration as it is; may be empty.
        changes: The new values; `REMOVED` for a key that goes away.
        where: The file, for messages.

    Returns:
        The new text; the same when nothing changes.

    Raises:
        UsageError: The configuration is not readable YAML, a change would touch other keys, or `plugins` is odd.
    """
    from hermes_sdk.files import keep_line_ends
    from hermes_sdk.home.edit import remove_key, set_value

    start, before = text, _readable(text, where)
    _refuse_odd_values(text, before, {key: changes[key] for key in ("plugins",) if key in changes}, where)
    after = _merge_changes(before, changes)
    try:
        for keys, value in _differences(before, after):
            text = remove_key(text, keys) if value is REMOVED else set_value(text, keys, value)
        done = load_yaml(text) or {}
        exact = not any(_differences(done, after)) and not any(_differences(after, done))
    except reading_errors():
        exact = False
    if not exact:
        raise UsageError("the change would affect other keys of the file", where=where, fix="Edit the file by hand.")
    return keep_line_ends(start, text)


def _refuse_odd_values(
    text: str, value: Mapping[str, Any], changes: Mapping[str, Any], where: str, above: tuple[str, ...] = ()
) -> None:
    for key, new in changes.items():
        old, keys = value.get(key), (*above, key)
        if old is None or not isinstance(new, Mapping | list):
            continue
        if not (isinstance(old, dict) if isinstance(new, Mapping) else _is_list_of_names(old)):
            from hermes_sdk.home.edit import find_value

            line, column = find_value(text, keys)
            wanted = "a mapping" if isinstance(new, Mapping) else "a list of names"
            raise UsageError(
                f"`{'.'.join(keys)}` is not {wanted} but {str(old)[:40]!r}",
                where=f"{where}:{line}:{column}",
                fix="Correct the value or delete it first. Nothing was changed.",
            )
        if isinstance(new, Mapping):
            _refuse_odd_values(text, old, new, where, keys)


def _is_list_of_names(value: Any) -> bool:
    return isinstance(value, list) and all(isinstance(item, Hashable) for item in value)


def _readable(text: str, where: str) -> dict[str, Any]:
    try:
        value = load_yaml(text)
    except Exception as error:
        message, place = _explain(error, text)
        where = ":".join(map(str, (where, *place)))
        raise UsageError(f"not valid YAML: {message}", where=where, fix="Correct the file first.") from error
    if value and not isinstance(value, dict):
        raise UsageError(
            "the configuration is not a mapping", where=f"{where}:1:1", fix="Write it as `key: value` lines."
        )
    return value or {}


def _explain(error: Exception, text: str) -> tuple[str, tuple[()] | tuple[int, int]]:
    """Return what is wrong with a text that cannot be read, and the line and the column of it if they are known."""
    if not hasattr(error, "problem_mark"):
        return str(error), ()
    from hermes_sdk.manifest.document import explain_syntax

    return explain_syntax(error, text)


def _merge_changes(target: Any, changes: Mapping[str, Any]) -> dict[str, Any]:
    merged = dict(target) if isinstance(target, dict) else {}
    for key, value in changes.items():
        if value is REMOVED:
            merged.pop(key, None)
        else:
            merged[key] = _merge_changes(merged.get(key), value) if isinstance(value, Mapping) else copy.deepcopy(value)
    return merged


def _differences(before: Mapping[Any, Any], after: Mapping[Any, Any]) -> Iterator[tuple[tuple[Any, ...], Any]]:
    """Yield path and new value of each difference; values of different types differ (1, 1.0 and true)."""
    for key in before:
        if key not in after:
            yield (key,), REMOVED
    for key, value in after.items():
        old = before.get(key, ...)
        if isinstance(old, dict) and isinstance(value, dict) and old and value:
            yield from (((key, *keys), new) for keys, new in _differences(old, value))
        elif repr(old) != repr(value):
            yield (key,), value
