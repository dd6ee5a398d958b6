"""Content of the inspector's pages, on which no text of a plugin becomes markup."""

from __future__ import annotations

import contextlib
import hashlib
import json
import re
import time
from collections.abc import Generator
from concurrent.futures import ThreadPoolExecutor
from html import unescape
from pathlib import Path

import pytest
from inspector.browsing import Browser
from inspector.conftest import write_plugin
from starlette.applications import Starlette

from hermes_sdk.cli.main import run
from hermes_sdk.inspector.models import Models
from hermes_sdk.inspector.pages import Pages
from hermes_sdk.inspector.results import FOLDER
from hermes_sdk.inspector.workbench import Workbench

EVIL = "</pre><script>alert(1)</script>\"'><img src=x onerror=alert(1)>"


@contextlib.contextmanager
def open_pages(plugin: Path, models: Models | None = None) -> Generator[Browser]:
    bench = Workbench(plugin)
    with contextlib.closing(bench):
        bench.load()
        yield Browser(Starlette(routes=Pages(bench, models).routes))


@pytest.fixture(scope="module")
def client(tmp_path_factory: pytest.TempPathFactory) -> Generator[Browser]:
    with open_pages(write_plugin(tmp_path_factory.mktemp("pages"))) as client:
        yield client


def test_overview_lists_registrations_with_locations(client: Browser) -> None:
    page = client.get("/").text
    cells = re.findall(r"<td data-label=\"\w+\">(.*?)</td>", page)
    assert cells[:3] == ["register_tool", "total", "<code>__init__.py:20</code>"]
    assert "0.22.2 (proven on a fork)" in page
    assert re.search(r"1, about \d+ tokens: about 0\.\d+ % of a context of 200,000 tokens \(estimated", page)


def test_findings_contain_advice(plugin: Path) -> None:
    source = plugin / "__init__.py"
    source.write_text(source.read_text().replace("def total(args, **more)", "def total(args)"))
    with open_pages(plugin) as client:
        page = client.get("/findings").text
    assert "<strong>Fix:</strong>" in page
    assert "<code>__init__.py:" in page


def test_tool_page_shows_the_schema_and_calls_the_tool(client: Browser) -> None:
    page = client.get("/tools").text
    found = re.search(r'data-schema="([^"]+)"', page)
    assert found is not None
    assert json.loads(unescape(found[1]))["properties"]["numbers"]["type"] == "array"
    result = client.post("/act", data={"kind": "call", "name": "total", "args": '{"numbers": [1, 2]}'}).text
    assert "&#34;total&#34;: 3" in result


def test_rejected_schemas_are_shown(plugin: Path) -> None:
    source = plugin / "__init__.py"
    source.write_text(source.read_text().replace('"numbers": {', '"all the numbers": {'))
    with open_pages(plugin) as client:
        page = client.get("/tools").text
        assert "The host rejects them" in client.get("/").text
    assert "does not rename the argument" in page
    assert "Run this on the real host." in page


def test_tool_unavailable_to_models_can_be_called(plugin: Path) -> None:
    source = plugin / "__init__.py"
    source.write_text(source.read_text().replace("SCHEMA, total)", "SCHEMA, total, check_fn=lambda: False)"))
    with open_pages(plugin) as client:
        page = client.get("/tools").text
        result = client.post("/act", data={"kind": "call", "name": "total", "args": '{"numbers": [1, 2]}'}).text
    assert "Models do not get this tool at the moment" in page
    assert "Adds numbers." in page
    assert "&#34;array&#34;" in page
    assert "&#34;total&#34;: 3" in result


def test_hook_page_fills_in_arguments_and_fires_the_hook(client: Browser) -> None:
    page = client.get("/hooks").text
    assert '<option value="pre_llm_call" selected>pre_llm_call (used by the plugin)</option>' in page
    assert "&#34;session_id&#34;: &#34;session_id&#34;" in page
    result = client.post("/act", data={"kind": "fire", "name": "pre_llm_call", "args": '{"user_message": "hi"}'}).text
    assert "They said HI" in result
    failed = client.post("/act", data={"kind": "fire", "name": "pre_llm_call", "args": '{"user_message": 1}'}).text
    assert "swallowed" in failed
    assert "line 16, in remind" in failed


def test_command_runs_and_chat_has_a_timeline(client: Browser) -> None:
    assert "/echo" in client.get("/commands").text
    assert "echo hi" in client.post("/act", data={"kind": "command", "name": "/echo hi"}).text
    chat = client.post("/act", data={"kind": "chat", "name": "hello"}).text
    assert "They said HELLO" in chat
    assert "llm_request" in chat


def test_chat_follows_a_script_and_is_kept(client: Browser) -> None:
    script = "main:\n- tool_calls: [{name: total, args: {numbers: [2, 3]}}]\n- text: It is 5.\n"
    turn = client.post("/act", data={"kind": "chat", "name": "add", "script": script}).text
    assert "It is 5." in turn
    assert 'data-kind="tool"' in turn
    wrong = client.post("/act", data={"kind": "chat", "name": "add", "script": "main:\n- txt: x\n"}).text
    assert "script:2:3" in wrong
    assert "Did you mean &#39;text&#39;?" in wrong
    assert "It is 5." in client.get("/chat").text
    assert "It is 5." not in client.post("/begin", data={"kind": "chat"}).text
    assert "It is 5." not in client.get("/chat").text


@pytest.mark.parametrize(
    ("fields", "told"),
    [
        ({"kind": "call", "name": "totl"}, "has no tool &#39;totl&#39;; did you mean &#39;total&#39;?"),
        ({"kind": "call", "name": "total", "args": "{x"}, "The arguments are not valid JSON"),
        ({"kind": "call", "name": "total", "args": "[]"}, "The arguments must be a JSON object."),
        ({"kind": "command", "name": "hello"}, "does not begin with a slash"),
    ],
)
def test_failed_action_shows_its_error(fields: dict[str, str], told: str, client: Browser) -> None:
    assert told in client.post("/act", data=fields).text


def test_malformed_requests_are_rejected(client: Browser) -> None:
    assert client.post("/act", data={"kind": "system", "name": "x"}).status_code == 400
    assert client.post("/act", content=b"\xff=\xff").status_code == 400
    assert client.post("/act", content=b"a=" + b"x" * 5_000_000).status_code == 413
    assert client.get("/hooks?hook=nope").status_code == 404
    assert client.get("/static/%2e%2e/pages.py").status_code == 404
    assert client.get("/act").status_code == 405
    assert client.post("/begin", data={"kind": "call"}).status_code == 400


HOSTILE = f"""
EVIL = {EVIL!r}
PARAMETERS = {{"type": "object", "properties": {{EVIL: {{"type": "string", "description": EVIL}}}}}}
SCHEMA = {{"name": EVIL, "description": EVIL, "parameters": PARAMETERS}}

def fail(**more):
    raise ValueError(EVIL)

def register(ctx):
    ctx.register_tool(EVIL, "evil", SCHEMA, lambda args, **more: EVIL)
    ctx.register_tool("plain", "evil", {{**SCHEMA, "name": "plain"}}, lambda args, **more: EVIL)
    ctx.register_hook("pre_llm_call", fail)
    ctx.register_hook("pre_tool_call", lambda **more: EVIL)
    ctx.register_command("evil", lambda line: EVIL, EVIL)
"""


def test_text_of_a_hostile_plugin_is_inert(plugin: Path) -> None:
    (plugin / "__init__.py").write_text(HOSTILE)
    (plugin / "plugin.yaml").write_text(f"name: sums\nversion: {json.dumps(EVIL)}\nkind: standalone\n")
    with open_pages(plugin) as client:
        answers = [client.get(path) for path in ("/", "/tools", "/hooks", "/commands", "/chat", "/findings")]
        acts = [("call", EVIL), ("call", "plain"), ("fire", "pre_llm_call"), ("command", "/evil"), ("chat", EVIL)]
        answers += [client.post("/act", data={"kind": kind, "name": name}) for kind, name in acts]
    for answered in answers:
        assert answered.status_code == 200
        assert "<script>" not in answered.text
        assert "<img" not in answered.text
    assert sum("alert(1)" in answered.text for answered in answers) >= 8


@pytest.mark.parametrize(("kind", "name"), [("call", "total"), ("chat", "hello")])
def test_plugin_that_exits_is_loaded_again(kind: str, name: str, plugin: Path) -> None:
    source = plugin / "__init__.py"
    ending = source.read_text().replace("    return", "    import os; os._exit(3)\n    return")
    source.write_text(ending)
    with open_pages(plugin) as client:
        for _ in range(2):
            assert "ended the host with exit status 3" in client.post("/act", data={"kind": kind, "name": name}).text
        assert "echo hi" in client.post("/act", data={"kind": "command", "name": "/echo hi"}).text


def test_endless_result_is_truncated(plugin: Path) -> None:
    source = plugin / "__init__.py"
    source.write_text(source.read_text().replace('return json.dumps({"total"', 'return "x" * 5_000_000 + str({"total"'))
    with open_pages(plugin) as client:
        page = client.post("/act", data={"kind": "call", "name": "total", "args": '{"numbers": []}'}).text
    assert "characters)" in page
    assert len(page) < 11_000_000


def test_long_output_is_shortened_and_expandable(plugin: Path) -> None:
    source = plugin / "__init__.py"
    source.write_text(source.read_text().replace('f"echo {line}"', '"x" * 9_000 + line'))
    with open_pages(plugin) as client:
        page = client.post("/act", data={"kind": "command", "name": "/echo end"}).text
        short = client.post("/act", data={"kind": "call", "name": "total", "args": '{"numbers": [1]}'}).text
    beginning, _, rest = page.partition("Show all 9,003 characters")
    assert f"<pre>{'x' * 4_000}…</pre>" in beginning
    assert f"<pre>{'x' * 9_000}end</pre>" in rest
    assert "Show all" not in short


def test_findings_page_ends_with_the_summary_of_check(plugin: Path, capsys: pytest.CaptureFixture[str]) -> None:
    source = plugin / "__init__.py"
    source.write_text(source.read_text().replace("def total(args, **more)", "def total(args)"))
    with open_pages(plugin) as client:
        page = unescape(client.get("/findings").text)
    with pytest.raises(SystemExit):
        run(["check", str(plugin)])
    printed = capsys.readouterr().out
    assert re.findall(r"\bHS\d+", page.partition("<p>")[0])
    assert set(re.findall(r"\bHS\d+", page)) == set(re.findall(r"\bHS\d+", printed))
    # Long paths are wrapped at any character.
    assert re.sub(r"\s", "", "".join(re.findall(r"<p>(\d.*)</p>", page))) in re.sub(r"\s", "", printed)


def test_running_action_is_shown_and_can_be_stopped(plugin: Path) -> None:
    source = plugin / "__init__.py"
    source.write_text(source.read_text().replace('f"echo {line}"', "line or __import__('time').sleep(25)"))
    with open_pages(plugin) as client, ThreadPoolExecutor() as executor:
        assert "Call total" in client.get("/tools").text
        stopped = executor.submit(client.post, "/act", data={"kind": "command", "name": "/echo"})
        while "Running: command /echo, " not in client.get("/running").text:
            assert not stopped.done()
            time.sleep(0.05)
        assert all("Running: command /echo, " in client.get(path).text for path in ("/", "/tools", "/commands"))
        assert "Stop" not in client.post("/stop").text
        assert "You stopped the action." in stopped.result(20).text
        assert "Stop" not in client.get("/running").text
        assert "once more" in client.post("/act", data={"kind": "command", "name": "/echo once more"}).text


def test_htmx_matches_its_recorded_release_and_checksum() -> None:
    script = (FOLDER / "static" / "htmx.min.js").read_bytes()
    notice = (FOLDER / "static" / "LICENSE.htmx").read_text()
    release, checksum = re.findall(r"htmx (\S+),|sha256 (\w+)", notice)
    assert hashlib.sha256(script).hexdigest() == checksum[1]
    assert f'version:"{release[0]}"'.encode() in script


def test_hostile_load_error_is_inert(plugin: Path) -> None:
    (plugin / "__init__.py").write_text(f"raise ValueError({EVIL!r})\n")
    with open_pages(plugin) as client:
        page = client.get("/").text
    assert "The plugin does not load" in page
    assert "alert(1)" in page
    assert "<script>" not in page
