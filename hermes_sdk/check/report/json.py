"""The report for programs: the schema ``hermes-sdk.check/1``, described by ``check.schema.json`` beside this file."""

from __future__ import annotations

import json
from typing import TextIO

from hermes_sdk.check.model import Result, fields_of
from hermes_sdk.check.report import emit
from hermes_sdk.contract.loader import grade


def write(result: Result, stream: TextIO) -> None:
    """Write a result as one JSON document."""
    document = {
        "schema": "hermes-sdk.check/1",
        "path": result.path,
        "findings": [fields_of(finding) for finding in result.findings],
        "not_run": [fields_of(entry) for entry in result.not_run],
        "manual": [fields_of(entry) for entry in result.manual],
        "releases": list(result.releases),
        "grades": {release: grade(release) for release in result.releases},
        "host": result.runs[-1].host if result.runs else None,
        "rerun": any(run.rerun for run in result.runs),
        "reason": "; ".join(dict.fromkeys(run.reason for run in result.runs if run.reason)) or None,
        "isolation": result.isolation.split(),
        "suppressed": result.suppressed,
        "rules": fields_of(result.coverage),
    }
    if result.upstream:
        from hermes_sdk.check.report.upstream import as_fields

        document["upstream"] = [as_fields(one) for one in result.upstream]
    emit(json.dumps(document, indent=2, ensure_ascii=False) + "\n", stream)
