"""Write the pictures of pages in `docs/pictures/`: the inspector with a project of the template, and a trace.

They are taken in Chromium; without it, the pictures are not changed. Only times are replaced, because they differ from
run to run.
"""

from __future__ import annotations

import contextlib
import shutil
import subprocess
import sys
import tempfile
import textwrap
from collections.abc import Generator
from dataclasses import replace
from pathlib import Path

from playwright.sync_api import Page, sync_playwright
from writing import ROOT

from hermes_sdk.scaffold.new import new
from hermes_sdk.traces import play
from hermes_sdk.traces.timeline import render_page

FOLDER = ROOT / "docs" / "pictures"
CHROMIUM = shutil.which("chromium") or shutil.which("google-chrome") or shutil.which("chromium-headless-shell")

SCRIPT = """\
main:
- tool_calls: [{name: team_notes_add, args: {note: The demo is on Friday.}}]
- text: Noted.
"""
_PREPARE = """\
() => {
  document.querySelectorAll("h3 small").forEach((one) => { one.textContent = "2.5 ms"; });
  document.querySelectorAll("#problem").forEach((one) => { one.style.maxHeight = "none"; });
  scrollTo(0, 0);
}
"""


def show_chat(page: Page, _: Path) -> None:
    """Send a message for which the model calls a tool."""
    page.get_by_role("link", name="Chat").click()
    page.get_by_label("Message").fill("Remember that the demo is on Friday.")
    page.locator("summary", has_text="Model script").click()
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


PLUGINS = {
    "notes": """\
schema = {"name": "note", "description": "Keeps a note.", "parameters": {"type": "object", "properties": {}}}
ctx.register_tool("note", "notes", schema, lambda args, **more: "Kept.")
ctx.register_hook("pre_llm_call", lambda **more: {"context": "The demo is on Friday."})
ctx.register_hook("transform_tool_result", lambda **more: "Kept, and told the team.")
""",
    "guard": """\
def check(args=None, **more):
    if "secret" in args["text"]:
        return {"action": "block", "message": "A secret is not a note."}

ctx.register_hook("pre_llm_call", lambda **more: "Be brief.")
ctx.register_hook("pre_tool_call", check)
ctx.register_middleware("tool_request", lambda args=None, **more: {"args": {"text": args["text"].strip()}})
""",
}
SCENARIO = """\
plugins: [notes, guard]
script:
  main:
  - tool_calls: [{name: note, args: {text: " The demo moved. "}}, {name: note, args: {text: The secret is 42.}}]
  - text: Noted what I may.
turns: [Note that the demo moved and that the secret is 42.]
"""

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


def photograph_trace(program: str) -> None:
    """Write the picture of a trace: two plugins in one turn."""
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        for name, body in PLUGINS.items():
            (plugin := Path(folder, name)).mkdir()
            (plugin / "plugin.yaml").write_text(f"name: {name}\nkind: standalone\nversion: 1.0.0\n")
            (plugin / "__init__.py").write_text(f"def register(ctx):\n{textwrap.indent(body, '    ')}")
        scenario, page = Path(folder, "demo.yaml"), Path(folder, "demo.html")
        scenario.write_text(SCENARIO)
        trace = replace(play(scenario), scenario="demo.trace")
        page.write_text(render_page(trace, "demo.trace"), encoding="utf-8")
        with playwright.chromium.launch(executable_path=program) as browser:
            tab = browser.new_page(color_scheme="light", viewport={"width": 900, "height": 1100})
            tab.goto(page.as_uri())
            tab.screenshot(path=FOLDER / "view.png", animations="disabled", caret="hide")


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
        print("screens: no Chromium, so the pictures of pages stay as they are", file=sys.stderr)
    else:
        for name in SCREENS:
            photograph(name, CHROMIUM)
        photograph_trace(CHROMIUM)
