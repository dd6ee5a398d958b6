"""Annotations of GitHub Actions: workflow commands, one for each finding."""

from __future__ import annotations

from typing import TextIO

from hermes_sdk.check.model import Result
from hermes_sdk.check.report import emit, get_repository_path

_COMMANDS = {"error": "error", "warning": "warning", "info": "notice"}


def write(result: Result, stream: TextIO) -> None:
    """Write a line for each finding, each rule that could not run, and each rule to confirm."""
    for finding in result.findings:
        properties = {
            "file": get_repository_path(result, finding.path),
            "line": str(finding.line),
            "col": str(finding.column),
            "title": finding.code,
        }
        text = f"{finding.message}\n{finding.why}\n{finding.advice}"
        emit(_command(_COMMANDS[finding.severity], properties, text), stream, commands=True)
    for entry in result.not_run:
        emit(_command("notice", {"title": f"{entry.code} was not run"}, entry.reason), stream, commands=True)
    for asked in result.manual:
        emit(
            _command("notice", {"title": f"{asked.code} needs your confirmation"}, asked.question),
            stream,
            commands=True,
        )


def _command(name: str, properties: dict[str, str], text: str) -> str:
    listed = ",".join(f"{key}={_escape(value, in_property=True)}" for key, value in properties.items())
    return f"::{name} {listed}::{_escape(text)}\n"


def _escape(text: str, *, in_property: bool = False) -> str:
    text = text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")
    return text.replace(":", "%3A").replace(",", "%2C") if in_property else text
