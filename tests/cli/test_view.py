"""`hermes-sdk view`: a self-contained page that is usable and safe in a browser, and text output."""

from __future__ import annotations

import json
import re
from collections.abc import Generator
from html import unescape
from pathlib import Path

import click
import pytest
from axe_playwright_python.sync_playwright import Axe
from chromium import launch, open_page
from playwright.sync_api import Browser, Page, expect
from traces.stack import EVIL, write_stack

from hermes_sdk.cli.main import run
from hermes_sdk.traces import play_in_process, read_scenario


def write_trace(folder: Path, *, evil: bool = False) -> Path:
    trace = play_in_process(read_scenario(write_stack(folder, evil=evil)), "embedded", "0.22.2")
    file = folder / "stack.trace"
    file.write_text("".join(f"{line}\n" for line in trace.lines()))
    return file


def view(*argv: str) -> int:
    with pytest.raises(SystemExit) as ended:
        run(["view", *argv])
    return int(ended.value.code or 0)


def test_page_needs_no_other_files(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    page = tmp_path / "page.html"
    assert view(str(write_trace(tmp_path)), "-o", str(page)) == 0
    assert capsys.readouterr().out == f"Wrote {page}\n"
    text = unescape(page.read_text())
    assert re.findall(r'\b(?:src|href)="(?!#)[^"]*"', text) == []
    assert "default-src 'none'; style-src 'sha256-" in text


def test_page_opens_in_the_browser_without_an_output_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    opened: list[str] = []
    monkeypatch.setattr(click, "launch", opened.append)
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    assert view(str(write_trace(tmp_path))) == 0
    [page] = opened
    assert "stack.trace" in Path(page).read_text()


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (None, "cannot be read: No such file or directory"),
        (b"\xff", "is not UTF-8"),
        (b"{}", "not a valid trace of schema hermes-sdk.trace/1"),
    ],
)
def test_invalid_trace_is_rejected(
    content: bytes | None, message: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "it.trace"
    if content is not None:
        file.write_bytes(content)
    assert view(str(file), "-o", str(tmp_path / "page.html")) == 2
    told = capsys.readouterr().err
    assert (message in told, str(file) in told) == (True, True)
    assert not (tmp_path / "page.html").exists()


@pytest.fixture(scope="module")
def trace(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_trace(tmp_path_factory.mktemp("text"))


def test_text_describes_effects_of_plugins_and_lists_events(trace: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert view(str(trace), "--text") == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[:5] == [
        "stack.yaml on the embedded host, Hermes 0.22.2 (proven on a fork)",
        "",
        "Who did what",
        "   13  on_session_start: second raised",
        "   15  pre_llm_call: first injected, second injected",
    ]
    assert "20 events after 11 registrations" in lines
    assert '   27    hook pre_tool_call first blocked → { "action": "block", "message": "13 is unlucky." }' in lines


def test_text_names_the_callback_that_blocked_a_tool(trace: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert view(str(trace), "--why-blocked", "total") == 0
    assert capsys.readouterr().out.splitlines() == [
        "Plugins stopped 1 call of total:",
        'pre_tool_call of total with { "numbers": [ 13, 1 ] }',
        '   27  pre_tool_call first blocked: Do not run the tool; the model receives {"error": message}. '
        "(message: 13 is unlucky.)",
        "       hermes_plugins.first.guard",
        "   28  pre_tool_call second overruled: The answer of another callback took precedence.",
        "       hermes_plugins.second.guard",
    ]


def test_text_reports_that_no_plugin_blocked_a_tool(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = write_trace(tmp_path)
    file.write_text(file.read_text().replace('"action": "block"', '"action": "wink"'))
    assert view(str(file), "--why-blocked", "total") == 0
    out = capsys.readouterr().out
    assert out.startswith("No plugin blocked total. 1 call ran:\n   22      tool total first → ")


@pytest.mark.parametrize(
    ("message", "said"),
    [
        ("What is", ["15  pre_llm_call first injected: ", "16  pre_llm_call second injected: "]),
        ("three", ["31  transform_llm_output second rewrote: "]),
        (
            "nobody reads",
            ["No plugin changed text that contains 'nobody reads'", "24    hook post_tool_call second → "],
        ),
    ],
)
def test_text_names_the_callback_that_changed_a_message(
    message: str, said: list[str], trace: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert view(str(trace), "--who-changed", message) == 0
    out = capsys.readouterr().out
    assert [one for one in said if one not in out] == []


def test_text_shows_one_event(trace: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert view(str(trace), "--event", "17") == 0
    out = capsys.readouterr().out
    assert out.startswith("17    llm_request main → calls total, calls total\n")
    assert "\nresult of total: event 22\n" in out
    assert '\nreturned\n  {\n    "__type__": "Answer",\n' in out
    assert len(out) < 10_000


def test_text_shows_how_another_trace_differs(trace: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    other = tmp_path / "other.trace"
    other.write_text(trace.read_text().replace("13 is unlucky.", "Unlucky."))
    assert view(str(trace), "--diff", str(trace)) == 0
    assert "show the same 31 events" in " ".join(capsys.readouterr().out.split())
    assert view(str(trace), "--diff", str(other)) == 1
    assert '  - "13 is unlucky."\n  + "Unlucky."\n' in capsys.readouterr().out


@pytest.mark.parametrize(
    ("options", "problem"),
    [
        (["--why-blocked", "x"], "no call of the tool 'x'.\n  The called tools are: total."),
        (["--who-changed", "x y z"], "No event of the trace contains 'x y z'."),
        (["--event", "99"], "no event 99.\n  Pass a number from 1 to 31."),
        (["--event", "1", "--why-blocked", "total"], "Only one of -o, --text, "),
        (["--text", "-o", "page.html"], "Only one of -o, --text, "),
    ],
)
def test_question_without_an_answer_is_an_error(
    options: list[str], problem: str, trace: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert view(str(trace), *options) == 2
    assert problem in capsys.readouterr().err


@pytest.fixture(scope="module")
def chromium() -> Generator[Browser]:
    with launch() as browser:
        yield browser


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory) -> str:
    folder = tmp_path_factory.mktemp("view")
    page = folder / "page.html"
    view(str(write_trace(folder)), "-o", str(page))
    return page.as_uri()


@pytest.fixture
def page(chromium: Browser, address: str) -> Generator[Page]:
    with open_page(chromium, address) as page:
        yield page


def test_step_links_to_its_event_and_payload(page: Page) -> None:
    row = page.get_by_role("row", name=re.compile("pre_tool_call"))
    expect(row.get_by_role("cell")).to_contain_text(["blocked Do not run the tool", "overruled"])
    expect(page.locator(".timeline pre:visible")).to_have_count(0)
    row.get_by_role("link", name="blocked").click()
    event = page.locator(".timeline > li:target")
    expect(event.locator("summary")).to_be_focused()
    expect(event.get_by_text("13 is unlucky.").last).to_be_visible()
    assert json.loads(event.locator("pre").last.inner_text())["tool_name"] == "total"


def test_call_and_result_link_to_each_other(page: Page) -> None:
    page.get_by_role("link", name="result of total").first.click()
    expect(page.locator(".timeline > li:target")).to_have_attribute("data-kind", "tool")
    page.locator(".timeline > li:target").get_by_role("link", name="call of total").click()
    expect(page.locator(".timeline > li:target")).to_have_attribute("data-kind", "llm_request")


def test_events_can_be_searched_and_links_show_filtered_events(page: Page) -> None:
    rows = page.locator(".timeline > li:visible")
    page.get_by_label("Search").fill("unlucky pre_tool_call")
    expect(page.get_by_role("status")).to_contain_text(re.compile(r"^\d of \d\d events"))
    page.get_by_label("Kind").select_option("hook")
    expect(rows).to_have_count(1)
    page.get_by_label("Search").fill("")
    page.locator("[data-filter=plugin]").select_option("second")
    page.get_by_label("Effect of plugins").select_option("overruled")
    expect(rows).to_have_count(1)
    page.get_by_role("link", name="raised").click()
    expect(page.locator(".timeline > li:target")).to_be_visible()
    expect(page.locator("[data-filter=plugin]")).to_have_value("")


def test_registrations_open_on_a_search_match(page: Page) -> None:
    expect(page.get_by_text("register_middleware").first).to_be_hidden()
    page.get_by_label("Search").fill("register_middleware")
    expect(page.get_by_text("register_middleware").first).to_be_visible()


def test_page_can_be_used_with_the_keyboard(page: Page) -> None:
    events = page.locator(".timeline:visible > li > details")
    events.first.locator("summary").focus()
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Enter")
    expect(events.nth(1)).to_have_attribute("open", "")
    page.keyboard.press("ArrowUp")
    expect(events.first.locator("summary")).to_be_focused()


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_page_is_accessible_and_fits_a_narrow_screen(scheme: str, chromium: Browser, address: str) -> None:
    options = {"color_scheme": scheme, "viewport": {"width": 400, "height": 800}}
    with open_page(chromium, address, options) as page:
        page.locator("summary", has_text="blocked").first.click()
        page.locator(".registrations > summary").click()
        assert page.evaluate("document.documentElement.scrollWidth") == 400
        assert page.locator(".wide").evaluate("box => box.scrollWidth <= box.clientWidth")
        found = Axe().run(page)
        assert found.violations_count == 0, found.generate_report()


def test_hostile_text_is_inert(chromium: Browser, tmp_path: Path) -> None:
    page = tmp_path / "page.html"
    trace = write_trace(tmp_path, evil=True)
    trace.write_text(trace.read_text().replace('"stack.yaml"', json.dumps(f"</title></style>{EVIL}"), 1))
    view(str(trace.rename(tmp_path / "<img src=x>.trace")), "-o", str(page))
    with open_page(chromium, page.as_uri()) as shown:
        shown.evaluate("document.querySelectorAll('details').forEach((one) => { one.open = true; })")
        assert shown.locator("script, img, style").count() == 2
        assert EVIL in shown.locator("main").inner_text()
