"""2,000 secrets in all places of sessions, none of which appears in files or output in any form."""

from __future__ import annotations

import itertools
import json
import random
import shutil
from collections import defaultdict
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from redaction.planting import (
    NAMES,
    PLUGIN,
    VARIABLES,
    Planted,
    find_leaks,
    make_secrets,
    make_token,
    write_forms,
    write_named,
    write_token,
)
from traces.http_service import serve

from hermes_sdk.cli.main import run

ECHO = Path(__file__).parents[1] / "conformance" / "scenarios" / "plugins" / "echo"
_IN_PLUGIN = ("log", "result", "exception", "context", "swallowed", "command")
_IN_SCENARIO = ("turn", "answer", "file", "body")


class Session(NamedTuple):
    """Secrets, and the places in which they are planted."""

    variables: dict[str, str]
    required: list[str]
    config: list[Planted]
    arguments: list[Planted]
    texts: dict[str, Any]
    secrets: list[str]


@pytest.fixture(scope="module")
def session(tmp_path_factory: pytest.TempPathFactory) -> Session:
    chance = random.Random(20261128)
    telling = make_secrets(chance, 250, [f"N{number}_{VARIABLES[number % len(VARIABLES)]}" for number in range(250)])
    required = make_secrets(chance, 250, [f"SETTING_{number}" for number in range(250)])
    config, arguments, mapping = (make_secrets(chance, 200, NAMES) for _ in range(3))
    named = make_secrets(chance, 580, NAMES)
    tokens = [make_token(chance) for _ in range(300)]
    for_requests = [make_token(chance) for _ in range(20)]
    places = itertools.cycle([*_IN_PLUGIN, *_IN_SCENARIO])
    texts: dict[str, Any] = defaultdict(list)
    for number, planted in enumerate([*telling, *required, *config, *arguments]):
        texts[next(places)].append(write_forms(planted.value, number))
    for number, planted in enumerate(named):
        texts[next(places)].append(write_named(planted, number // len(NAMES)))
    for number, token in enumerate(tokens):
        texts[next(places)].append(write_token(token, number))
    texts["mapping"] = [{one.name: one.value} for one in mapping]
    texts["url"] = [f"/in/x?q=1&sig={one}" for one in for_requests[::2]]
    texts["headers"] = [{"Authorization": f"Bearer {one}", "X-Key": one[::-1]} for one in for_requests[1::2]]
    texts["body"] = ["\n".join(texts["body"][number::10]) for number in range(10)]
    everything = [*telling, *required, *config, *arguments, *mapping, *named]
    return Session(
        {one.name: one.value for one in (*telling, *required)},
        [one.name for one in required],
        config,
        arguments,
        texts,
        [*(one.value for one in everything), *tokens, *for_requests],
    )


@pytest.fixture
def plugin(session: Session, tmp_path: Path) -> Path:
    folder = tmp_path / "p"
    folder.mkdir()
    (folder / "plugin.yaml").write_text(f"name: p\nversion: 1.0.0\nrequires_env: {json.dumps(session.required)}\n")
    (folder / "__init__.py").write_text(PLUGIN)
    (folder / "texts.json").write_text(json.dumps(session.texts))
    return folder


def _run(capfd: pytest.CaptureFixture[str], *argv: object, codes: tuple[int, ...] = (0,)) -> bytes:
    with pytest.raises(SystemExit) as stop:
        run([*map(str, argv)])
    out, err = capfd.readouterr()
    assert stop.value.code in codes, err[-2000:]
    return f"{out}{err}".encode()


def _make_scenario(session: Session, service: str) -> dict[str, Any]:
    calls = [{"name": "leak", "args": {one.name: one.value}} for one in session.arguments]
    return {
        "plugins": ["p"],
        # Otherwise Hermes masks some secrets itself, which the embedded host does not support.
        "env": {**session.variables, "SERVICE": service, "HERMES_REDACT_SECRETS": "false"},
        "config": {"plugins": {"entries": {"p": {"settings": [{one.name: one.value} for one in session.config]}}}},
        "files": {"notes.txt": "\n".join(session.texts["file"])},
        "script": {
            "main": [
                {"tool_calls": [{"name": "leak", "args": {"all": [one["args"] for one in calls]}}]},
                {"tool_calls": [{"name": "broken", "args": {}}]},
                {"text": "\n".join(session.texts["answer"])},
            ]
        },
        "turns": ["\n".join(["hello", *session.texts["turn"]]), "/show"],
    }


def test_recording_page_and_test_contain_no_secret(
    session: Session, plugin: Path, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    assert len(set(session.secrets)) == 2000
    with serve() as service:
        (tmp_path / "s.yaml").write_text(json.dumps(_make_scenario(session, service.url), ensure_ascii=False))
        printed = _run(capfd, "record", "--http", "--scenario", tmp_path / "s.yaml", "-o", tmp_path / "s.trace")
        assert len(service.requests) == len(session.texts["url"])
    printed += _run(capfd, "view", tmp_path / "s.trace", "-o", tmp_path / "s.html")
    printed += _run(capfd, "codegen", tmp_path / "s.trace", "-o", tmp_path / "s.py")
    written = [(tmp_path / f"s.{suffix}").read_bytes() for suffix in ("trace", "html", "py")]
    assert all(b"<redacted>" in one or b"&lt;redacted&gt;" in one for one in written)
    assert find_leaks([printed, *written], session.secrets) == {}
    plain = _run(capfd, "trace", tmp_path / "s.yaml", "--json", "--env", "SERVICE=")
    assert len(find_leaks([plain], session.secrets)) > 1500


def test_recording_of_a_gateway_contains_no_secret(
    session: Session, plugin: Path, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    shutil.copytree(ECHO, tmp_path / "echo")
    scenario = _make_scenario(session, "")
    # Hermes masks secrets in chat replies; the embedded host does not support that.
    scenario["script"]["main"][-1]["text"] = "done"
    messages = [{"text": text} for text in scenario.pop("turns")]
    scenario |= {"plugins": ["p", "echo"], "toolsets": ["p"], "mode": "gateway", "messages": messages}
    (tmp_path / "s.yaml").write_text(json.dumps(scenario, ensure_ascii=False))
    printed = _run(capfd, "record", "--scenario", tmp_path / "s.yaml", "-o", tmp_path / "s.trace")
    printed += _run(capfd, "view", tmp_path / "s.trace", "-o", tmp_path / "s.html")
    printed += _run(capfd, "codegen", tmp_path / "s.trace", "-o", tmp_path / "s.py")
    written = [(tmp_path / f"s.{suffix}").read_bytes() for suffix in ("trace", "html", "py")]
    assert b"hermes_gateway.dm(" in written[2]
    assert find_leaks([printed, *written], session.secrets) == {}


def test_output_of_call_fire_and_chat_contains_no_secret(
    session: Session,
    plugin: Path,
    tmp_path: Path,
    capfd: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    scenario = _make_scenario(session, "")
    (tmp_path / "config.yaml").write_text(json.dumps(scenario["config"], ensure_ascii=False))
    (tmp_path / "script.yaml").write_text(json.dumps(scenario["script"], ensure_ascii=False))
    options: list[object] = ["--plugin", plugin, "--config", tmp_path / "config.yaml"]
    for name, value in session.variables.items():
        monkeypatch.setenv(name, value)
        options += ["--env", name]
    arguments = json.dumps({"all": [{one.name: one.value} for one in session.arguments]})
    printed = b""
    leak = ("call", "leak", "--args", arguments, *options)
    chat = ("chat", scenario["turns"][0], "/show", "--script", tmp_path / "script.yaml", *options)
    for command in (
        leak,
        (*leak, "--json"),
        chat,
        (*chat, "--json"),
        ("call", "broken", "--args", arguments, *options),
        ("fire", "pre_llm_call", "--args", arguments, *options, "--json"),
        ("fire", "post_tool_call", "--args", arguments, *options),
    ):
        printed += _run(capfd, *command, codes=(0, 1))
    assert printed.count(b"<redacted>") > 1000
    assert find_leaks([printed], session.secrets) == {}
