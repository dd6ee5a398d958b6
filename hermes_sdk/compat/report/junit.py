"""JUnit XML with a test suite for each plugin and a test case for each cell."""

from __future__ import annotations

from collections.abc import Sequence
from xml.etree import ElementTree

from hermes_sdk.check.report.junit import clean
from hermes_sdk.compat.outcomes import Matrix, Outcome
from hermes_sdk.compat.report.text import describe_not_run, format_failures


def junit(matrices: Sequence[Matrix]) -> str:
    """Return the document: contradictions of the manifest are failures, and inconclusive cells are skipped."""
    root = ElementTree.Element("testsuites", name="hermes-sdk compat")
    for matrix in matrices:
        suite = ElementTree.SubElement(root, "testsuite", name=_suite_name(matrix), tests=str(len(matrix.outcomes)))
        suite.set("failures", str(len(matrix.broken)))
        suite.set("skipped", str(sum(_is_skipped(one, matrix) for one in matrix.outcomes)))
        if matrix.not_run:
            properties = ElementTree.SubElement(suite, "properties")
            value = clean(describe_not_run(matrix.not_run))
            ElementTree.SubElement(properties, "property", name="not run", value=value)
        for outcome in matrix.outcomes:
            _add_test_case(suite, outcome, matrix)
    ElementTree.indent(root)
    return f'<?xml version="1.0" encoding="utf-8"?>\n{ElementTree.tostring(root, encoding="unicode")}\n'


def _add_test_case(suite: ElementTree.Element, outcome: Outcome, matrix: Matrix) -> None:
    case = ElementTree.SubElement(suite, "testcase", classname=clean(_suite_name(matrix)), name=outcome.cell.name)
    if outcome.cell.grade:
        properties = ElementTree.SubElement(case, "properties")
        ElementTree.SubElement(properties, "property", name="grade", value=outcome.cell.grade)
    if outcome in matrix.broken:
        ElementTree.SubElement(case, "failure", message=clean(_format_outcome(outcome)))
    elif _is_skipped(outcome, matrix):
        reason = "; ".join(filter(None, [_format_outcome(outcome), _explain_skipped(outcome, matrix)]))
        ElementTree.SubElement(case, "skipped", message=clean(reason))
    ElementTree.SubElement(case, "system-out").text = clean(outcome.log)


def _suite_name(matrix: Matrix) -> str:
    return f"{matrix.plugin} (package)" if matrix.form == "package" else matrix.plugin


def _is_skipped(outcome: Outcome, matrix: Matrix) -> bool:
    """Return whether a cell neither passes nor contradicts the manifest."""
    return outcome.verdict != "passes" and outcome not in matrix.broken


def _explain_skipped(outcome: Outcome, matrix: Matrix) -> str:
    """Explain why a failing cell is not a failure."""
    if outcome.verdict != "fails":
        return ""
    if not matrix.admits(outcome.cell.release):
        return "requires_hermes does not admit this release"
    return f"this release is {outcome.cell.grade}: a run decides nothing"


def _format_outcome(outcome: Outcome) -> str:
    failed = format_failures(outcome.tests.failed) if outcome.tests and outcome.tests.failed else ""
    lacks = f"lacks {', '.join(outcome.missing_apis)}" if outcome.missing_apis else ""
    return "; ".join(filter(None, [outcome.error, failed, lacks])) or outcome.verdict
