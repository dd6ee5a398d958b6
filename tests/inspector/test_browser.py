"""Actions of an author on the page of the inspector, in a real browser."""

from __future__ import annotations

import contextlib
import json
import shlex
import subprocess
import sys
from collections.abc import Generator
from pathlib import Path
from typing import Any

import pytest
from chromium import go, open_page
from inspector.conftest import write_hotel
from inspector.serving import RUN, Inspector, serve
from playwright.sync_api import Browser, Locator, Page, expect

SCRIPT = "main:\n- tool_calls: [{name: reserve, args: {room: single}}]\n- text: It is done.\n"


def result(page: Page) -> Locator:
    """Return the last result on the page."""
    return page.locator("article.result").last


def write_raw(page: Page, arguments: Any) -> None:
    page.get_by_role("button", name="JSON", exact=True).click()
    page.get_by_label("Arguments of reserve as JSON").fill(json.dumps(arguments))


def read_raw(page: Page) -> Any:
    page.get_by_role("button", name="JSON", exact=True).click()
    return json.loads(page.get_by_label("Arguments of reserve as JSON").input_value())


def copy(within: Locator, label: str) -> str:
    within.get_by_role("button", name=label).click()
    expect(within.get_by_role("status")).to_have_text("Copied.")
    text: str = within.page.evaluate("navigator.clipboard.readText()")
    return text


@contextlib.contextmanager
def open_editable(chromium: Browser, folder: Path) -> Generator[tuple[Page, Path]]:
    """Return a separate page, and the source of the plugin that it shows."""
    plugin = write_hotel(folder)
    with serve(plugin) as inspector, open_page(chromium, inspector.take_address()) as page:
        yield page, plugin / "__init__.py"


def test_address_opens_the_page_and_its_token_is_removed(page: Page, hotel: Inspector) -> None:
    expect(page).to_have_url(f"{hotel.origin}/")
    expect(page.get_by_role("heading", level=1)).to_contain_text("hotel 1.0.0 on Hermes")
    expect(page.get_by_role("row", name="register_tool reserve __init__.py:41")).to_be_visible()
    expect(page.get_by_text("✓ No problems found in ")).to_be_visible()


def test_tool_is_called_by_form_and_by_json(page: Page) -> None:
    go(page, "Tools")
    page.get_by_label("name", exact=True).fill("Ada")
    page.get_by_label("Kind of age").select_option("2: null")
    page.get_by_label("room", exact=True).select_option("double")
    page.get_by_role("button", name="Add an item to extras").click()
    page.get_by_label("what").fill("breakfast")
    page.get_by_label("Include price").check()
    page.get_by_label("price", exact=True).fill("9.5")
    page.get_by_label("Kind of payment").select_option("2: Invoice")
    page.get_by_label("company").fill("Analytical Engines")
    page.get_by_label("Include late").check()
    page.get_by_label("late", exact=True).select_option("false")
    expected = {
        "guest": {"name": "Ada", "age": None},
        "room": "double",
        "extras": [{"what": "breakfast", "price": 9.5}],
        "payment": {"company": "Analytical Engines"},
        "late": False,
    }
    assert read_raw(page) == expected
    page.get_by_role("button", name="Call reserve").click()
    expect(result(page).locator("h3")).to_contain_text("ok reserve")
    assert json.loads(result(page).locator("pre").first.inner_text()) == {"reserved": expected}

    other = {
        **expected,
        "guest": {"name": "Charles", "age": 79},
        "payment": {"number": "1"},
        "extras": [],
        "pet": "cat",
    }
    write_raw(page, other)
    page.get_by_role("button", name="Form", exact=True).click()
    expect(page.get_by_label("name", exact=True)).to_have_value("Charles")
    expect(page.get_by_label("age", exact=True)).to_have_value("79")
    expect(page.get_by_label("number")).to_have_value("1")
    expect(page.get_by_label("what")).to_have_count(0)
    page.get_by_label("room", exact=True).select_option("single")
    page.get_by_role("button", name="Call reserve").click()
    expect(result(page).locator("pre").first).to_contain_text("Charles")
    assert json.loads(result(page).locator("pre").first.inner_text()) == {"reserved": {**other, "room": "single"}}


def test_invalid_json_stays_in_the_form(page: Page) -> None:
    go(page, "Tools")
    page.get_by_role("button", name="JSON", exact=True).click()
    raw = page.get_by_label("Arguments of reserve as JSON")
    raw.fill('{"room": ')
    page.get_by_role("button", name="Form", exact=True).click()
    expect(page.get_by_role("alert")).to_contain_text("Not valid JSON")
    expect(raw).to_have_value('{"room": ')
    page.get_by_role("button", name="Call reserve").click()
    expect(result(page)).to_contain_text("The arguments are not valid JSON")


def test_hook_is_fired(page: Page) -> None:
    go(page, "Hooks")
    expect(page.get_by_role("combobox", name="Hook")).to_have_value("pre_llm_call")
    arguments = page.get_by_label("Arguments of pre_llm_call as JSON")
    assert {"user_message", "session_id"} <= set(json.loads(arguments.input_value()))
    for tab in page.get_by_role("button", name="JSON", exact=True).all():
        tab.click()
    arguments.fill('{"user_message": "hello"}')
    page.get_by_role("button", name="Fire pre_llm_call").click()
    expect(result(page)).to_contain_text("The guest said HELLO")
    arguments.fill('{"user_message": 1}')
    page.get_by_role("button", name="Fire pre_llm_call").click()
    expect(result(page)).to_contain_text("swallowed")
    expect(result(page)).to_contain_text("'int' object has no attribute 'upper'")
    page.get_by_role("combobox", name="Hook").select_option("post_tool_call")
    page.get_by_role("button", name="Choose").click()
    expect(page.get_by_role("button", name="Fire post_tool_call")).to_be_visible()


def test_command_is_run(page: Page) -> None:
    go(page, "Commands")
    page.get_by_label("Line").fill("/rooms double")
    page.get_by_role("button", name="Run /rooms").click()
    expect(result(page)).to_contain_text("double rooms are free")


def test_chat_shows_its_timeline(page: Page) -> None:
    go(page, "Chat")
    page.get_by_label("Message").fill("A room, please")
    page.locator("summary", has_text="Model script").click()
    page.get_by_role("textbox", name="Script").fill(SCRIPT)
    page.get_by_role("button", name="Send").click()
    turn = result(page)
    expect(turn.locator(".markdown")).to_have_text("It is done.")
    expect(page.get_by_label("Message")).to_have_value("")
    events = turn.locator(".timeline > li")
    hook = events.filter(has_text="hook pre_llm_call")
    expect(hook).to_contain_text("The guest said A ROOM, PLEASE")
    expect(events.filter(has_text="tool reserve")).to_be_visible()
    page.get_by_label("Show in timelines").select_option("tools")
    expect(events.filter(has_text="tool reserve")).to_be_visible()
    expect(hook).to_be_hidden()
    page.get_by_role("button", name="New conversation").click()
    expect(page.locator("article.result")).to_have_count(0)


def test_copied_command_and_test_repeat_the_action(page: Page, pytester: pytest.Pytester, hotel: Inspector) -> None:
    go(page, "Tools")
    write_raw(
        page, {"room": "double", "guest": {"name": "it's", "age": None}, "extras": [], "payment": {"number": "1"}}
    )
    page.get_by_role("button", name="Call reserve").click()
    test, command = copy(result(page), "Copy as pytest"), copy(result(page), "Copy as command")
    go(page, "Chat")
    page.get_by_label("Message").fill("Hello")
    page.get_by_role("button", name="Send").click()
    chat = copy(result(page), "Copy as pytest")
    plugin = pytester.path / "hotel"
    write_hotel(pytester.path)
    (plugin / "test_call.py").write_text(test)
    (plugin / "test_chat.py").write_text(chat)
    (plugin / "pytest.ini").write_text("[pytest]\n")
    pytester.runpytest_subprocess("-q", "--rootdir", str(plugin), str(plugin)).assert_outcomes(passed=2)
    program, *argv = shlex.split(command)
    done = subprocess.run([sys.executable, "-c", RUN, *argv], capture_output=True, text=True, check=True)
    assert (program, "it's" in done.stdout) == ("hermes-sdk", True)


def test_saved_change_is_shown_and_typed_text_is_kept(chromium: Browser, tmp_path: Path) -> None:
    with open_editable(chromium, tmp_path) as (page, source):
        go(page, "Tools")
        page.get_by_label("name", exact=True).fill("Grace")
        source.write_text(source.read_text().replace("Reserves a room.", "Reserves a suite."))
        expect(page.get_by_text("Reserves a suite.")).to_be_visible()
        expect(page.get_by_label("name", exact=True)).to_have_value("Grace")
        expect(page.get_by_label("name", exact=True)).to_be_focused()
        go(page, "Chat")
        page.get_by_label("Message").fill("Hello")
        page.get_by_role("button", name="Send").click()
        expect(result(page)).to_contain_text("The guest said HELLO")
        source.write_text(source.read_text().replace("The guest said", "You said"))
        expect(result(page)).to_contain_text("You said HELLO")
        expect(page.locator("article.result")).to_have_count(1)


def test_broken_plugin_is_reported_until_repaired(chromium: Browser, tmp_path: Path) -> None:
    with open_editable(chromium, tmp_path) as (page, source):
        good = source.read_text()
        go(page, "Commands")
        source.write_text("\nimport nonsense\n" + good)
        problem = page.get_by_role("alert", name="The plugin does not load")
        expect(problem).to_contain_text("__init__.py:2")
        expect(problem).to_contain_text("No module named 'nonsense'")
        expect(problem).to_contain_text("import nonsense")
        expect(problem).to_contain_text("Install nonsense")
        expect(problem).to_contain_text("HS201")
        page.get_by_role("button", name="Run /rooms").click()
        expect(result(page)).to_contain_text("all rooms are free")
        source.write_text(good.replace("are free", "are taken"))
        expect(problem).to_have_count(0)
        page.get_by_role("button", name="Run /rooms").click()
        expect(result(page)).to_contain_text("all rooms are taken")


def test_words_are_not_broken_on_a_phone_screen(chromium: Browser, hotel: Inspector) -> None:
    with open_page(chromium, hotel.take_address(), {"viewport": {"width": 390, "height": 800}}) as page:
        row = page.get_by_role("row").filter(has_text="register_command")
        expect(row).to_be_visible()
        heights = row.locator("td").evaluate_all("cells => cells.map(cell => cell.getClientRects()[0].height)")
        line = page.evaluate("parseFloat(getComputedStyle(document.body).lineHeight)")
        assert max(heights) < 1.5 * line
        assert page.evaluate("document.documentElement.scrollWidth") <= 390


def test_running_command_is_stopped_from_another_browser(chromium: Browser, tmp_path: Path) -> None:
    plugin = write_hotel(tmp_path)
    source = plugin / "__init__.py"
    source.write_text(source.read_text().replace("lambda line: f", "lambda line: __import__('time').sleep(25) or f"))
    with serve(plugin) as inspector, open_page(chromium, inspector.take_address()) as page:
        go(page, "Commands")
        page.get_by_role("button", name="Run /rooms").click()
        expect(page.get_by_text("Running: command /rooms")).to_be_visible()
        with open_page(chromium, inspector.take_address()) as other:
            other.get_by_role("button", name="Stop").click()
        expect(page.get_by_text("You stopped the action.")).to_be_visible()
        expect(page.get_by_role("button", name="Stop")).to_have_count(0)
