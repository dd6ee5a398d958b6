"""The panes of skills, CLI commands, memory providers and platforms."""

from __future__ import annotations

from pathlib import Path

from inspector.test_pages import opened

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


def test_a_skill_is_read(plugin: Path) -> None:
    write_plugin(plugin)
    with opened(plugin) as client:
        assert "Read sums:adding" in client.get("/skills").text
        told = client.post("/act", data={"kind": "skill", "name": "sums:adding"}).text
    assert "Add &lt;b&gt;one&lt;/b&gt; by one." in told


def test_a_cli_command_runs_with_its_arguments(plugin: Path) -> None:
    write_plugin(plugin)
    with opened(plugin) as client:
        assert 'value="hermes count "' in client.get("/commands").text
        ran = client.post("/act", data={"kind": "cli", "name": "hermes count 4"}).text
        wrong = client.post("/act", data={"kind": "cli", "name": "count four"}).text
        unclosed = client.post("/act", data={"kind": "cli", "name": "count 'four"}).text
    assert "counted 4" in ran
    assert "hermes.cli(&#34;count&#34;, &#34;4&#34;)\n    assert done.exit_code ==" in ran
    assert "invalid int value" in wrong
    assert "exit 2" in wrong
    assert "No closing quotation" in unclosed


def test_a_memory_provider_is_set_up_and_used_in_turns(tmp_path: Path) -> None:
    with opened(EXAMPLES / "sqlite_memory") as client:
        assert "Set up sqlite_memory" in client.get("/providers").text
        assert "exit 0" in client.post("/act", data={"kind": "setup", "args": "{}"}).text
        turn = client.post("/act", data={"kind": "chat", "name": "I like tea"}).text
        refused = client.post("/act", data={"kind": "setup", "args": '{"nothing": "x"}'}).text
    assert "prefetch" in turn
    assert "sync_turn" in turn
    assert "nothing" in refused


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


def test_a_platform_is_written_to_once_it_has_its_settings(plugin: Path) -> None:
    (plugin / "plugin.yaml").write_text(
        "name: sums\nversion: 1.0.0\nkind: platform\nrequires_env: [{name: LETTERS_BOX, secret: false}]\n"
    )
    (plugin / "__init__.py").write_text(PLATFORM)
    written = {"kind": "receive", "name": "Hello?", "script": "main: [{text: Good morning}]"}
    with opened(plugin) as client:
        client.post("/settings", data={"variables.LETTERS_BOX": "7"})
        assert "Platform letters" in client.get("/providers").text
        told = client.post("/act", data=written).text
        client.post("/act", data={"kind": "receive", "name": "And now?"})
        client.post("/settings", data={"variables.LETTERS_BOX": "8"})
        kept = client.get("/providers").text
        emptied = client.post("/begin", data={"kind": "receive"}).text
        last = client.post("/act", data={**written, "name": "Again"}).text
    assert "<pre>Good morning</pre>" in told
    assert "def test_hello(hermes_gateway):" in told
    assert [kept.count(name) for name in ("<pre>Good morning</pre>", "<pre>ok</pre>")] == [1, 1]
    assert ("Good" in emptied, "<pre>Good morning</pre>" in last, "Hello?" in last) == (False, True, False)
    assert 'data-kind="adapter"' in told


def test_a_plugin_without_them_says_so(plugin: Path) -> None:
    with opened(plugin) as client:
        assert "The plugin has no skill." in client.get("/skills").text
        assert "no provider and no platform" in client.get("/providers").text
        assert "declares no settings" in client.get("/settings").text
