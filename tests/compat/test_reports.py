"""Machine-readable reports of a matrix."""

from __future__ import annotations

import re
from dataclasses import replace
from html.parser import HTMLParser
from xml.etree import ElementTree

import pytest
from compat.matrices import make_matrix

from hermes_sdk.compat.report.badge import badge, span
from hermes_sdk.compat.report.html import page
from hermes_sdk.compat.report.junit import junit
from hermes_sdk.compat.report.text import SYMBOLS

MIXED = {
    "0.19.0": "broken",
    "0.20.2": "fails",
    "0.21.4": "lacks",
    "0.22.2": "passes",
    "0.23.4": "fails",
    "real:0.22.2": "unknown",
}
NOT_RUN = {"0.17.0": ("hook pre_verify",), "0.18.0": ()}
LINE = "0.17.0–0.18.0: hook pre_verify is missing in 0.17.0; not run without --real"


@pytest.mark.parametrize(
    ("verdicts", "text"),
    [
        ({"real:0.16.0": "passes", "0.19.0": "passes"}, "0.16–0.19"),
        ({"real:0.15.1": "fails", "real:0.15.2": "passes", "real:0.18.1": "passes"}, "0.15.2–0.18.1"),
        ({"real:0.18.0": "fails", "0.19.0": "passes"}, "0.19"),
        ({"0.19.0": "passes", "0.20.2": "passes", "0.22.2": "fails"}, "0.19–0.20.2"),
        ({"0.19.0": "fails", "0.23.4": "passes"}, "none"),
        ({"0.19.0": "lacks", "0.20.1": "unknown"}, "0.20.1, not verified"),
    ],
)
def test_badge_shows_the_working_range(verdicts, text):
    matrix = make_matrix(verdicts)
    root = ElementTree.fromstring(badge(matrix))
    assert span(matrix) == text
    assert root.get("aria-label") == f"Hermes: {text}"
    assert [one.text for one in root.iter("{http://www.w3.org/2000/svg}text")] == ["Hermes", text]


def test_badge_colour_depends_on_the_newest_release():
    colours = [
        badge(make_matrix(verdicts)).split('fill="')[2][:7]
        for verdicts in ({"0.19.0": "passes"}, {"0.19.0": "passes", "0.22.2": "fails"}, {"0.19.0": "fails"})
    ]
    assert len(set(colours)) == 3


def test_junit_fails_only_for_broken_promises():
    root = ElementTree.fromstring(junit([make_matrix(MIXED, ">=0.20", not_run=NOT_RUN)]))
    (suite,) = root
    assert suite.find("properties/property").attrib == {"name": "not run", "value": LINE}
    assert suite.attrib == {"name": "mine", "tests": "6", "failures": "1", "skipped": "4"}
    told = {case.get("name"): [one.tag for one in case if one.tag != "properties"] for case in suite.iter("testcase")}
    assert told == {
        "embedded:0.19.0": ["skipped", "system-out"],
        "embedded:0.20.2": ["failure", "system-out"],
        "embedded:0.21.4": ["skipped", "system-out"],
        "embedded:0.22.2": ["system-out"],
        "embedded:0.23.4": ["skipped", "system-out"],
        "real:0.22.2/3.11": ["skipped", "system-out"],
    }
    assert suite.find("*/failure").get("message") == "1 test fails"
    assert [skipped.get("message") for skipped in suite.iter("skipped")] == [
        "no <register>; requires_hermes does not admit this release",
        "lacks hook pre_verify",
        "1 test fails; this release is API only: a run decides nothing",
        "no network",
    ]
    grades = {
        case.get("name"): case.find("properties/property[@name='grade']").get("value")
        for case in suite.iter("testcase")
    }
    assert [grades[name] for name in ("embedded:0.19.0", "embedded:0.23.4")] == ["proven", "API only"]


class _Page(HTMLParser):
    """Links, ids and tags of a page."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.links: list[str] = []
        self.ids: list[str] = []
        self.tags: set[str] = set()
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        for name, value in attrs:
            if name in ("href", "src"):
                self.links.append(value or "")
            elif name == "id":
                self.ids.append(value or "")


def test_page_has_only_links_from_cells_to_their_logs():
    read = _Page(page([make_matrix(MIXED), make_matrix({"0.19.0": "passes"}, plugin="other")]))
    assert sorted(read.links) == sorted(f"#{one}" for one in read.ids)
    assert len(read.ids) == len(set(read.ids)) == 7
    assert not read.tags & {"script", "img", "link", "iframe", "object"}


def test_page_mentions_releases_that_did_not_run():
    assert LINE in page([make_matrix(MIXED, not_run=NOT_RUN)])
    assert "not run" not in page([make_matrix({"0.19.0": "passes"})])


def test_page_names_the_forms_of_a_plugin():
    directory = make_matrix({"0.19.0": "passes"})
    text = page([directory, replace(directory, form="package")])
    assert "<h1>mine on Hermes</h1>" in text
    assert re.findall(r"<h2>(.*?) <span", text) == ["mine (as a directory)", "mine (as a package)"]


def test_legend_of_page_has_every_symbol():
    legend = page([make_matrix({"0.19.0": "passes"})]).partition('<ul class="legend">')[2].partition("</ul>")[0]
    assert {*re.findall(r'<span class="sign \w+">(.)</span>', legend)} == {*SYMBOLS.values(), "○"}


def test_plugin_text_is_escaped_on_the_page():
    text = page([make_matrix({"0.19.0": "broken"}, plugin="<b>&amp;")])
    assert "<register>" not in text
    assert "no &lt;register&gt;" in text
    assert "&lt;b&gt;&amp;amp;" in text


def test_page_shows_grades_and_marks_unproven_releases():
    text = page([make_matrix({"0.19.0": "passes", "0.22.2": "passes", "0.23.4": "passes"})])
    assert re.findall("<small>(.*?)</small>", text) == ["proven", "proven on a fork", "API only"]
    assert text.count('class="passes unproven"') == 1
