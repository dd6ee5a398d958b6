"""The page in a browser."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest
from chromium import find_chromium, launch
from compat.matrices import make_matrix

from hermes_sdk import contract
from hermes_sdk.compat.report.html import page

VERDICTS = {
    **dict.fromkeys(contract.releases(), "passes"),
    "0.19.0": "broken",
    "0.20.2": "lacks",
    "0.23.4": "unknown",
    "real:0.19.0": "fails",
}

_QUIET = (
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--hide-scrollbars",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-default-apps",
    "--disable-sync",
    "--no-first-run",
    "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1",
)


@pytest.fixture
def browser(tmp_path: Path):
    """Return a function that runs Chromium on the page, and returns its output."""
    program = find_chromium()
    (tmp_path / "page.html").write_text(page([make_matrix(VERDICTS, ">=0.20")]), encoding="utf-8")

    def run(*options: str, fragment: str = "") -> subprocess.CompletedProcess[bytes]:
        address = f"file://{tmp_path}/page.html{fragment}"
        command = [program, *_QUIET, f"--user-data-dir={tmp_path / 'profile'}", *options, address]
        return subprocess.run(command, capture_output=True, check=True, timeout=60)

    return run


def test_cell_link_opens_only_its_log(browser):
    closed = browser("--dump-dom").stdout.decode()
    opened = browser("--dump-dom", fragment="#cell-1-2").stdout.decode()
    assert closed.count("<details>") == len(VERDICTS)
    assert "<details open" not in closed
    assert opened.count("<details open") == 1
    assert 'id="cell-1-2"' in opened.partition("<details open")[2].partition("</details>")[0]


def test_matrix_fits_a_laptop_screen(tmp_path):
    (tmp_path / "page.html").write_text(
        page([make_matrix(dict.fromkeys(contract.modelled_releases(), "passes"))]), encoding="utf-8"
    )
    with launch() as browser:
        tab = browser.new_page(viewport={"width": 1366, "height": 768})
        tab.goto((tmp_path / "page.html").as_uri())
        assert tab.locator(".scroll").evaluate("box => box.scrollWidth <= box.clientWidth")


def list_requests(log: Path) -> set[str]:
    """Return the URLs that a page requested. Requests of the browser itself have no origin."""
    events = (event.get("params", {}) for event in json.loads(log.read_text(encoding="utf-8"))["events"])
    return {event["url"] for event in events if event.get("initiator", "not an origin") != "not an origin"}


def test_page_makes_no_requests_and_logs_no_errors(browser, tmp_path):
    log = tmp_path / "net.json"
    watched = ("--dump-dom", f"--log-net-log={log}", "--enable-logging=stderr", "--v=0")
    done = browser(*watched)
    assert (b"CONSOLE" in done.stderr, list_requests(log)) == (False, set())
    # The check detects a message and a request on a page that causes both.
    (tmp_path / "page.html").write_text("<img src='http://127.0.0.1:1/x.png'><script>console.error('no')</script>")
    done = browser(*watched)
    assert (b"CONSOLE" in done.stderr, list_requests(log)) == (True, {"http://127.0.0.1:1/x.png"})


def test_page_supports_light_and_dark_mode(browser, tmp_path):
    def draw_page(name: str, *options: str) -> bytes:
        browser(f"--screenshot={tmp_path / name}", "--window-size=1280,800", *options)
        return (tmp_path / name).read_bytes()

    light = draw_page("light.png")
    dark = draw_page("dark.png", "--blink-settings=preferredColorScheme=0")
    assert light != dark
    assert min(len(light), len(dark)) > 20_000
