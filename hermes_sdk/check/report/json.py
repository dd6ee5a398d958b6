"""JSON report in the schema ``hermes-sdk.check/1``, which ``check.schema.json`` in this directory describes."""

from __future__ import annotations

import json
from typing import TextIO

from hermes_sdk.check.model import Result, to_json
from hermes_sdk.check.report import emit
from hermes_sdk.contract.loader import grade


def write(result: Result, stream: TextIO) -> None:
    """Write a result as one JSON document."""
    document = {
        "schema": "hermes-sdk.check/1",
        "path": result.path,
        "findings": [to_json(finding) for finding in result.findings],
        "not_run": [to_json(entry) for entry in result.not_run],
        "manual": [to_json(entry) for entry in result.manual],
        "releases": list(result.releases),
        "grades": {release: grade(release) for release in result.releases},
        "host": result.runs[-1].host if result.runs else None,
        "rerun": any(run.rerun for run in result.runs),
        "reason": "; ".join(dict.fromkeys(run.reason for run in result.runs if run.reason)) or None,
        "isolation": result.isolation.split(),
        "suppressed": result.suppressed,
        "rules": to_json(result.coverage),
    }
    if result.upstream:
        from hermes_sdk.check.report.upstream import as_fields

        document["upstream"] = [as_fields(one) for one in result.upstream]
    emit(json.dumps(document, indent=2, ensure_ascii=False) + "\n", stream)
