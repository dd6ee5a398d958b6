"""Recordings do not contain secrets in any form."""

import base64
import html
import json
import os
import re
from pathlib import Path
from urllib.parse import quote, quote_plus

import pytest

from hermes_sdk.errors import UsageError
from hermes_sdk.redaction import REDACTED, Redactor, is_telling
from hermes_sdk.traces import play, write_recording

SECRET = 'pw+Zürich/"7\\fish" 42'


@pytest.mark.parametrize(
    "text",
    [
        SECRET,
        f"before {SECRET} after " * 50,
        json.dumps({"a": [SECRET]}),
        json.dumps({"a": SECRET}, ensure_ascii=False),
        json.dumps({"a": json.dumps({"b": SECRET})}),
        f"https://example.com/?q={quote(SECRET)}",
        f"https://example.com/?q={quote(SECRET, safe='')}",
        f"https://example.com/?q={quote_plus(SECRET)}",
        re.sub("%..", lambda code: code[0].lower(), quote(SECRET, safe="")),
        html.escape(SECRET),
        repr(SECRET),
        SECRET.encode().hex(),
        *(base64.b64encode(before + SECRET.encode() + b"tail").decode() for before in (b"", b"u", b"us", b"user:")),
        base64.urlsafe_b64encode(b"user:" + SECRET.encode()).decode(),
        f"cut off: {SECRET[:12]}…",
        f"…{SECRET[-12:]} is the end",
    ],
)
def test_each_form_of_a_secret_is_replaced(text: str) -> None:
    redacted = Redactor([SECRET]).text(text)
    assert REDACTED in redacted
    for size in range(0, len(SECRET) - 10):
        assert SECRET[size : size + 11] not in redacted


def test_recording_and_replay_are_redacted_equally() -> None:
    header = "Basic {}"
    recorded = Redactor([SECRET]).text(header.format(base64.b64encode(f"user:{SECRET}".encode()).decode()))
    replayed = Redactor().text(header.format(base64.b64encode(f"user:{REDACTED}".encode()).decode()))
    assert recorded == replayed


@pytest.mark.parametrize(
    ("text", "redacted"),
    [
        ("password=abc123 other=1", "password=<redacted> other=1"),
        ("Authorization: Bearer abcdefgh", "Authorization: Bearer <redacted>"),
        ("Authorization: Bearer <redacted>", "Authorization: Bearer <redacted>"),
        ('{"api_key": "a b\\" c", "x": 1}', '{"api_key": "<redacted>", "x": 1}'),
        ('"{\\"client_secret\\": \\"a b\\"}"', '"{\\"client_secret\\": \\"<redacted>\\"}"'),
        ("https://me:pass@host/?access_token=1234567&b=1", "https://<redacted>@host/?access_token=<redacted>&b=1"),
        ('{"max_tokens": 100, "prompt_tokens": 5}', '{"max_tokens": 100, "prompt_tokens": 5}'),
        ("tokenizer: fast; keyboard: x; monkey=y", "tokenizer: fast; keyboard: x; monkey=y"),
        ("use sk-proj-abcdefghijklmnop1234 now", "use <redacted> now"),
    ],
)
def test_values_of_secret_keys_in_texts_are_redacted(text: str, redacted: str) -> None:
    assert Redactor().text(text) == redacted


def test_secret_keys_are_redacted_but_counts_and_schemas_are_kept() -> None:
    value = {
        "api_key": ["one", 20401, None, True],
        "headers": {"X-Auth-Token": "t", "Cookie": {"session": "s"}},
        "max_tokens": 100,
        "password": {"type": "string", "description": "The password.", "default": "p"},
        "token": {"type": "kq7fish", "expires_in": 3600, "value": "kq7fish", "tokens": 31},
        "webhook": {"events": ["kq7fish"], "url": "https://example.com/in/kq7fish", "enabled": True},
        SECRET: "as a key",
    }
    assert Redactor([SECRET]).value(value) == {
        "api_key": [REDACTED, REDACTED, None, True],
        "headers": {"X-Auth-Token": REDACTED, "Cookie": {"session": REDACTED}},
        "max_tokens": 100,
        "password": {"type": "string", "description": "The password.", "default": REDACTED},
        "token": {"type": "kq7fish", "expires_in": 3600, "value": REDACTED, "tokens": 31},
        "webhook": {"events": ["kq7fish"], "url": REDACTED, "enabled": True},
        REDACTED: "as a key",
    }


def test_value_of_secret_key_is_redacted_everywhere() -> None:
    redactor = Redactor(patterns=[r"ticket-\d+"])
    redactor.learn({"webhook_key": "blue-horse-9"}, json.dumps({"token": "red-horse-10"}), "see ticket-4711")
    assert redactor.text("blue-horse-9, red-horse-10, ticket-4711 and ticket-1") == ", ".join(
        [REDACTED, REDACTED, f"{REDACTED} and {REDACTED}"]
    )


@pytest.mark.parametrize("key", ["key", "session_key", "sort_key", "secretary", "author", "tokenizer", "monkey"])
def test_ordinary_keys_are_not_redacted(key: str) -> None:
    assert not is_telling(key)


@pytest.mark.parametrize(
    ("pattern", "message"), [("(", "not a regular expression"), ("a*", "matches the empty string")]
)
def test_invalid_pattern_is_rejected(pattern: str, message: str) -> None:
    with pytest.raises(UsageError, match=re.escape(message)):
        Redactor(patterns=[pattern])


PLUGIN = """
import base64, json, os, urllib.parse


def leak(args, **more):
    token = os.environ["NOTES_CODE"]
    return json.dumps({
        "plain": token,
        "json": json.dumps({"inner": token}),
        "basic": base64.b64encode(b"user:" + token.encode()).decode(),
        "url": "https://example.com/?q=" + urllib.parse.quote(token, safe=""),
        token: "key",
        "long": "x" * 1000 + token + "y" * 1000,
        "given": args,
    })


def hook(**arguments):
    if arguments.get("result"):
        raise ValueError("cannot use " + os.environ["NOTES_CODE"])
    return {"context": "The code is " + os.environ["NOTES_CODE"]}


def register(ctx):
    parameters = {"type": "object", "properties": {"password": {"type": "string", "description": "It."}}}
    ctx.register_tool("leak", "p", {"name": "leak", "description": "Leaks.", "parameters": parameters}, leak)
    ctx.register_hook("pre_llm_call", hook)
    ctx.register_hook("post_tool_call", hook)
"""


def test_no_byte_of_a_secret_is_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    code, password, matched = "Kq7-fish/Ä&9zzz", "correct horse battery", "ACCOUNT-4711-99"
    (tmp_path / "p").mkdir()
    (tmp_path / "p" / "plugin.yaml").write_text("name: p\nrequires_env: [NOTES_CODE]\n")
    (tmp_path / "p" / "__init__.py").write_text(PLUGIN)
    scenario = {
        "plugins": ["p"],
        "env": {"NOTES_CODE": code},
        "config": {"plugins": {"entries": {"p": {"api_key": password}}}},
        "script": {
            "main": [{"tool_calls": [{"name": "leak", "args": {"password": password}}]}, {"text": f"{code} {matched}"}]
        },
        "turns": [f"my code is {code}, and my account {matched}"],
    }
    (tmp_path / "s.yaml").write_text(json.dumps(scenario))
    trace = play(tmp_path / "s.yaml", release="0.19.0", record=True, redact=[r"ACCOUNT-[\d-]+"])
    assert not trace.problems
    written: list[bytes] = []
    write = os.write

    def watch_write(descriptor: int, data: bytes) -> int:
        written.append(bytes(data))
        return write(descriptor, data)

    monkeypatch.setattr(os, "write", watch_write)
    write_recording(trace, tmp_path / "out" / "s.trace")
    assert (tmp_path / "out" / "s.trace").read_bytes() in written
    assert REDACTED.encode() in b"".join(written)
    for secret in (code, password, matched):
        raw = secret.encode()
        forms = [raw, json.dumps(secret)[1:-1].encode(), quote(secret, safe="").encode(), base64.b64encode(raw)[:-4]]
        parts = [raw[start : start + 10] for start in range(len(raw) - 9)]
        for form in [*forms, *parts, base64.b64encode(b"user:" + raw)[8:-4]]:
            assert form not in b"".join(written), form


def test_bytes_with_a_secret_are_omitted() -> None:
    redactor = Redactor(patterns=[r"ACCOUNT-\d+"])
    for content, kept in ((b"\xff ACCOUNT-4711", False), (b"\xff tea", True)):
        body = {"base64": base64.b64encode(content).decode()}
        assert redactor.value({"body": body}) == {"body": body if kept else {"base64": "<redacted>"}}
