"""Chromium for tests, which fail if a page logs an error."""

from __future__ import annotations

import contextlib
import os
import shutil
from collections.abc import Generator, Mapping
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, expect, sync_playwright

LIMIT = 30_000
"""Timeout in milliseconds for conditions that a test waits for."""

STRANGER = "stranger.test"
"""Host name of another site, which resolves to this machine."""

expect.set_options(timeout=LIMIT)


def find_chromium() -> str:
    """Return the path of the browser, preferably the faster headless shell; skip the test without one."""
    for name in ("chromium-headless-shell", "chromium", "chromium-browser", "google-chrome"):
        if program := shutil.which(name):
            return program
    if os.environ.get("CI") == "true":
        pytest.fail("in CI there must be a Chromium: make ci-deps", pytrace=False)
    pytest.skip("no Chromium on PATH: make ci-deps")


@contextlib.contextmanager
def launch() -> Generator[Browser]:
    """Start the browser, and close it afterwards."""
    rules = f"MAP {STRANGER} 127.0.0.1, MAP * ~NOTFOUND, EXCLUDE 127.0.0.1"
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=find_chromium(), args=[f"--host-resolver-rules={rules}"])
        yield browser
        browser.close()


@contextlib.contextmanager
def open_page(browser: Browser, address: str, options: Mapping[str, Any] | None = None) -> Generator[Page]:
    """Open an address, and fail the test if the page logs an error or opens a dialog."""
    complaints: list[str] = []
    context = browser.new_context(**(options or {}), permissions=["clipboard-read", "clipboard-write"])
    context.set_default_timeout(LIMIT)
    page = context.new_page()
    page.on("console", lambda message: complaints.append(message.text))
    page.on("pageerror", lambda error: complaints.append(str(error)))
    page.on("dialog", lambda dialog: (complaints.append(dialog.message), dialog.dismiss()))
    page.goto(address)
    expect(page.get_by_role("navigation")).to_be_visible()
    yield page
    context.close()
    assert complaints == []


def go(page: Page, pane: str) -> None:
    """Open a pane by its link."""
    page.get_by_role("navigation").get_by_role("link", name=pane, exact=True).click()
    expect(page.locator("nav [aria-current=page]")).to_have_text(pane)
    # Scripts of a pane run after its elements exist.
    page.wait_for_load_state("domcontentloaded")
