"""Where a text is not YAML: the place at which an author has to look, not the one at which the scanner gave up."""

from __future__ import annotations

import yaml

from hermes_sdk.manifest.safe_loader import Loader

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
