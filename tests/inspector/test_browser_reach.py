"""Accessibility and protection of the page: keyboards, small screens, and attackers."""

from __future__ import annotations

import json
import re
import threading
from collections.abc import Generator
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path

import httpx
import pytest
from axe_playwright_python.sync_playwright import Axe
from chromium import STRANGER, go, open_page
from inspector.serving import Inspector, serve
from inspector.test_panes import EXAMPLES
from playwright.sync_api import Browser, Locator, Page, expect

from hermes_sdk.inspector.pages import PANES, PATHS

EVIL = (
    """</textarea></pre><script>alert(1)</script>"'><img src=x onerror=alert(2)><a href="javascript:alert(3)">x</a>"""
)

HOSTILE = f"""
import logging
EVIL = {EVIL!r}
SCHEMA = {{
    "name": "plain",
    "description": EVIL,
    "parameters": {{
        "type": "object",
        "properties": {{
            "outer": {{
                "type": "object",
                "properties": {{EVIL: {{"type": "string", "description": EVIL, "default": EVIL}}}},
                "required": [EVIL],
            }},
            "choice": {{"enum": [EVIL, 1], "description": EVIL}},
            "either": {{"anyOf": [{{"title": EVIL, "type": "string"}}, {{"type": "null"}}]}},
        }},
        "required": ["outer", "choice", "either"],
    }},
}}


def call(args, **more):
    logging.getLogger(EVIL).warning(EVIL)
    return EVIL


def fail(**more):
    raise ValueError(EVIL)


def register(ctx):
    ctx.register_tool("plain", "evil", SCHEMA, call)
    ctx.register_tool(EVIL, "evil", {{**SCHEMA, "name": EVIL}}, call)
    ctx.register_hook("pre_llm_call", fail)
    ctx.register_command("evil", lambda line: EVIL, EVIL)
"""


def write_hostile(parent: Path) -> Path:
    folder = parent / "hostile"
    folder.mkdir()
    (folder / "plugin.yaml").write_text(f"name: hostile\nversion: {json.dumps(EVIL)}\nkind: standalone\n")
    (folder / "__init__.py").write_text(HOSTILE)
    return folder


def press_until_focused(page: Page, wanted: Locator) -> None:
    """Press Tab until an element has the focus."""
    for _ in range(60):
        if wanted.evaluate("element => element === document.activeElement"):
            return
        page.keyboard.press("Tab")
    pytest.fail(f"Tab does not reach {wanted}")


@pytest.fixture(scope="module", params=["light", "dark"])
def themed_page(request: pytest.FixtureRequest, chromium: Browser, hotel: Inspector) -> Generator[Page]:
    with open_page(chromium, hotel.take_address(), {"color_scheme": request.param}) as page:
        yield page


@pytest.mark.parametrize("pane", PANES)
def test_panes_have_no_accessibility_violations(themed_page: Page, pane: str) -> None:
    go(themed_page, PANES[pane])
    expect(themed_page.get_by_text("Checking…")).to_have_count(0)
    if pane == "chat":
        themed_page.get_by_label("Message").fill("Hello")
    for button in themed_page.get_by_role("button", name=re.compile("^(Call|Fire|Run|Send)")).all():
        button.click()
        expect(themed_page.locator("article.result").last).to_be_visible()
    found = Axe().run(themed_page).response["violations"]
    assert not [one for one in found if one["impact"] in ("serious", "critical")]


@pytest.mark.parametrize("pane", PANES)
def test_each_pane_fits_a_small_screen(chromium: Browser, hotel: Inspector, pane: str) -> None:
    with open_page(chromium, hotel.take_address(), {"viewport": {"width": 400, "height": 800}}) as page:
        go(page, PANES[pane])
        assert page.evaluate("document.documentElement.scrollWidth") <= 400


@pytest.mark.parametrize(("example", "button"), [("sqlite_memory", "Set up"), ("tile_images", "Select")])
def test_provider_panes_are_accessible_and_fit_a_small_screen(chromium: Browser, example: str, button: str) -> None:
    small = {"viewport": {"width": 400, "height": 800}}
    with serve(EXAMPLES / example) as inspector, open_page(chromium, inspector.take_address(), small) as page:
        go(page, PANES["providers"])
        page.get_by_role("button", name=button).click()
        expect(page.get_by_text("Selected." if button == "Select" else "exit 0")).to_be_visible()
        expect(page.locator("main a").first).to_have_css("color", "rgb(36, 80, 197)")
        found = Axe().run(page).response["violations"]
        assert not [one for one in found if one["impact"] in ("serious", "critical")]
        assert page.evaluate("document.documentElement.scrollWidth") <= 400


def test_light_and_dark_schemes_have_different_backgrounds(chromium: Browser, hotel: Inspector) -> None:
    shades = set()
    for scheme in ("light", "dark"):
        with open_page(chromium, hotel.take_address(), {"color_scheme": scheme}) as page:
            page.wait_for_load_state("load")
            shades.add(page.evaluate("getComputedStyle(document.body).backgroundColor"))
    assert len(shades) == 2


def test_page_is_usable_with_only_a_keyboard(page: Page) -> None:
    press_until_focused(page, page.get_by_role("link", name="Tools"))
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", name="reserve")).to_be_visible()
    press_until_focused(page, page.get_by_label("name", exact=True))
    page.keyboard.type("Ada")
    press_until_focused(page, page.get_by_role("button", name="Add an item to extras"))
    page.keyboard.press("Enter")
    press_until_focused(page, page.get_by_label("Include late"))
    page.keyboard.press("Space")
    press_until_focused(page, page.get_by_role("button", name="Call reserve"))
    page.keyboard.press("Enter")
    expect(page.locator("article.result")).to_contain_text('"name": "Ada"')
    press_until_focused(page, page.get_by_role("button", name="Copy as pytest"))
    page.keyboard.press("Enter")
    expect(page.locator("article.result").get_by_role("status")).to_have_text("Copied.")


def test_text_of_a_hostile_plugin_is_inert(chromium: Browser, tmp_path: Path) -> None:
    plugin = write_hostile(tmp_path)
    with serve(plugin) as inspector, open_page(chromium, inspector.take_address()) as page:
        for pane, button in (("tools", "Call plain"), ("hooks", "Fire"), ("commands", "Run"), ("chat", "Send")):
            go(page, PANES[pane])
            if pane == "chat":
                page.get_by_label("Message").fill(EVIL)
            page.get_by_role("button", name=button).first.click()
            expect(page.locator("article.result").last).to_contain_text("alert(1)")
            assert_inert(page)
        for pane in PANES:
            go(page, PANES[pane])
            expect(page.get_by_text("Checking…")).to_have_count(0)
            assert_inert(page)
        (plugin / "__init__.py").write_text("EVIL = " + repr(EVIL) + "\nraise ValueError(EVIL)\n")
        expect(page.get_by_role("alert")).to_contain_text("alert(1)")
        assert_inert(page)


def assert_inert(page: Page) -> None:
    """Assert that the page contains only the text of the plugin, three scripts and no picture."""
    assert page.locator("script").count() == 3
    assert page.locator("img, a[href^=javascript]").count() == 0
    assert "alert(2)" in page.locator("body").inner_text()


def test_page_requires_the_token(chromium: Browser, hotel: Inspector) -> None:
    context = chromium.new_context()
    for path in ("/", "/tools", "/events", "/static/inspector.js", "/?token=guessed"):
        answer = context.request.get(hotel.origin + path)
        assert (answer.status, "reserve" in answer.text()) == (403, False)
    context.close()


def test_host_name_of_another_site_is_rejected(chromium: Browser, hotel: Inspector) -> None:
    context = chromium.new_context()
    page = context.new_page()
    answer = page.goto(hotel.origin.replace("127.0.0.1", STRANGER) + "/?token=guessed")
    assert answer is not None
    assert (answer.status, context.cookies()) == (421, [])
    context.close()


class Thief(HTTPServer):
    """A server on another port of this machine that keeps the cookies of its visitors."""

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), ThiefHandler)
        self.cookies: list[str] = []
        self.address = f"http://127.0.0.1:{self.server_port}/"


class ThiefHandler(BaseHTTPRequestHandler):
    def log_message(self, format: str, *args: object) -> None:
        pass

    def do_GET(self) -> None:
        assert isinstance(self.server, Thief)
        self.server.cookies.append(self.headers["cookie"] or "")
        self.send_response(200)
        self.end_headers()


@pytest.fixture
def thief() -> Generator[Thief]:
    with Thief() as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.01,))
        thread.start()
        yield server
        server.shutdown()
        thread.join()


def test_cookie_leaked_to_another_port_gives_no_access(chromium: Browser, hotel: Inspector, thief: Thief) -> None:
    context = chromium.new_context()
    page = context.new_page()
    page.goto(hotel.take_address())
    expect(page.get_by_role("navigation")).to_be_visible()
    other = context.new_page()
    other.goto(thief.address)
    headers = {"cookie": thief.cookies[0], "origin": hotel.origin}
    assert "hermes_sdk_inspector" in headers["cookie"]
    assert other.evaluate("localStorage.length") == 0
    for path in PATHS:
        shown = httpx.get(hotel.origin + path, headers=headers, trust_env=False)
        assert (shown.status_code, "hotel" in shown.text, "reserve" in shown.text) == (200, False, False)
    fields = {"kind": "command", "name": "/rooms"}
    assert httpx.get(f"{hotel.origin}/events", headers=headers, trust_env=False).status_code == 403
    assert httpx.post(f"{hotel.origin}/act", data=fields, headers=headers, trust_env=False).status_code == 403
    go(page, "Commands")
    page.get_by_role("button", name="Run /rooms").click()
    expect(page.locator("article.result")).to_contain_text("all rooms are free")
    context.close()


def test_page_opens_from_a_file_and_supports_reloads_and_tabs(
    chromium: Browser, hotel: Inspector, tmp_path: Path
) -> None:
    address = hotel.take_address()
    file = tmp_path / "inspector.html"
    file.write_text(f'<!doctype html><meta http-equiv="refresh" content="0;url={address}">')
    context = chromium.new_context()
    page, tab = context.new_page(), context.new_page()
    page.goto(file.as_uri())
    expect(page.get_by_role("navigation")).to_be_visible()
    expect(page).to_have_url(f"{hotel.origin}/")
    page.reload()
    expect(page.get_by_role("heading", level=1)).to_contain_text("hotel 1.0.0")
    tab.goto(f"{hotel.origin}/hooks?hook=pre_tool_call")
    expect(tab.get_by_role("combobox", name="Hook")).to_have_value("pre_tool_call")
    tab.get_by_role("button", name="Fire pre_tool_call").click()
    expect(tab.locator("article.result")).to_contain_text("No callback ran.")
    tab.goto(address)
    expect(tab.locator("body")).to_contain_text("This address works only once, and was already used.")
    context.close()


def test_stale_page_shows_the_address_to_open(chromium: Browser, hotel: Inspector) -> None:
    context = chromium.new_context()
    page = context.new_page()
    page.goto(hotel.take_address())
    expect(page.get_by_role("navigation")).to_be_visible()
    page.evaluate("localStorage.setItem('hermes-sdk-page', 'of another run')")
    page.reload()
    expect(page.locator("body")).to_contain_text("Open the last address that `hermes-sdk dev` printed.")
    context.close()


def test_page_of_another_site_cannot_run_actions(chromium: Browser, hotel: Inspector) -> None:
    context = chromium.new_context()
    page = context.new_page()
    page.goto(hotel.take_address())
    expect(page.get_by_role("navigation")).to_be_visible()
    form = (
        f'<form method="post" action="{hotel.origin}/act"><input name="kind" value="call">'
        '<input name="name" value="reserve"><button>Win</button></form>'
    )
    context.route(f"http://{STRANGER}/", lambda route: route.fulfill(body=form, content_type="text/html"))
    page.goto(f"http://{STRANGER}/")
    with page.expect_response(f"{hotel.origin}/act") as answered:
        page.get_by_role("button", name="Win").click()
    assert answered.value.status == 403
    context.close()
