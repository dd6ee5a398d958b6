"""Output for GitHub: jobs that run a matrix cell by cell, and Markdown for a comment or an issue.

The Markdown is created from the JSON output of `compat` and `check`. Both may come from a run of untrusted code, so
their content is validated, truncated, and escaped so that it cannot create links, mentions, images or other markup.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from importlib.resources import files
from pathlib import Path
from typing import Any

from hermes_sdk.compat.cells import Cell
from hermes_sdk.compat.outcomes import Verdict
from hermes_sdk.compat.report.text import choose_sign, describe_not_run, describe_verdict
from hermes_sdk.documents import parse_json, read_bytes
from hermes_sdk.errors import UsageError


def github(cells: Sequence[Cell]) -> str:
    """Return ``strategy.matrix`` for a GitHub workflow on one line, with a job for each cell."""
    return json.dumps({"include": [{"cell": one.name, **one._asdict(), "grade": one.grade} for one in cells]})


_MAX_BYTES = 8 * 1024 * 1024
_MAX_TEXT = 300
_MAX_FINDINGS = 20
_MAX_PLUGINS = 20

_SPECIAL = re.compile(r"(?!(?<=\d)\.(?=\d))[^\w ]|_")
"""Possible markup: everything except letters, digits, spaces, and the dots in a release."""

_SIGNS: Mapping[Verdict, str] = {"passes": "✅", "fails": "❌", "lacks": "⚠️", "unknown": "❔"}


def read_matrices(file: Path) -> list[dict[str, Any]]:
    """Read the output of ``compat --json``.

    Raises:
        UsageError: The file does not exist or is not such a document.
    """
    value = _read_document(file)
    found = value.get("plugins") if value.get("schema") == "hermes-sdk.compat-workspace/1" else [value]
    # The schema also allows an error instead of a matrix.
    matrix = {**_read_schema("compat"), "if": False}
    return _validate(found, matrix, file, "hermes-sdk compat --json")


def read_findings(file: Path) -> list[dict[str, Any]]:
    """Read the findings in the output of ``check --json``.

    Raises:
        UsageError: The file does not exist or is not such a document.
    """
    schema = _read_schema("check")
    finding = {"$ref": "#/$defs/finding", "$defs": schema["$defs"]}
    return _validate(_read_document(file).get("findings"), finding, file, "hermes-sdk check --json")


def _read_document(file: Path) -> dict[str, Any]:
    try:
        value = parse_json(read_bytes(file, max_bytes=_MAX_BYTES))
    except (OSError, ValueError) as error:
        raise UsageError(f"cannot read {file}: {error}", fix="Pass a file with JSON output of hermes-sdk.") from error
    return value if isinstance(value, dict) else {}


def _read_schema(command: str) -> dict[str, Any]:
    text = (files(f"hermes_sdk.{command}.report") / f"{command}.schema.json").read_text(encoding="utf-8")
    found: dict[str, Any] = parse_json(text)
    return found


def _validate(found: Any, schema: Mapping[str, Any], file: Path, command: str) -> list[dict[str, Any]]:
    """Return a list after validating its items against a schema."""
    from jsonschema import Draft202012Validator

    validator = Draft202012Validator(schema)
    if not isinstance(found, list) or not all(map(validator.is_valid, found)):
        raise UsageError(f"{file} is not the output of `{command}`", fix="Run the command again.")
    return found


def render(matrices: Iterable[Mapping[str, Any]], findings: Iterable[Mapping[str, Any]] = ()) -> str:
    """Render the matrix and first divergence of each plugin, and the findings with their places and fixes."""
    parts: list[str] = []
    for matrix in [*matrices][:_MAX_PLUGINS]:
        form = " as a package" if matrix.get("form") == "package" else ""
        parts += [f"### {escape(matrix['plugin'])}{form} on Hermes Agent\n", _format_table(matrix["releases"])]
        if not_run := {one["release"]: one["missing_apis"] for one in matrix.get("not_run", ())}:
            parts.append(f"{escape(describe_not_run(not_run))}\n")
        if divergence := _find_divergence(matrix["releases"]):
            parts.append(divergence)
    shown = sorted(findings, key=lambda one: one.get("severity") != "error")
    if shown:
        parts.append("### Findings of the check\n")
        parts += [_format_finding(one) for one in shown[:_MAX_FINDINGS]]
        if len(shown) > _MAX_FINDINGS:
            parts.append(f"- and {len(shown) - _MAX_FINDINGS} more")
        if any(one.get("repair") for one in shown):
            parts.append("\nRun the commands with the newest `hermes-sdk`, which knows the newest Hermes.")
    return "\n".join(parts).rstrip() + "\n"


def escape(text: object) -> str:
    """Return Markdown that displays a text literally."""
    words = " ".join(str(text).split())
    cut = words if len(words) <= _MAX_TEXT else f"{words[:_MAX_TEXT]}…"
    shown = "".join(one for one in cut if one.isprintable())
    return _SPECIAL.sub(lambda one: f"&#{ord(one[0])};", shown)


def _format_table(cells: Iterable[Mapping[str, Any]]) -> str:
    lines = ["| Hermes | Host | Python | Verdict | Tests |", "|--|--|--|--|--|"]
    for one in cells:
        tests = one["tests"]
        count = f"{tests['passed']} passed, {tests['failed']} failed" if tests else ""
        verdict = f"{choose_sign(one, _SIGNS, '⚪')} {describe_verdict(one)}"
        lines.append(f"| {escape(one['release'])} | {one['host']} | {escape(one['python'])} | {verdict} | {count} |")
    return "\n".join(lines) + "\n"


def _find_divergence(cells: list[Mapping[str, Any]]) -> str:
    """Describe the newest cell on which the plugin does not pass."""
    found = next((one for one in reversed(cells) if one["verdict"] in ("fails", "lacks")), None)
    if found is None:
        return ""
    where = f"**First divergence:** Hermes {escape(found['release'])} on the {found['host']} host"
    return "\n".join([where, "", *(f"- {line}" for line in _list_reasons(found)), ""])


def _list_reasons(cell: Mapping[str, Any]) -> Iterator[str]:
    if cell["error"]:
        yield escape(cell["error"])
    failures = cell["tests"]["failures"] if cell["tests"] else []
    for name in failures[:_MAX_FINDINGS]:
        yield f"test {escape(name)} fails"
    if cell["missing_apis"]:
        yield f"the release lacks {escape(', '.join(cell['missing_apis']))}"


def _format_finding(finding: Mapping[str, Any]) -> str:
    """Format a finding's message, place and releases, and the command that repairs it."""
    place = f"{finding.get('path', '')}:{finding.get('line', '')}"
    releases = finding.get("releases") or []
    on = f" (Hermes {escape(', '.join(map(str, releases)))})" if releases and isinstance(releases, list) else ""
    lines = [f"- {escape(finding.get('code', ''))} at {escape(place)}: {escape(finding.get('message', ''))}{on}"]
    if finding.get("fix"):
        lines.append(f"Fix: {escape(finding['fix'])}")
    lines.append(_describe_repair(finding.get("repair")))
    return "\n  ".join(lines)


def _describe_repair(repair: object) -> str:
    if not isinstance(repair, dict) or not repair.get("edits"):
        return "There is no automatic fix."
    if repair.get("safe") is True:
        return "Command: `hermes-sdk check --fix`"
    return "Command: `hermes-sdk check --fix --unsafe-fixes`, and review the change"
