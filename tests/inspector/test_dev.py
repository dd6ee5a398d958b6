"""`hermes-sdk dev` as a process: the address, the reload on save, and the end."""

from __future__ import annotations

import contextlib
import os
import re
import signal
import stat
import subprocess
import sys
import time
from collections.abc import Generator, Iterator
from html import unescape
from pathlib import Path
from typing import NamedTuple
from urllib.parse import urlsplit

import httpx
import pytest
from inspector.serving import RUN, find_secret, serve

from hermes_sdk.cli.main import run


class Opened(NamedTuple):
    """A running inspector, and the browser that opened its address."""

    process: subprocess.Popen[str]
    client: httpx.Client
    first_line: str


@pytest.fixture
def inspector(plugin: Path) -> Generator[Opened]:
    with serve(plugin) as served, served.enter() as client:
        yield Opened(served.process, client, served.first_line)


def versions(lines: Iterator[str]) -> Iterator[str]:
    return (line.partition(": ")[2].strip() for line in lines if line.startswith("data:"))


def test_dev_prints_the_loaded_plugin(inspector: Opened) -> None:
    assert inspector.first_line == "sums on Hermes 0.22.2 (embedded)   1 tool · 1 hook · 1 command"
    assert "register_tool" in inspector.client.get("/").text
    assert inspector.client.get("/static/htmx.min.js").status_code == 200


def test_page_requires_the_cookie(inspector: Opened) -> None:
    for path in ("/", "/tools", "/events", "/static/inspector.js"):
        assert httpx.get(str(inspector.client.base_url) + path, trust_env=False).status_code == 403


def test_each_save_reloads_the_plugin_and_reports_errors(plugin: Path, inspector: Opened) -> None:
    source = plugin / "__init__.py"
    good = source.read_text()
    with inspector.client.stream("GET", "/events") as stream:
        told = versions(stream.iter_lines())
        assert next(told) == "1"
        source.write_text(good.replace('"total": sum', '"sum": sum'))
        assert next(told) == "2"
        fields = {"kind": "call", "name": "total", "args": '{"numbers": [1, 2]}'}
        assert "&#34;sum&#34;: 3" in inspector.client.post("/act", data=fields).text
        source.write_text("import nonsense\n")
        assert next(told) == "3"
        assert "No module named &#39;nonsense&#39;" in inspector.client.get("/").text
        source.write_text(good)
        assert next(told) == "4"
        assert "does not load" not in inspector.client.get("/").text


class Opener(NamedTuple):
    """A program `xdg-open` that only records its argument, and a directory for temporary files."""

    env: dict[str, str]
    opened: Path
    temporary: Path


@pytest.fixture
def opener(tmp_path: Path) -> Generator[Opener]:
    programs, opened, temporary = tmp_path / "bin", tmp_path / "opened", tmp_path / "tmp"
    programs.mkdir()
    temporary.mkdir()
    program = programs / "xdg-open"
    # Rename the file once it is complete. The program then runs until the test ends, as a browser would.
    note = f'printf %s "$1" > "{opened}.new"; mv "{opened}.new" "{opened}"'
    program.write_text(
        f'#!/bin/sh\nPATH=/usr/bin:/bin\nexec > /dev/null 2>&1\n{note}\nwhile [ -e "{opened}" ]; do sleep 0.05; done\n'
    )
    program.chmod(0o755)
    env = {
        "PATH": f"{programs}:{os.environ['PATH']}",
        "TMPDIR": str(temporary),
        "HERMES_SDK_CACHE": str(tmp_path / "c"),
    }
    yield Opener({**os.environ, **env}, opened, temporary)
    opened.unlink(missing_ok=True)


def wait_for_page(opener: Opener) -> Path:
    """Wait until the browser was started, and return the page to open."""
    deadline = time.monotonic() + 30
    while not opener.opened.exists():
        assert time.monotonic() < deadline
        time.sleep(0.01)
    return Path(opener.opened.read_text())


def read_command_lines() -> list[str]:
    lines = []
    for process in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):
            lines.append((process / "cmdline").read_bytes().decode(errors="replace"))
    return lines


def test_browser_receives_the_token_in_a_private_page(plugin: Path, opener: Opener) -> None:
    with serve(plugin, env=opener.env, browser=True) as served:
        page = wait_for_page(opener)
        token = served.take_address().partition("token=")[2]
        lines = read_command_lines()
        assert any(str(page) in one for one in lines)
        assert not any(token in one for one in lines)
        assert (stat.S_IMODE(page.stat().st_mode), stat.S_IMODE(page.parent.stat().st_mode)) == (0o600, 0o700)
        link = re.search(r'http-equiv="refresh" content="0;url=([^"]+)"', page.read_text())
        assert link is not None
        entrance = httpx.get(link[1], trust_env=False)
        assert (entrance.status_code, bool(find_secret(entrance.text))) == (200, True)
        assert served.take_address().partition("token=")[2] not in ("", token)
        assert not page.parent.exists()


def test_other_browser_is_used_without_xdg_open(plugin: Path, opener: Opener) -> None:
    programs = Path(opener.env["PATH"].partition(":")[0])
    program = (programs / "xdg-open").rename(programs / "browser")
    env = {**opener.env, "PATH": str(programs), "BROWSER": f"{program} %s"}
    with serve(plugin, env=env, browser=True) as served:
        page = Path(urlsplit(str(wait_for_page(opener))).path)
        assert served.take_address() in page.read_text()


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGKILL])
def test_page_with_the_token_is_deleted_with_the_command(number: int, plugin: Path, opener: Opener) -> None:
    with serve(plugin, env=opener.env, browser=True) as served:
        page = wait_for_page(opener)
        assert page.exists()
        # The browser is started before the server, which answers once it handles signals.
        httpx.get(f"http://127.0.0.1:{urlsplit(served.take_address()).port}/", trust_env=False, timeout=30)
        served.process.send_signal(number)
        _, err = served.process.communicate(timeout=30)
    assert err == ""
    assert page.exists() == (number == signal.SIGKILL)
    # After SIGKILL, the next command deletes the page.
    subprocess.run([sys.executable, "-c", RUN, "explain", "HS101"], env=opener.env, check=True, capture_output=True)
    assert not page.parent.exists()


def test_dev_opens_with_a_scenario(plugin: Path, tmp_path: Path) -> None:
    source = plugin / "__init__.py"
    source.write_text(source.read_text().replace("They said", "In {__import__('os').environ['PLACE']} they said"))
    file = tmp_path / "scenario.yaml"
    file.write_text("env: {PLACE: Rome}\nscript: {main: [{text: Hello.}, {text: Bye.}]}\nturns: [I come, I go]\n")
    with serve(plugin, "--scenario", str(file)) as served, served.enter() as client:
        page = client.get("/chat").text
    assert page.index("<p>Hello.</p>") < page.index("<p>Bye.</p>") < page.index("In Rome they said I GO")


@pytest.mark.parametrize(
    ("content", "told"),
    [
        (None, "scenario.yaml: the scenario cannot be read: No such file or directory"),
        ("turns: [hi\n", "scenario.yaml:2:1: not YAML"),
        ("mode: gateway\nmessages: [{text: hi}]\n", "scenario.yaml: the scenario is for a gateway"),
    ],
)
def test_unsuitable_scenario_is_rejected(
    content: str | None, told: str, plugin: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "scenario.yaml"
    if content is not None:
        file.write_text(content)
    with pytest.raises(SystemExit) as stop:
        run(["dev", str(plugin), "--port", "0", "--no-browser", "--scenario", str(file)])
    assert (stop.value.code, told in capsys.readouterr().err) == (2, True)


def test_env_options_set_variables_and_override_the_scenario(plugin: Path, tmp_path: Path) -> None:
    source = plugin / "__init__.py"
    body = source.read_text().replace("They said", "In {os.environ['PLACE']} with {os.environ['SUMS_KEY']} they said")
    source.write_text(f"import os\n{body}")
    file = tmp_path / "scenario.yaml"
    file.write_text("env: {PLACE: Rome}\nturns: [Hello]\n")
    options = ("--env", "PLACE=Oslo", "--env", "SUMS_KEY", "--scenario", str(file))
    env = {**os.environ, "SUMS_KEY": "k3y-of-the-author"}
    with serve(plugin, *options, env=env) as served, served.enter() as client:
        client.post("/settings", data={})
        turn = client.post("/act", data={"kind": "chat", "name": "hi"}).text
    assert re.search(r"In Oslo with \W*redacted\W* they said HI", unescape(turn))
    assert "k3y-of-the-author" not in turn


@pytest.mark.parametrize(
    ("options", "told"),
    [
        (["--env", "NOT_SET_ANYWHERE"], "--env NOT_SET_ANYWHERE: 'NOT_SET_ANYWHERE' is not a variable"),
        (["--model-url", "file:///etc/passwd"], "'file:///etc/passwd' is not the address of a model"),
        (["--model-url", "http://[x"], "'http://[x' is not the address of a model"),
    ],
)
def test_invalid_option_values_are_rejected(
    options: list[str], told: str, plugin: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as stop:
        run(["dev", str(plugin), "--port", "0", "--no-browser", *options])
    assert (stop.value.code, told in capsys.readouterr().err) == (2, True)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_dev_ends_silently_while_a_page_is_open(number: int, inspector: Opened) -> None:
    with inspector.client.stream("GET", "/events"):
        inspector.process.send_signal(number)
        out, err = inspector.process.communicate(timeout=30)
    assert re.fullmatch(r"For another browser: http://127.0.0.1:\d+/\?token=\S+\n", out)
    assert err == ""


def test_dev_continues_after_ignored_hangup(plugin: Path) -> None:
    ignore = ("sh", "-c", 'trap "" HUP; exec "$@"', "sh")
    with serve(plugin, prefix=ignore) as served, served.enter() as client:
        served.process.send_signal(signal.SIGHUP)
        assert "register_tool" in client.get("/").text
        served.process.terminate()
        _, err = served.process.communicate(timeout=30)
    assert (served.process.returncode, err) == (128 + signal.SIGTERM, "")


def test_used_port_is_reported(plugin: Path, inspector: Opened, capsys: pytest.CaptureFixture[str]) -> None:
    port = str(inspector.client.base_url.port)
    with pytest.raises(SystemExit) as stop:
        run(["dev", str(plugin), "--port", port, "--no-browser"])
    assert stop.value.code == 3
    assert f"port {port} cannot be used" in capsys.readouterr().err


def test_dev_names_the_missing_extra(
    plugin: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.delitem(sys.modules, "hermes_sdk.inspector.server", raising=False)
    monkeypatch.setitem(sys.modules, "uvicorn", None)
    with pytest.raises(SystemExit) as stop:
        run(["dev", str(plugin)])
    assert stop.value.code == 3
    assert "pip install 'hermes-sdk[inspector]'" in capsys.readouterr().err
