"""JUnit XML: one test case for each rule, with a failure for each of its findings."""

from __future__ import annotations

import re
from typing import TextIO
from xml.etree import ElementTree

from hermes_sdk.check.model import Finding, Result
from hermes_sdk.check.report import emit
from hermes_sdk.check.rules import RULES

_NOT_IN_XML = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def write(result: Result, stream: TextIO) -> None:
    """Write a result as a test suite."""
    titles = {rule.code: rule.title for rule in RULES}
    reasons = {entry.code: entry.reason for entry in result.not_run}
    found: dict[str, list[Finding]] = {}
    for finding in result.findings:
        found.setdefault(finding.code, []).append(finding)
    # Hermes' own checks are not in `RULES`.
    titles |= dict.fromkeys(({*reasons} | {*found}) - titles.keys(), "")
    suite = ElementTree.Element("testsuite", name="hermes-sdk check", tests=str(len(titles)))
    suite.set("failures", str(sum(any(_is_failure(one, result) for one in group) for group in found.values())))
    suite.set("skipped", str(len(reasons.keys() - found.keys())))
    for code, title in titles.items():
        case = ElementTree.SubElement(suite, "testcase", classname="hermes-sdk.check", name=f"{code} {title}".rstrip())
        for finding in found.get(code, ()):
            kind = "failure" if _is_failure(finding, result) else "system-out"
            element = ElementTree.SubElement(case, kind)
            place = f"{finding.path}:{finding.line}:{finding.column}"
            if kind == "failure":
                element.set("message", clean(f"{place}: {finding.message}"))
                element.set("type", finding.severity)
            element.text = clean(f"{place}: {finding.message}\n{finding.why}\n{finding.advice}")
        if code in reasons and code not in found:
            ElementTree.SubElement(case, "skipped", message=clean(reasons[code]))
    ElementTree.indent(suite)
    emit(f'<?xml version="1.0" encoding="utf-8"?>\n{ElementTree.tostring(suite, encoding="unicode")}\n', stream)


def _is_failure(finding: Finding, result: Result) -> bool:
    return finding.severity == "error" or (result.strict and finding.severity == "warning")


def clean(text: str) -> str:
    """Replace the characters that XML does not allow."""
    return _NOT_IN_XML.sub("�", text)
