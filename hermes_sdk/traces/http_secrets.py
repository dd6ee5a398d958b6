"""Secrets in the HTTP requests that plugins made."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Any
from urllib.parse import unquote_plus

from hermes_sdk.redaction import REDACTED, is_telling
from hermes_sdk.traces.trace import Event

_PARAMETER = re.compile(r"(?P<before>(?:^|[?&])(?P<name>[^=&?]+)=)(?P<value>[^&#]+)")


def list_http_secrets(events: Iterable[Event]) -> Iterator[str]:
    """List the values of telling headers and parameters, which may occur elsewhere too."""
    for event in events:
        if event["kind"] == "http_request":
            yield from _list_of_request(event)


def _list_of_request(event: Event) -> Iterator[str]:
    given = event["arguments"]
    for headers in (given["headers"], event.get("returned", {}).get("headers", {})):
        for name, value in headers.items():
            if is_telling(name, "parameter"):
                yield value
                # The token without its scheme, and the value of a cookie without its name and attributes.
                yield value.rpartition(" ")[2]
                yield value.partition(";")[0].partition("=")[2]
    for text in (given["url"], _read_form(given)):
        for match in _PARAMETER.finditer(text):
            if is_telling(match["name"], "parameter"):
                yield unquote_plus(match["value"])


def redact_request(event: Event) -> Event:
    """Redact telling headers and parameters whatever their value is, such as a signature."""
    if event["kind"] != "http_request":
        return event
    given = event["arguments"]
    body = _redact_parameters(given["body"]) if _read_form(given) else given["body"]
    about = {"url": _redact_parameters(given["url"]), "headers": _redact_headers(given["headers"]), "body": body}
    got = event.get("returned")
    more = {} if got is None else {"returned": {**got, "headers": _redact_headers(got["headers"])}}
    return {**event, "arguments": {**given, **about}, **more}


def _redact_headers(headers: dict[str, str]) -> dict[str, str]:
    return {name: REDACTED if is_telling(name, "parameter") else value for name, value in headers.items()}


def _redact_parameters(text: str) -> str:
    def redact(match: re.Match[str]) -> str:
        return f"{match['before']}{REDACTED}" if is_telling(match["name"], "parameter") else match[0]

    return _PARAMETER.sub(redact, text)


def _read_form(given: Any) -> str:
    """Return the body of a request if it is a form."""
    is_form = "form-urlencoded" in given["headers"].get("content-type", "") and isinstance(given["body"], str)
    return str(given["body"]) if is_form else ""
