"""The built site is complete and searchable, loads nothing from other servers, and does not cut code."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import threading
from functools import partial
from html.parser import HTMLParser
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from queue import Queue
from typing import Literal

import pytest
from axe_playwright_python.sync_playwright import Axe
from chromium import find_chromium, launch
from docs.blocks import ROOT

from hermes_sdk.contract import grade, known_releases

LOADS = {"script": "src", "img": "src", "link": "href", "iframe": "src", "source": "src"}


class Elements(HTMLParser):
    """Parser that collects the elements of a page with their attributes."""

    def __init__(self, page: Path) -> None:
        super().__init__()
        self.found: list[tuple[str, dict[str, str]]] = []
        self.feed(page.read_text(encoding="utf-8"))

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found.append((tag, {name: value or "" for name, value in attrs}))


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Build the site with `make docs`, which fails for broken links and anchors."""
    folder = tmp_path_factory.mktemp("site")
    done = subprocess.run(
        [sys.executable, "-m", "mkdocs", "build", "--quiet", "--strict", "--site-dir", str(folder)],
        cwd=ROOT,
        env={**os.environ, "NO_MKDOCS_2_WARNING": "1"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return folder


def test_pages_load_nothing_from_other_servers(site: Path) -> None:
    for page in site.rglob("*.html"):
        loaded = [attributes.get(LOADS[tag], "") for tag, attributes in Elements(page).found if tag in LOADS]
        assert not [address for address in loaded if address.startswith(("http:", "https:", "//"))], page
    for sheet in [*site.rglob("*.css"), *site.rglob("*.svg")]:
        assert "url(http" not in sheet.read_text(encoding="utf-8").replace('"', ""), sheet


def test_links_of_front_pages_are_not_broken() -> None:
    for name in ("README.md", "CONTRIBUTING.md", "SECURITY.md"):
        links = re.findall(r"\]\((?!https?:)([^)#]+)", (ROOT / name).read_text(encoding="utf-8"))
        assert links
        assert not [link for link in links if not (ROOT / link).exists()], name


def test_every_picture_has_alternative_text(site: Path) -> None:
    for page in site.rglob("*.html"):
        pictures = [attributes for tag, attributes in Elements(page).found if tag == "img"]
        assert all(len(picture.get("alt", "")) > 20 for picture in pictures if picture.get("alt") != "logo"), page


def test_navigation_lists_the_pages_of_patterns(site: Path) -> None:
    titles = re.findall(r'md-ellipsis">\s*([^<]+?)\s*<', (site / "index.html").read_text(encoding="utf-8"))
    assert "glob" not in titles
    assert titles.index("Providers and platforms") + 1 == titles.index("Context engines")


def test_types_in_tables_show_no_backslashes(site: Path) -> None:
    for page in site.rglob("*.html"):
        assert not re.search(r"<code>[^<]* \\\| [^<]*</code>", page.read_text(encoding="utf-8")), page


def test_llms_txt_lists_every_page(site: Path) -> None:
    listed = (site / "llms.txt").read_text(encoding="utf-8")
    full = (site / "llms-full.txt").read_text(encoding="utf-8")
    for page in (ROOT / "docs").glob("*/*.md"):
        place = page.relative_to(ROOT / "docs").with_suffix("").as_posix().removesuffix("/index")
        assert f"({place}/)" in listed
        assert f"<!-- {place}/ -->" in full


def test_search_index_contains_the_headings(site: Path) -> None:
    index = json.loads((site / "search" / "search_index.json").read_text(encoding="utf-8"))
    places = {entry["location"] for entry in index["docs"]}
    assert {"reference/hooks/#pre_tool_call", "reference/context/#ctx-register_tool", "reference/cli/"} <= places


SEARCH = """\
<iframe src="/?q=QUERY" width="1200" height="800"></iframe>
<script>
  setInterval(() => {
    const found = document.querySelector("iframe").contentDocument.querySelectorAll(".md-search-result__link");
    if (found.length) fetch("/found", { method: "POST", body: [...found].map(link => link.href).join("\\n") });
  }, 100);
</script>
"""

CUT_CODE = """\
<iframe width="1366" height="768"></iframe>
<script>
  (async () => {
    const frame = document.querySelector("iframe"), cut = [];
    for (const page of PAGES) {
      await new Promise(loaded => { frame.onload = loaded; frame.src = page; });
      for (const code of frame.contentDocument.querySelectorAll("pre > code"))
        if (code.scrollWidth > code.clientWidth + 1) cut.push(`${page}: ${code.innerText}`);
    }
    fetch("/found", { method: "POST", body: cut.join("\\n") });
  })();
</script>
"""


class Server(ThreadingHTTPServer):
    """Server for the site, and for a page whose script inspects the site and posts the result."""

    def __init__(self, site: Path, script: str) -> None:
        self.script = script
        self.found: Queue[str] = Queue()
        super().__init__(("127.0.0.1", 0), partial(Handler, directory=str(site)))


class Handler(SimpleHTTPRequestHandler):
    server: Server

    def do_GET(self) -> None:
        if self.path != "/reader":
            return super().do_GET()
        self.send_response(200)
        self.send_header("Content-Type", "text/html")
        self.end_headers()
        self.wfile.write(self.server.script.encode())
        return None

    def do_POST(self) -> None:
        self.server.found.put(self.rfile.read(int(self.headers["Content-Length"])).decode())
        self.send_response(204)
        self.end_headers()

    def log_message(self, *_: object) -> None: ...


def run_in_browser(site: Path, script: str, profile: Path) -> str:
    """Run a script on the server of the site in a browser, and return its result."""
    flags = "headless no-sandbox disable-gpu disable-quic no-first-run disable-background-networking disable-sync"
    with Server(site, script) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        address = f"http://127.0.0.1:{server.server_port}/reader"
        command = [find_chromium(), *(f"--{flag}" for flag in flags.split()), f"--user-data-dir={profile}", address]
        # Use a new process group, because the command may be a script that starts the browser.
        browser = subprocess.Popen(
            command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True
        )
        try:
            return server.found.get(timeout=120)
        finally:
            os.killpg(browser.pid, signal.SIGKILL)
            browser.wait()
            server.shutdown()


@pytest.mark.slow
@pytest.mark.parametrize(
    ("query", "place"),
    [
        ("pre_tool_call", "/reference/hooks/"),
        ("register_tool", "/reference/context/?h=register_tool#ctx-register_tool"),
        ("call_tool", "/reference/testing/?h=call_tool#Host-call_tool"),
        ("kwargs", "/how-to/recipes/?h=kwargs#why-callbacks-take-kwargs"),
    ],
)
def test_search_finds_a_page_in_a_browser(query: str, place: str, site: Path, tmp_path: Path) -> None:
    assert place in run_in_browser(site, SEARCH.replace("QUERY", query), tmp_path)


@pytest.mark.slow
def test_code_blocks_fit_on_a_laptop_screen(site: Path, tmp_path: Path) -> None:
    pages = [f"/{page.parent.relative_to(site).as_posix()}/" for page in site.rglob("index.html")]
    assert run_in_browser(site, CUT_CODE.replace("PAGES", json.dumps(pages)), tmp_path) == ""


def test_home_page_shows_the_grade_of_every_release(site: Path) -> None:
    home = (site / "index.html").read_text(encoding="utf-8")
    shown = re.findall(r"<li class=\"\w+\"><b>([\d.]+)(?:–([\d.]+))?</b> ([\w ]+)</li>", home)
    releases = known_releases()
    for first, last, described in shown:
        for release in releases[releases.index(first) : releases.index(last or first) + 1]:
            assert (grade(release) or "").startswith(described)
    assert (shown[0][0], shown[-1][1] or shown[-1][0]) == (releases[0], releases[-1])


def test_table_cells_are_labelled_with_the_heading_of_their_column(site: Path) -> None:
    formats = (site / "reference" / "providers" / "index.html").read_text(encoding="utf-8")
    headings = re.findall(r"<th[^>]*>(\w+)</th>", formats)
    assert headings
    assert all(f'data-label="{heading}"' in formats for heading in headings)


def test_table_of_contents_lists_members_by_name(site: Path) -> None:
    context = (site / "reference" / "context" / "index.html").read_text(encoding="utf-8")
    listed = re.findall(
        r'href="#(ctx-\w+)" class="md-nav__link">\s*<span class="md-ellipsis">\s*(.*?)\s*</span>', context
    )
    assert listed
    assert all(anchor == f"ctx-{name}" for anchor, name in listed)


def test_code_wraps_between_names_and_keeps_options_whole(site: Path) -> None:
    context = (site / "reference" / "context" / "index.html").read_text(encoding="utf-8")
    assert re.search(
        r"<h3[^>]*><code>ctx\.<wbr */?>dispatch_tool\(<wbr */?>tool_name, args, \*\*kwargs\)</code>", context
    )
    compat = (site / "reference" / "compat" / "index.html").read_text(encoding="utf-8")
    assert '<code>hermes-sdk compat <span class="option">--json</span></code>' in compat


@pytest.mark.slow
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_text_has_enough_contrast(scheme: Literal["light", "dark"], site: Path) -> None:
    with launch() as browser:
        page = browser.new_page(color_scheme=scheme)
        for name in ("", "how-to/migrate-fakes", "reference/compat"):
            page.goto((site / name / "index.html").as_uri())
            found = Axe().run(page, options={"runOnly": ["color-contrast"]})
            assert found.violations_count == 0, found.generate_report()


@pytest.mark.slow
def test_long_heading_takes_one_line_on_a_phone(site: Path) -> None:
    with launch() as browser:
        page = browser.new_page(viewport={"width": 390, "height": 844})
        page.goto((site / "how-to" / "migrate-fakes" / "index.html").as_uri())
        heading = page.locator("#replace-loading-by-path")
        line = heading.evaluate("element => parseFloat(getComputedStyle(element).lineHeight)")
        assert heading.evaluate("element => element.offsetHeight") < 1.5 * line


@pytest.mark.slow
def test_table_cards_have_equal_widths_on_a_phone(site: Path) -> None:
    with launch() as browser:
        page = browser.new_page(viewport={"width": 390, "height": 844})
        page.goto((site / "reference" / "fidelity" / "index.html").as_uri())
        widths = page.locator("article td:visible").evaluate_all("cells => cells.map(cell => cell.offsetWidth)")
        assert len({*widths}) == 1


@pytest.mark.slow
def test_picture_is_legible_on_a_phone_and_scrolls_in_its_paragraph(site: Path) -> None:
    with launch() as browser:
        page = browser.new_page(viewport={"width": 390, "height": 844})
        page.goto((site / "reference" / "hooks" / "index.html").as_uri())
        assert page.locator("article img").first.evaluate("picture => picture.offsetWidth") > 600
        assert page.evaluate("document.documentElement.scrollWidth") == 390
