"""Effect of hooks' return values on the host, and comparison of two hosts."""

from __future__ import annotations

import json
import re
from html import unescape
from pathlib import Path
from typing import Any

import pytest
from inspector.test_pages import open_pages

from hermes_sdk import contract
from hermes_sdk.traces.timeline import find_outcome

BLOCK = {"action": "block", "message": "no"}
APPROVE = {"action": "approve"}


@pytest.mark.parametrize(
    ("hook", "values", "release", "winners", "effect"),
    [
        ("pre_tool_call", [APPROVE, BLOCK], "0.19.0", {0}, "Ask a person"),
        ("pre_tool_call", [APPROVE, BLOCK], "0.22.2", {1}, "Do not run the tool"),
        ("pre_tool_call", [{"action": "block", "message": ""}, "x", 1], "0.22.2", set(), "unchanged"),
        ("pre_tool_call", [{"action": "modify", "args": {"a": 1}}] * 2, "0.22.2", {0, 1}, "Change arguments"),
        ("pre_tool_call", [{"action": "modify", "args": {"a": 1}}], "0.19.0", set(), "unchanged"),
        ("pre_llm_call", ["a", {"context": "b"}, "  ", {"other": "c"}], "0.22.2", {0, 1}, "user's message: a"),
        ("transform_llm_output", ["", "second", "third"], "0.22.2", {1}, "replaces the original: second"),
        ("transform_tool_result", ["", "second"], "0.22.2", {0}, "replaces the original:"),
        ("post_tool_call", ["x"], "0.22.2", set(), "as without the plugin"),
        ("pre_gateway_dispatch", [{"action": "skip"}, {"action": "allow"}], "0.22.2", {0}, "Drop the message"),
    ],
)
def test_effective_return_value_is_marked(
    hook: str, values: list[Any], release: str, winners: set[int], effect: str
) -> None:
    outcome = find_outcome(hook, values, contract.load(release))
    assert ({*outcome.effects}, effect in outcome.effect) == (winners, True), outcome


def test_each_hook_of_the_release_has_a_rule() -> None:
    promised = contract.load(contract.DEFAULT)
    for hook in promised.hooks:
        assert find_outcome(hook, [{}, None, 1, "text"], promised).rule


WHICH = """
def register(ctx):
    ctx.register_command("which", lambda line: f"get_config: {hasattr(ctx, 'get_config')}", "")
"""
BODY = """
def register(ctx):
    ctx.register_hook("pre_tool_call", first)
    ctx.register_hook("pre_tool_call", second)


def first(**more):
    return {"action": "approve"}


def second(**more):
    return {"action": "block", "message": "<b>never</b>"}
"""


def test_fire_reports_each_return_value_and_the_effective_one(plugin: Path) -> None:
    (plugin / "__init__.py").write_text(BODY)
    with open_pages(plugin) as client:
        fired = client.post("/act", data={"kind": "fire", "name": "pre_tool_call"}).text
    rows = re.findall(r'"Callback"><code>(\S+)</code></td>.*?(yes|no)(?:</span>)?</td></tr>', fired, re.DOTALL)
    assert [(name.rpartition(".")[2], wins) for name, wins in rows] == [("first", "no"), ("second", "yes")]
    assert "Do not run the tool; the model receives {&#34;error&#34;: message}." in fired
    assert "&lt;b&gt;never&lt;/b&gt;" in fired
    assert "<b>" not in fired


def test_arguments_of_a_hook_have_a_form(plugin: Path) -> None:
    with open_pages(plugin) as client:
        page = client.get("/hooks?hook=pre_tool_call").text
    found = re.search(r'data-schema="([^"]+)"', page)
    assert found is not None
    schema = json.loads(unescape(found[1]))
    assert schema["properties"]["args"] == {"type": "object"}
    assert schema["properties"]["tool_name"] == {"type": "string"}
    assert "tool_name" in schema["required"]


def test_action_is_compared_with_another_release(plugin: Path) -> None:
    (plugin / "__init__.py").write_text(WHICH)
    asked = {"kind": "command", "name": "/which", "where": "embedded 0.19.0"}
    with open_pages(plugin) as client:
        differ = client.post("/compare", data=asked).text
        same = client.post("/compare", data={**asked, "where": "embedded 0.22.2"}).text
        wrong = client.post("/compare", data={**asked, "where": "embedded 9.9.9"})
        assert client.post("/compare", data={**asked, "where": "moon 0.22.2"}).status_code == 400
        assert client.post("/compare", data={**asked, "turn": "x"}).status_code == 400
        assert client.get("/compare").status_code == 405
    assert "<del>-  &#34;value&#34;: &#34;get_config: True&#34;,</del>" in differ
    assert "<ins>+  &#34;value&#34;: &#34;get_config: False&#34;,</ins>" in differ
    assert "behave the same" in same
    assert (wrong.status_code, "9.9.9" in wrong.text) == (200, True)


def test_comparison_installs_nothing(plugin: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HERMES_SDK_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("UV_OFFLINE", "1")
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    asked = {"kind": "call", "name": "total", "args": '{"numbers": [1, 2]}'}
    with open_pages(plugin) as client:
        refused = client.post("/compare", data={**asked, "where": "real 0.16.0"}).text
        unknown = client.post("/compare", data={**asked, "where": "real 9.9.9"}).text
        assert "behave the same" in client.post("/compare", data={**asked, "where": "embedded 0.22.2"}).text
    assert "is not installed: run `hermes-sdk hosts install 0.16.0`" in refused
    assert "there is no real Hermes 9.9.9" in unknown
    assert not (tmp_path / "cache" / "environments").exists()


def test_turn_is_compared_after_earlier_turns(plugin: Path) -> None:
    source = plugin / "__init__.py"
    history = '    return {"context": f"{len(more[\'conversation_history\'])} before"}'
    source.write_text(
        source.read_text().replace('    return {"context": f"They said {user_message.upper()}"}', history)
    )
    with open_pages(plugin) as client:
        client.post("/act", data={"kind": "chat", "name": "one"})
        client.post("/act", data={"kind": "chat", "name": "two"})
        asked = {"kind": "chat", "name": "two", "turn": "1", "where": "embedded 0.22.2"}
        assert "behave the same" in client.post("/compare", data=asked).text


def test_load_error_shows_the_finding_for_its_line(plugin: Path) -> None:
    (plugin / "__init__.py").write_text("import nonsense_of_nobody\n\n\ndef register(ctx):\n    pass\n")
    with open_pages(plugin) as client:
        assert 'hx-get="/finding"' in client.get("/").text
        told = client.get("/finding").text
    assert re.search(r"<code>HS\d+</code> <code>__init__.py:1</code>", told)


def test_overview_shows_the_grade(plugin: Path) -> None:
    with open_pages(plugin) as client:
        assert "<dt>Release and grade</dt><dd>0.22.2 (proven on a fork)</dd>" in client.get("/").text
        assert client.get("/finding").text == ""
