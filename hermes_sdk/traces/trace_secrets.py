"""Redaction of secrets in traces: in HTTP requests of plugins, and anywhere in an untrusted trace."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Any
from urllib.parse import unquote_plus

from hermes_sdk.redaction import REDACTED, SHORTEST, Redactor, is_telling
from hermes_sdk.traces.trace import Event, Trace

_PARAMETER = re.compile(r"(?P<before>(?:^|[?&])(?P<name>[^=&?]+)=)(?P<value>[^&#]+)")


def redact_trace(trace: Trace) -> Trace:
    """Return a trace without secrets that are recognizable by their names or their format."""
    redactor = Redactor(list_http_secrets(trace.events))
    events = [redact_request(event) for event in trace.events]
    redactor.learn(trace.recording, trace.problems, trace.reason, *events)
    return replace(
        trace,
        events=tuple(map(redactor.value, events)),
        problems=tuple(map(redactor.text, trace.problems)),
        reason=redactor.value(trace.reason),
        recording=redactor.value(trace.recording),
    )


def list_http_secrets(events: Iterable[Event]) -> Iterator[str]:
    """Yield the values of headers and parameters whose names indicate a secret, to redact them everywhere."""
    for event in events:
        if _is_request(event):
            yield from (one for one in _list_of_request(event) if len(one) >= SHORTEST)


def _is_request(event: Event) -> bool:
    """Return whether an event is a valid recorded request; traces are untrusted."""
    given = event.get("arguments")
    return (
        event["kind"] == "http_request"
        and isinstance(given, Mapping)
        and isinstance(given.get("url"), str)
        and isinstance(given.get("headers"), Mapping)
    )


def _list_of_request(event: Event) -> Iterator[str]:
    given = event["arguments"]
    for headers in (given["headers"], _read_headers(event)):
        for name, value in headers.items():
            if is_telling(name, "parameter") and isinstance(value, str):
                yield value
                # A token without its scheme, and the value of a cookie without its name and attributes.
                yield value.rpartition(" ")[2]
                yield value.partition(";")[0].partition("=")[2]
    for text in (given["url"], _read_form(given)):
        for match in _PARAMETER.finditer(text):
            if is_telling(match["name"], "parameter"):
                yield unquote_plus(match["value"])


def _read_headers(event: Event) -> Mapping[str, Any]:
    """Return the headers of the response to a request."""
    got = event.get("returned")
    headers = got.get("headers") if isinstance(got, Mapping) else None
    return headers if isinstance(headers, Mapping) else {}


def redact_request(event: Event) -> Event:
    """Redact all headers and parameters whose names indicate a secret, even if their values look harmless."""
    if not _is_request(event):
        return event
    given = event["arguments"]
    about: dict[str, Any] = {"url": _redact_parameters(given["url"]), "headers": _redact_headers(given["headers"])}
    if form := _read_form(given):
        about["body"] = _redact_parameters(form)
    got = _read_headers(event)
    more = {"returned": {**event["returned"], "headers": _redact_headers(got)}} if got else {}
    return {**event, "arguments": {**given, **about}, **more}


def _redact_headers(headers: Mapping[str, Any]) -> dict[str, Any]:
    return {name: REDACTED if is_telling(name, "parameter") else value for name, value in headers.items()}


def _redact_parameters(text: str) -> str:
    def redact(match: re.Match[str]) -> str:
        return f"{match['before']}{REDACTED}" if is_telling(match["name"], "parameter") else match[0]

    return _PARAMETER.sub(redact, text)


def _read_form(given: Mapping[str, Any]) -> str:
    """Return the body of a request if it is a form, else an empty string."""
    body = given.get("body")
    is_form = "form-urlencoded" in str(given["headers"].get("content-type"))
    return body if is_form and isinstance(body, str) else ""
