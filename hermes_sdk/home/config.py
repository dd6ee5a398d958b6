"""The file `config.yaml`, read as the host does, and edited without losing comments, order or unrelated keys."""

from __future__ import annotations

import copy
from collections.abc import Hashable, Iterator, Mapping
from typing import Any

from hermes_sdk.errors import UsageError
from hermes_sdk.manifest.load import YamlReader, load_yaml, reading_errors

REMOVED: Any = object()
"""Value in changes that removes a key."""


def parse_config(text: str, reader: YamlReader = "libyaml") -> tuple[dict[str, Any], str]:
    """Read a configuration as the host does: an unreadable file counts as empty (statement B10).

    Returns:
        The configuration, and the problem on one line; empty if there is none.
    """
    try:
        value = load_yaml(text, reader)
    except Exception as error:  # The host falls back to its defaults, whatever is wrong with the file.
        message, place = _explain(error, text)
        return {}, f"line {place[0]}, column {place[1]}: {message}" if place else " ".join(message.split())
    if value and not isinstance(value, dict):
        return {}, f"the file contains a {type(value).__name__}, not a mapping"
    return value or {}, ""


def edit_config(text: str, changes: Mapping[str, Any], where: str) -> str:
    """Merge changes into the text of a configuration: mappings key by key; other values are replaced.

    In the section `plugins`, a mapping or a list never replaces a value of another type, since that value is a mistake.

    Args:
        text: The current configuration; may be empty.
        changes: The new values; `REMOVED` removes a key.
        where: The file, for messages.

    Returns:
        The new text; unchanged if there are no changes.

    Raises:
        UsageError: The configuration is not valid YAML, a change would affect other keys, or `plugins` has a value of
            the wrong type.
    """
    from hermes_sdk.files import keep_line_ends
    from hermes_sdk.home.edit import remove_key, set_value

    start, before = text, _load_mapping(text, where)
    _refuse_wrong_types(text, before, {key: changes[key] for key in ("plugins",) if key in changes}, where)
    after = _merge_changes(before, changes)
    try:
        for keys, value in _find_differences(before, after):
            text = remove_key(text, keys) if value is REMOVED else set_value(text, keys, value)
        edited = load_yaml(text) or {}
        exact = not any(_find_differences(edited, after)) and not any(_find_differences(after, edited))
    except reading_errors():
        exact = False
    if not exact:
        raise UsageError("the change would affect other keys of the file", where=where, fix="Edit the file by hand.")
    return keep_line_ends(start, text)


def _refuse_wrong_types(
    text: str, value: Mapping[str, Any], changes: Mapping[str, Any], where: str, parents: tuple[str, ...] = ()
) -> None:
    for key, new in changes.items():
        old, keys = value.get(key), (*parents, key)
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
            _refuse_wrong_types(text, old, new, where, keys)


def _is_list_of_names(value: Any) -> bool:
    return isinstance(value, list) and all(isinstance(item, Hashable) for item in value)


def _load_mapping(text: str, where: str) -> dict[str, Any]:
    try:
        value = load_yaml(text)
    except Exception as error:
        message, place = _explain(error, text)
        where = ":".join(map(str, (where, *place)))
        raise UsageError(f"not valid YAML: {message}", where=where, fix="Correct the file first.") from error
    if value and not isinstance(value, dict):
        raise UsageError(
            "the configuration is not a mapping", where=f"{where}:1:1", fix="Write the file as `key: value` lines."
        )
    return value or {}


def _explain(error: Exception, text: str) -> tuple[str, tuple[()] | tuple[int, int]]:
    """Return the problem of an unreadable text, and its line and column if known."""
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


def _find_differences(before: Mapping[Any, Any], after: Mapping[Any, Any]) -> Iterator[tuple[tuple[Any, ...], Any]]:
    """Yield path and new value of each difference; values of different types differ (1, 1.0 and true)."""
    for key in before:
        if key not in after:
            yield (key,), REMOVED
    for key, value in after.items():
        old = before.get(key, ...)
        if isinstance(old, dict) and isinstance(value, dict) and old and value:
            yield from (((key, *keys), new) for keys, new in _find_differences(old, value))
        elif repr(old) != repr(value):
            yield (key,), value
