"""The panes of skills, CLI commands, memory providers and platforms."""

from __future__ import annotations

import re
import shutil
from html import unescape
from pathlib import Path

import pytest
from inspector.test_pages import open_pages
from inspector.test_settings import SECRET

EXAMPLES = Path(__file__).parent.parent / "examples"

REGISTER = """
import sys
from pathlib import Path


def run(args):
    print(f"counted {args.number}")
    return 3


def register(ctx):
    folder = Path(__file__).parent
    ctx.register_skill("adding", folder / "adding.md", "How to add.")
    ctx.register_cli_command("count", "Count.", lambda parser: parser.add_argument("number", type=int), run)
"""
SKILL = "---\nname: adding\ndescription: How to add.\n---\nAdd <b>one</b> by one.\n"


def write_plugin(plugin: Path) -> None:
    (plugin / "__init__.py").write_text(REGISTER)
    (plugin / "adding.md").write_text(SKILL)


def test_skill_is_shown(plugin: Path) -> None:
    write_plugin(plugin)
    with open_pages(plugin) as client:
        assert "Read sums:adding" in client.get("/skills").text
        told = client.post("/act", data={"kind": "skill", "name": "sums:adding"}).text
    assert "Add &lt;b&gt;one&lt;/b&gt; by one." in told


def test_skill_is_rendered_as_markdown(plugin: Path) -> None:
    write_plugin(plugin)
    hostile = "[go](javascript:alert(1)) ![x](http://example.org/x.png) <script>alert(1)</script>"
    (plugin / "adding.md").write_text(f"{SKILL}# Steps\n\n1. **Add** `one`\n\n{hostile}\n")
    with open_pages(plugin) as client:
        told = client.post("/act", data={"kind": "skill", "name": "sums:adding"}).text
    assert "<h1>Steps</h1>" in told
    assert "name: adding\ndescription: How to add.\n</code></pre>" in told
    assert "<strong>Add</strong> <code>one</code>" in told
    rendered = told.partition("Result for the agent")[0]
    assert not any(one in rendered for one in ("<script", "<img", 'href="javascript'))


def test_cli_command_runs_with_its_arguments(plugin: Path) -> None:
    write_plugin(plugin)
    with open_pages(plugin) as client:
        assert 'value="hermes count "' in client.get("/commands").text
        ran = client.post("/act", data={"kind": "cli", "name": "hermes count 4"}).text
        wrong = client.post("/act", data={"kind": "cli", "name": "count four"}).text
        unclosed = client.post("/act", data={"kind": "cli", "name": "count 'four"}).text
    assert "counted 4" in ran
    assert "hermes.cli(&#34;count&#34;, &#34;4&#34;)\n    assert done.exit_code ==" in ran
    assert "invalid int value" in wrong
    assert "exit 2" in wrong
    assert "No closing quotation" in unclosed


def test_memory_provider_is_set_up_and_used_in_turns(tmp_path: Path) -> None:
    with open_pages(EXAMPLES / "sqlite_memory") as client:
        assert "Set up sqlite_memory" in client.get("/providers").text
        page = client.get("/providers").text
        assert re.search(r'The language of the notes\.</label>.*?type="text" value="en"', page, re.DOTALL)
        assert re.search(r'The key of the notes\.</label>.*?type="password" value=""', page, re.DOTALL)
        done = client.post("/set-up", data={"answer.language": "de", "answer.key": SECRET}).text
        said = ("I like tea", "Who likes tea?")
        turns = [client.post("/act", data={"kind": "chat", "name": one}).text for one in said]
        page = client.get("/providers").text
    assert "exit 0" in done
    assert re.search(r'"language": "de",\s+"key": "<redacted>"', unescape(done))
    assert re.search(r"<code>prefetch</code></dt><dd>.*I like tea", turns[1])
    assert "<code>sync_turn</code>" in turns[0]
    assert "hermes.memory.setup(" in turns[0]
    assert 'value="de"' in page
    assert not any(SECRET in one for one in (done, *turns, page))


def write_memory(folder: Path, fields: str) -> Path:
    """Write a copy of the example whose setup asks for other fields."""
    plugin = folder / "memo"
    shutil.copytree(EXAMPLES / "sqlite_memory", plugin)
    source = plugin / "__init__.py"
    body = re.sub(r"return \[\n {12}.*?\n {8}\]", f"return {fields}", source.read_text(), count=1, flags=re.DOTALL)
    source.write_text(body)
    return plugin


@pytest.mark.parametrize(
    ("fields", "told"),
    [("[][0]", "the setup cannot ask for the fields: IndexError"), ("[]", "The provider has no prompts.")],
)
def test_setup_without_questions_is_reported(fields: str, told: str, tmp_path: Path) -> None:
    with open_pages(write_memory(tmp_path, fields)) as client:
        assert told in client.get("/providers").text


def test_question_has_choices_and_a_condition(tmp_path: Path) -> None:
    mode = {"key": "mode", "choices": ["a", "b"], "default": "b"}
    number = {"key": "n", "default": 7, "when": {"mode": "a"}}
    with open_pages(write_memory(tmp_path, repr([mode, number]))) as client:
        page = client.get("/providers").text
        skipped = client.post("/set-up", data={"answer.mode": "b", "answer.n": "8"}).text
        done = client.post("/set-up", data={"answer.mode": "a", "answer.n": "8"}).text
    assert "<option>a</option><option selected>b</option>" in page
    assert "asked if mode is a" in page
    assert "the setup skipped &#39;n&#39;, because its `when` condition was not met" in skipped
    assert "exit 0" in done


def test_selected_provider_is_used_in_turns() -> None:
    draw = "main: [{tool_calls: [{name: image_generate, args: {prompt: the sea}}]}, {text: done}]"
    with open_pages(EXAMPLES / "tile_images") as client:
        selected = client.post("/use", data={"kind": "images", "name": "tile_images"})
        page = client.get("/providers").text
        turn = client.post("/act", data={"kind": "chat", "name": "draw", "script": draw}).text
        assert client.post("/use", data={"kind": "images", "name": "other"}).status_code == 400
    assert selected.headers["hx-refresh"] == "true"
    assert "Selected." in page
    assert "tile-1" in turn
    assert '"image_gen": {"provider": "tile_images"}' in unescape(turn)


def test_context_engine_is_selectable_and_model_provider_is_not_called() -> None:
    with open_pages(EXAMPLES / "window_engine") as client:
        client.post("/use", data={"kind": "context engine", "name": "window_engine"})
        turn = client.post("/act", data={"kind": "chat", "name": "hello"}).text
    assert "update_model" in turn
    with open_pages(EXAMPLES / "local_models") as client:
        assert "cannot call a provider of this kind" in client.get("/providers").text


PLATFORM = """
import os

from gateway.config import Platform
from gateway.platforms.base import BasePlatformAdapter, SendResult


class Letters(BasePlatformAdapter):
    def __init__(self, config):
        super().__init__(config, Platform("letters"))

    async def connect(self, *, is_reconnect=False, **more):
        self._mark_connected()
        return True

    async def disconnect(self):
        self._mark_disconnected()

    async def send(self, chat_id, content, reply_to=None, metadata=None):
        return SendResult(success=True, message_id="1")

    async def get_chat_info(self, chat_id):
        return {"name": chat_id, "type": "dm"}


def register(ctx):
    ctx.register_platform(
        name="letters", label="Letters", adapter_factory=Letters, check_fn=lambda: True,
        is_connected=lambda config: bool(os.environ.get("LETTERS_BOX")), required_env=["LETTERS_BOX"],
        env_enablement_fn=lambda: {"box": "1"} if os.environ.get("LETTERS_BOX") else None,
    )
"""


def test_configured_platform_receives_messages(plugin: Path) -> None:
    (plugin / "plugin.yaml").write_text(
        "name: sums\nversion: 1.0.0\nkind: platform\nrequires_env: [{name: LETTERS_BOX, secret: false}]\n"
    )
    (plugin / "__init__.py").write_text(PLATFORM)
    written = {"kind": "receive", "name": "Hello?", "script": "main: [{text: Good morning}]"}
    with open_pages(plugin) as client:
        client.post("/settings", data={"variables.LETTERS_BOX": "7"})
        assert "Platform letters" in client.get("/providers").text
        told = client.post("/act", data=written).text
        client.post("/act", data={"kind": "receive", "name": "And now?"})
        client.post("/settings", data={"variables.LETTERS_BOX": "8"})
        kept = client.get("/providers").text
        emptied = client.post("/begin", data={"kind": "receive"}).text
        last = client.post("/act", data={**written, "name": "Again"}).text
    assert "<p>Good morning</p>" in told
    assert "def test_hello(hermes_gateway):" in told
    assert [kept.count(name) for name in ("<p>Good morning</p>", "<p>ok</p>")] == [1, 1]
    assert ("Good" in emptied, "<p>Good morning</p>" in last, "Hello?" in last) == (False, True, False)
    assert 'data-kind="adapter"' in told


def test_empty_panes_show_a_message(plugin: Path) -> None:
    with open_pages(plugin) as client:
        assert "The plugin has no skill." in client.get("/skills").text
        assert "no provider and no platform" in client.get("/providers").text
        assert "declares no settings" in client.get("/settings").text
