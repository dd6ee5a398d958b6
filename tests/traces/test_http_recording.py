"""HTTP requests of plugins are recorded without secrets, and answered in a replay without a network."""

import base64
import json
from collections.abc import Generator
from pathlib import Path
from typing import Any

import pytest
from traces.http_service import SECRET, Service, serve

from hermes_sdk.cli.main import run
from hermes_sdk.errors import UnavailableError
from hermes_sdk.hosts.environments import environment
from hermes_sdk.traces import Event, read_recording

PLUGIN = """
import base64, json, os, urllib.request


def by_urllib(url, headers, body):
    with urllib.request.urlopen(urllib.request.Request(url, body, headers), timeout=9) as answer:
        return answer.read()


def by_httpx(url, headers, body):
    import httpx

    return httpx.post(url, content=body, headers=headers, timeout=9).content


def look(args, **more):
    key = os.environ["KEY"]
    url = f"{args['service']}/look?q=tea&key={key}"
    body = json.dumps({"password": key, "text": "tea"}).encode()
    known = {"Authorization": f"Bearer {key}", "Content-Type": "application/json"}
    headers = {**known, "X-Custom-Key": "amber-goose-7781", "X-Short-Key": "4711"}
    try:
        content = globals()[args["by"]](url, headers, body)
    except Exception as error:
        return json.dumps({"error": str(error)})
    told = {"sent": "amber-goose-7781", "got": content.decode("latin-1")}
    return json.dumps({**told, "base64": base64.b64encode(content).decode()})


def register(ctx):
    ctx.register_tool("look", "p", {"name": "look", "description": "Looks.", "parameters": {}}, look)
    ctx.register_middleware("llm_execution", lambda **more: more["next_call"](more["request"]))
"""


@pytest.fixture
def service() -> Generator[Service]:
    with serve() as server:
        yield server


@pytest.fixture
def scenario(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("COLUMNS", "300")
    (tmp_path / "p").mkdir()
    (tmp_path / "p" / "plugin.yaml").write_text("name: p\nrequires_env: [KEY]\n")
    (tmp_path / "p" / "__init__.py").write_text(PLUGIN)
    return tmp_path / "s.yaml"


def _write(scenario: Path, service: str, *clients: str, **more: Any) -> None:
    calls = [{"name": "look", "args": {"by": by, "service": service}} for by in clients]
    answers = [*({"tool_calls": [one]} for one in calls), {"text": "done"}]
    content = {"plugins": ["p"], "env": {"KEY": SECRET}, "script": {"main": answers}, "turns": ["look"], **more}
    scenario.write_text(json.dumps(content))


def _run(*argv: object) -> int:
    with pytest.raises(SystemExit) as stop:
        run([*map(str, argv)])
    assert isinstance(stop.value.code, int)
    return stop.value.code


def _record(scenario: Path, service: Service, *options: object) -> Path:
    _write(scenario, service.url, "by_urllib", "by_httpx")
    path = scenario.with_name("s.trace")
    assert _run("record", "--http", "--scenario", scenario, "-o", path, *options) == 0
    return path


def _list_requests(path: Path) -> list[Event]:
    return [event for event in read_recording(path).events if event["kind"] == "http_request"]


def _mutate(path: Path, old: str, new: str) -> None:
    file = path.with_name("p") / "__init__.py"
    assert old in file.read_text()
    file.write_text(file.read_text().replace(old, new))


def _replay(path: Path, capsys: pytest.CaptureFixture[str]) -> dict[str, Any]:
    capsys.readouterr()
    assert _run("replay", path, "--json") == 1
    (replayed,) = json.loads(capsys.readouterr().out)["replays"]
    assert isinstance(replayed, dict)
    return replayed


def test_recording_without_secrets_replays_without_service(
    scenario: Path, service: Service, capsys: pytest.CaptureFixture[str]
) -> None:
    path = _record(scenario, service)
    assert service.requests == [f"POST /look?q=tea&key={SECRET}"] * 2
    content = path.read_bytes()
    for secret in (SECRET, f"{SECRET}-answer", f"{SECRET}-cookie", SECRET[:9], "amber-goose-7781"):
        assert secret.encode() not in content
        assert base64.b64encode(secret.encode())[:8] not in content
    first, second = _list_requests(path)
    assert first["arguments"] == {
        "method": "POST",
        "url": "http://127.0.0.1:<port>/look?q=tea&key=<redacted>",
        "headers": {
            "content-type": "application/json",
            "authorization": "<redacted>",
            "x-custom-key": "<redacted>",
            "x-short-key": "<redacted>",
        },
        "body": '{"password": "<redacted>", "text": "tea"}',
    }
    assert second["returned"]["status"] == 200
    assert second["returned"]["headers"]["set-cookie"] == "<redacted>"
    assert second["returned"]["body"] == '{"access_token": "<redacted>", "sky": "clear"}'
    page = path.with_suffix(".html")
    assert _run("view", path, "-o", page) == 0
    assert "POST http://127.0.0.1:&lt;port&gt;/look" in page.read_text()
    service.shutdown()
    service.server_close()
    capsys.readouterr()
    assert _run("replay", path) == 0
    assert "shows the same" in capsys.readouterr().out
    before = read_recording(path)
    assert _run("replay", path, "--update") == 0
    assert read_recording(path) == before
    assert len(service.requests) == 2


def test_request_with_other_url_is_rejected(
    scenario: Path, service: Service, capsys: pytest.CaptureFixture[str]
) -> None:
    path = _record(scenario, service)
    _mutate(path, "/look?", "/search?")
    replayed = _replay(path, capsys)
    url = "http://127.0.0.1:<port>"
    assert replayed["reason"] == f"at event 7: http request POST {url}/search is not in the recording"
    assert replayed["problems"] == [
        f"no recorded answer is left for the request POST {url}/search",
        *[f"a recorded answer was not used: POST {url}/look"] * 2,
    ]
    refused = [one for one in replayed["differences"] if one["event"] == "tool look"]
    assert all("Connection refused" in one["right"] or "no recorded answer" in one["right"] for one in refused)
    assert len(service.requests) == 2


def test_request_with_other_body_is_answered_and_reported(
    scenario: Path, service: Service, capsys: pytest.CaptureFixture[str]
) -> None:
    path = _record(scenario, service)
    _mutate(path, '"text": "tea"', '"text": "cake"')
    replayed = _replay(path, capsys)
    assert 'got body = "{\\"password\\": \\"<redacted>\\", \\"text\\": \\"tea\\"}", now' in replayed["reason"]
    assert replayed["problems"] == []
    assert len(replayed["differences"]) == 2


def test_unused_answer_fails_replay(scenario: Path, service: Service, capsys: pytest.CaptureFixture[str]) -> None:
    path = _record(scenario, service)
    _mutate(path, 'content = globals()[args["by"]](url, headers, body)', "content = b''")
    replayed = _replay(path, capsys)
    assert replayed["problems"] == ["a recorded answer was not used: POST http://127.0.0.1:<port>/look"] * 2


def test_binary_body_with_secret_is_redacted(scenario: Path, service: Service) -> None:
    service.body = b"\xff\xfe ACCOUNT-4711"
    path = _record(scenario, service, "--redact", r"ACCOUNT-\d+")
    assert [one["returned"]["body"] for one in _list_requests(path)] == [{"base64": "<redacted>"}] * 2
    assert b"ACCOUNT-4711" not in path.read_bytes()


def test_requests_are_recorded_only_with_option(scenario: Path, service: Service) -> None:
    _write(scenario, service.url, "by_urllib")
    path = scenario.with_name("s.trace")
    assert _run("record", "--scenario", scenario, "-o", path) == 0
    assert _list_requests(path) == []
    recording = read_recording(path).recording
    assert recording is not None
    assert "http_answers" not in recording


def test_scenario_can_contain_answers_to_http_requests(scenario: Path, capsys: pytest.CaptureFixture[str]) -> None:
    answer = {"method": "POST", "url": f"https://a.example/look?q=tea&key={SECRET}", "status": 200, "body": "sunny"}
    _write(scenario, "https://a.example", "by_httpx", http_answers=[answer])
    assert _run("trace", scenario, "--json") == 0
    assert '\\"got\\": \\"sunny\\"' in capsys.readouterr().out
    assert _run("trace", scenario) == 0
    lines = [line.split() for line in capsys.readouterr().out.splitlines()]
    assert ["http", "POST", "https://a.example/look", f"q=tea&key={SECRET}"] in [line[1:5] for line in lines]
    assert next(line for line in lines if line[1:2] == ["http"])[-3:] == ["→", "200", "sunny"]
    _write(scenario, "https://a.example", http_answers=[{**answer, "error": "timeout"}])
    assert _run("trace", scenario) == 2
    assert "http_answers.0 needs either 'status' or 'error'" in capsys.readouterr().err


@pytest.mark.slow
def test_both_hosts_replay_requests(scenario: Path, service: Service, capsys: pytest.CaptureFixture[str]) -> None:
    try:
        environment("0.19.0")
    except UnavailableError as error:
        pytest.skip(str(error))
    path = _record(scenario, service, "--host", "real", "--release", "0.19.0")
    assert len(service.requests) == len(_list_requests(path)) == 2
    service.shutdown()
    service.server_close()
    for host in ("real", "embedded"):
        assert _run("replay", path, "--host", host) == 0, capsys.readouterr().out
