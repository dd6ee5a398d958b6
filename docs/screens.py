"""Write the pictures of the inspector in `docs/pictures/`: its page in Chromium, with a project of the template.

Only times are replaced, because they differ from run to run. Without Chromium the pictures stay as they are.
"""

from __future__ import annotations

import contextlib
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Generator
from pathlib import Path

from playwright.sync_api import Page, sync_playwright
from writing import ROOT

from hermes_sdk.scaffold.new import new

FOLDER = ROOT / "docs" / "pictures"
CHROMIUM = shutil.which("chromium") or shutil.which("google-chrome")

SCRIPT = """\
main:
- tool_calls: [{name: team_notes_add, args: {note: The demo is on Friday.}}]
- text: Noted.
"""
_PREPARE = """\
() => {
  document.querySelectorAll("h3 small").forEach((one) => { one.textContent = "2.5 ms"; });
  scrollTo(0, 0);
}
"""


def show_chat(page: Page, _: Path) -> None:
    """Say something that calls a tool."""
    page.get_by_role("link", name="Chat").click()
    page.get_by_label("Message").fill("Remember that the demo is on Friday.")
    page.locator("summary", has_text="What the model answers").click()
    page.get_by_role("textbox", name="Script").fill(SCRIPT)
    page.get_by_role("button", name="Send").click()
    page.locator(".timeline").wait_for()


def show_problem(page: Page, source: Path) -> None:
    """Call a tool, and save a version that does not load."""
    page.get_by_role("link", name="Tools").click()
    page.get_by_label("note", exact=True).fill("The demo is on Friday.")
    page.get_by_role("button", name="Call").first.click()
    page.locator("article.result").wait_for()
    source.write_text(source.read_text().replace("from . import", "import requets\n\nfrom . import", 1))
    page.get_by_role("alert", name="The plugin does not load").wait_for()
    page.locator("#problem summary").first.wait_for()


SCREENS = {"inspector-chat": ("light", show_chat), "inspector-problem": ("dark", show_problem)}


def photograph(name: str, program: str) -> None:
    """Write one picture."""
    scheme, prepare = SCREENS[name]
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        project = new("plugin", Path(folder), name="Team Notes")
        with serve(project) as address, playwright.chromium.launch(executable_path=program) as browser:
            page = browser.new_page(color_scheme=scheme, viewport={"width": 800, "height": 900})
            page.goto(address)
            prepare(page, project / "team_notes" / "__init__.py")
            page.evaluate(_PREPARE)
            page.screenshot(path=FOLDER / f"{name}.png", full_page=True, animations="disabled", caret="hide")


@contextlib.contextmanager
def serve(project: Path) -> Generator[str]:
    """Run the inspector, and yield its address."""
    argv = [str(Path(sys.executable).parent / "hermes-sdk"), "dev", str(project), "--port", "0", "--no-browser"]
    with subprocess.Popen(argv, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        _, line = process.stdout.readline(), process.stdout.readline()
        try:
            yield line.rstrip().partition("Inspector: ")[2]
        finally:
            process.terminate()


if __name__ == "__main__":
    if CHROMIUM is None:
        print("screens: no Chromium, so the pictures of the inspector stay as they are", file=sys.stderr)
    else:
        for name in SCREENS:
            photograph(name, CHROMIUM)
