"""Baseline file of known findings, which are not reported again, and the fingerprints of findings."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Collection, Sequence
from pathlib import Path
from typing import Any

from hermes_sdk.check.model import Finding, Result
from hermes_sdk.check.plugin import Plugin
from hermes_sdk.check.rule import Problem
from hermes_sdk.check.rules.suppression import BASELINE_IS_STALE
from hermes_sdk.check.suppress import get_project_path
from hermes_sdk.documents import MAX_JSON_BYTES, parse_json, read_text
from hermes_sdk.errors import UsageError

_SCHEMA = "hermes-sdk.baseline/1"
_KEYS = ("code", "path", "fingerprint", "message")


def add_fingerprints(findings: Sequence[Finding], plugin: Plugin) -> list[Finding]:
    """Add a fingerprint to each finding, made of rule, file and the text of its line, so that lines can move."""
    if not findings:
        return []
    import hashlib

    seen: Counter[tuple[str, str, str]] = Counter()
    lines: dict[str, list[str]] = {}
    named: list[Finding] = []
    for finding in findings:
        path = get_project_path(finding, plugin)
        if path not in lines:
            lines[path] = plugin.read(plugin.base / finding.path).splitlines()
        text = lines[path][finding.line - 1].strip() if finding.line <= len(lines[path]) else ""
        key = (finding.code, path, text)
        content = "\0".join((*key, str(seen[key])))
        seen[key] += 1
        digest = hashlib.sha256(content.encode(errors="backslashreplace")).hexdigest()
        named.append(finding._replace(fingerprint=digest[:32]))
    return named


def drop_known(
    findings: Sequence[Finding],
    plugin: Plugin,
    baseline: Path,
    decided: Collection[str],
    protected: Collection[str] = (),
) -> tuple[Finding, ...]:
    """Drop the findings of a baseline, and report its entries without a finding.

    Args:
        findings: The findings, with fingerprints.
        decided: The codes of the rules that ran; only their entries can be stale.
        protected: The codes of rules that cannot be suppressed.

    Raises:
        UsageError: The baseline cannot be read.
    """
    entries = _read_baseline(baseline)
    there = {one.fingerprint for one in findings}
    old = {entry["fingerprint"] for entry in entries if entry["code"] not in protected}
    kept = [finding for finding in findings if finding.fingerprint not in old]
    for entry in entries:
        if entry["fingerprint"] not in there and entry["code"] in decided:
            message = f"{entry['code']} in {entry['path']} no longer occurs: {entry['message']}"
            kept.append(BASELINE_IS_STALE.finding(Problem(message, plugin.relative(baseline))))
    return tuple(kept)


def _read_baseline(file: Path) -> list[dict[str, str]]:
    fix = "Create the file with --update-baseline."
    try:
        content: Any = parse_json(read_text(file, max_bytes=MAX_JSON_BYTES))
    except FileNotFoundError:
        raise UsageError("the baseline does not exist", where=str(file), fix=fix) from None
    except (OSError, ValueError) as error:
        raise UsageError(f"the baseline cannot be read: {error}", where=str(file), fix=fix) from error
    entries = content.get("findings") if isinstance(content, dict) else None
    if not isinstance(entries, list) or not all(
        isinstance(entry, dict) and all(isinstance(entry.get(key), str) for key in _KEYS) for entry in entries
    ):
        raise UsageError("the baseline file has no list of findings", where=str(file), fix=fix)
    return entries


def write_baseline(result: Result) -> Path:
    """Write the findings of a check to the baseline file.

    Args:
        result: A result that includes known findings.

    Returns:
        The file.

    Raises:
        UsageError: Neither the options nor the project's settings name a file.
        UnavailableError: The file cannot be written.
    """
    if result.baseline is None:
        raise UsageError("There is no baseline to update.", fix="Name a file with --baseline.")
    entries = [{key: getattr(one, key) for key in _KEYS} for one in result.findings]
    text = json.dumps({"schema": _SCHEMA, "findings": entries}, indent=2)
    from hermes_sdk.files import write_file

    write_file(result.baseline, f"{text}\n".encode())
    return result.baseline
