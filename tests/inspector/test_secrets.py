"""Pages, copied tests, copied commands and comparisons contain no secrets in any form."""

from __future__ import annotations

import json
from html import unescape
from pathlib import Path

import pytest
from inspector.test_copies import read_copy
from inspector.test_pages import open_pages
from redaction.planting import find_leaks, write_forms

KEY, TYPED = 's3cr3t/of "the" author\'s+ü', "Kq7&fish%tea 'n' Ö"
MANIFEST = "name: sums\nversion: 1.0.0\nrequires_env: [{name: SUMS_CODE}]\n"
FORMS = range(10)
BODY = f"""
import json, os, sys

sys.path.insert(0, {str(Path(__file__).parents[1])!r})
from redaction.planting import write_forms

SCHEMA = {{"name": "told", "description": "Tells.", "parameters": {{"type": "object", "properties": {{}}}}}}


def told(args, **more):
    shown = [write_forms(os.environ["SUMS_CODE"], number) for number in {[*FORMS]}]
    return json.dumps({{"shown": shown, "given": args, "again": str(args)}})


def hook(**arguments):
    raise ValueError("cannot use " + os.environ["SUMS_CODE"])


def register(ctx):
    ctx.register_tool("told", "sums", SCHEMA, told)
    ctx.register_hook("pre_llm_call", hook)
"""


@pytest.mark.parametrize("kind", ["call", "chat"])
def test_pages_and_copies_contain_no_secret(plugin: Path, kind: str) -> None:
    (plugin / "plugin.yaml").write_text(MANIFEST)
    (plugin / "__init__.py").write_text(BODY)
    args = json.dumps({"smtpPass": TYPED, "texts": [write_forms(TYPED, number) for number in FORMS], "pin": 17})
    call = {"tool_calls": [{"name": "told", "args": json.loads(args)}]}
    script = json.dumps({"main": [call, {"text": f"It is {KEY}."}]}, ensure_ascii=False)
    attempts = {
        "call": {"kind": "call", "name": "told", "args": args},
        "chat": {"kind": "chat", "name": f"use {KEY} and {TYPED}", "script": script},
    }
    with open_pages(plugin) as client:
        client.post("/settings", data={"variables.SUMS_CODE": KEY})
        answer = client.post("/act", data=attempts[kind]).text
        compared = client.post("/compare", data={**attempts[kind], "where": "embedded 0.19.0"}).text
        pages = [client.get(place).text for place in ("/", "/settings", "/chat", "/tools")]
    copies = [read_copy(answer, "pytest"), read_copy(answer, "command")]
    assert all("<redacted>" in one for one in (unescape(answer), *copies))
    assert '"pin": 17' in unescape(answer)
    assert "it is <redacted>, as they say" in unescape(answer)
    shown = [one.encode() for text in (answer, compared, *pages, *copies) for one in (text, unescape(text))]
    assert find_leaks(shown, [KEY, TYPED]) == {}
