"""SARIF 2.1.0, for code scanning on GitHub and elsewhere; paths are relative to the repository."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from typing import Any, TextIO
from urllib.parse import quote

from hermes_sdk import __version__
from hermes_sdk.check.model import Edit, Finding, Result
from hermes_sdk.check.report import emit, get_repository_path
from hermes_sdk.check.rule import Rule
from hermes_sdk.check.rules import RULES

_SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"
_LEVELS = {"error": "error", "warning": "warning", "info": "note"}


def write(result: Result, stream: TextIO) -> None:
    """Write a result as a SARIF log with one run."""
    rules = [*map(_describe_rule, RULES), *_describe_upstream_rules(result)]
    index = {rule["id"]: number for number, rule in enumerate(rules)}
    run = {
        "tool": {"driver": {"name": "hermes-sdk", "version": __version__, "rules": rules}},
        "columnKind": "unicodeCodePoints",
        "invocations": [
            {
                "executionSuccessful": True,
                "toolExecutionNotifications": [
                    {
                        "level": "note",
                        "message": {"text": f"not run: {entry.reason}"},
                        "associatedRule": {"id": entry.code, "index": index[entry.code]},
                    }
                    for entry in result.not_run
                ],
            }
        ],
        "results": [_make_result(finding, index, result) for finding in result.findings],
    }
    document = {"$schema": _SCHEMA, "version": "2.1.0", "runs": [run]}
    emit(json.dumps(document, indent=2, ensure_ascii=False) + "\n", stream)


def _describe_rule(rule: Rule) -> dict[str, Any]:
    return {
        "id": rule.code,
        "name": rule.name.title().replace("_", "") if rule.code[2] != "1" else rule.code,
        "shortDescription": {"text": rule.title},
        "fullDescription": {"text": rule.why},
        "help": {"text": f"{rule.why}\n\n{rule.fix}", "markdown": f"{rule.why}\n\n**Fix.** {rule.fix}"},
        "defaultConfiguration": {"level": _LEVELS[rule.severity]},
    }


def _describe_upstream_rules(result: Result) -> list[dict[str, Any]]:
    """Describe those of Hermes' own checks that have a finding or did not run; their full list is not known."""
    found = {
        one.code: {
            "id": one.code,
            "name": one.code,
            "shortDescription": {"text": f"{one.code.partition('-')[2]}, as Hermes checks it"},
            "fullDescription": {"text": one.why},
            "help": {"text": f"{one.why}\n\n{one.fix}", "markdown": f"{one.why}\n\n**Fix.** {one.fix}"},
            "defaultConfiguration": {"level": _LEVELS[one.severity]},
        }
        for one in result.findings
        if one.code.startswith("UP-")
    }
    for entry in result.not_run:
        if entry.code.startswith("UP-"):
            texts = {"shortDescription": {"text": entry.code}, "fullDescription": {"text": entry.reason}}
            found.setdefault(entry.code, {"id": entry.code, "name": entry.code, **texts})
    return [*found.values()]


def _make_result(finding: Finding, index: Mapping[str, int], result: Result) -> dict[str, Any]:
    found: dict[str, Any] = {
        "ruleId": finding.code,
        "ruleIndex": index[finding.code],
        "level": _LEVELS[finding.severity],
        "message": {"text": f"{finding.message}\n{finding.advice}"},
        "locations": [
            {
                "physicalLocation": {
                    "artifactLocation": _make_location(finding.path, result),
                    "region": {"startLine": finding.line, "startColumn": finding.column},
                }
            }
        ],
        "partialFingerprints": {"hermesSdkCheck/v1": finding.fingerprint},
    }
    if finding.repair:
        found["fixes"] = [{"description": {"text": finding.fix}, "artifactChanges": _make_changes(finding, result)}]
    return found


def _make_changes(finding: Finding, result: Result) -> list[dict[str, Any]]:
    by_path: dict[str, list[Edit]] = {}
    for edit in finding.repair.edits if finding.repair else ():
        by_path.setdefault(edit.path, []).append(edit)
    return [
        {
            "artifactLocation": _make_location(path, result),
            "replacements": [
                {
                    "deletedRegion": {"charOffset": edit.start, "charLength": edit.end - edit.start},
                    "insertedContent": {"text": edit.text},
                }
                for edit in edits
            ],
        }
        for path, edits in by_path.items()
    ]


def _make_location(path: str, result: Result) -> dict[str, str]:
    return {"uri": quote(os.fsencode(get_repository_path(result, path))), "uriBaseId": "%SRCROOT%"}
