"""Behaviour of a generated project on the embedded host as text; mutants that change the text change behaviour.

Each scenario is ordinary use: it loads the plugin, and uses all its registrations with valid and invalid arguments, in
two sessions and two processes. It is independent of `check` and of the contract suites.
"""

from __future__ import annotations

import importlib.util
import re
import sqlite3
import sys
import threading
import time
from collections.abc import Callable, Generator, Iterator
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from typing import Any
from unittest import mock

from hermes_sdk.home import Home
from hermes_sdk.hosts.interface import ALLOW_ALL, Host
from hermes_sdk.hosts.staging import StagedHome
from hermes_sdk.llm import call
from hermes_sdk.manifest import installer_name, locate
from hermes_sdk.testing.suites.rules.time_limit import TimeUp, limit_time

TIME_LIMIT = 10.0
"""Seconds after which a scenario times out; mutants that hang change behaviour."""

_PATIENCE = 2.0
"""Seconds to wait for an event that a mutant may prevent."""

_SESSION_ID = re.compile(r"\d{8}_\d{6}_[0-9a-f]+")
_TIME = re.compile(r"\w+day, \w+ \d+, \d{4}[^\\\n'\"]*|\d{4}-\d\d-\d\d[ T]\d\d:\d\d(:\d\d)?")
_ADDRESS = re.compile(r"0x[0-9a-f]{6,}")
_REPORTED = (
    *("status", "error", "warnings", "missing_imports"),
    *("tools", "hooks", "commands", "cli_commands", "skills", "platforms", "memory_provider"),
)


class Recorder:
    """Recorder of observations as text."""

    def __init__(self, project: Path) -> None:
        self._lines: list[str] = []
        self._paths = {str(project): "PROJECT"}

    def add(self, what: str, observe: Callable[[], Any]) -> None:
        """Add the result or exception of one step."""
        try:
            seen = observe()
        except Exception as error:
            seen = f"{type(error).__name__}: {error}"
        self._lines.append(f"{what}: {seen!r}")

    @contextmanager
    def open_host(self, home: Home, project: Path, **config: Any) -> Generator[tuple[Host, str]]:
        """Open a host with the project's plugin, and add its log messages and swallowed exceptions.

        Yields:
            The host and the plugin's key.
        """
        self._paths[str(home.path)] = "HOME"
        staged = StagedHome(home)
        located = locate(project)
        if not (home.plugins_dir / installer_name(located.directory)).exists():
            staged.add(located)
        home.update_config(config)
        key = installer_name(located.directory)
        variables = {**staged.read_inherited_variables(), **ALLOW_ALL}
        with staged.open(cwd=project, environment=variables) as host:
            yield host, key
            self.add("swallowed", lambda: [(one.where, one.error) for one in host.swallowed])
            self.add("log", lambda: [one.message for one in host.log if one.level not in ("DEBUG", "INFO")])
            self.add("requests", lambda: [(one.messages, one.body.get("tools")) for one in host.llm.requests])

    @property
    def text(self) -> str:
        """Return the text without values that differ between runs."""
        text = "\n".join(self._lines)
        for path, name in sorted(self._paths.items(), key=lambda item: -len(item[0])):
            text = text.replace(path, name)
        sessions = list(dict.fromkeys(_SESSION_ID.findall(text)))
        for number, session in enumerate(sessions):
            text = text.replace(session, f"SESSION{number}")
        return _ADDRESS.sub("ADDRESS", _TIME.sub("TIME", text))


def record_behaviour(kind: str, project: Path) -> str:
    """Return the behaviour of a template's project in the template's scenario."""
    recorder = Recorder(project)
    with suppress(TimeUp), limit_time(TIME_LIMIT, project), Home.temporary() as home:
        recorder.add("scenario", lambda: _SCENARIOS[kind](recorder, home, project))
        return recorder.text
    return f"{recorder.text}\ntimed out"


def _observe_plugin(recorder: Recorder, home: Home, project: Path) -> None:
    with recorder.open_host(home, project) as (host, key):
        recorder.add("report", lambda: _report(host, key))
        recorder.add("tools", host.definitions)
        tool = f"{key}_add"
        recorder.add("nothing to recall", lambda: host.fire("pre_llm_call", is_first_turn=True))
        for note in ("", None, 7, "The demo is on Friday.", "Ada prefers tea.\nAlways. \ud800"):
            recorder.add(f"call {note!r}", lambda note=note: host.call_tool(tool, {"note": note}).text)
        recorder.add("call without arguments", lambda: host.call_tool(tool, {}).text)
        for first in (True, False):
            recorder.add("recall", lambda first=first: host.fire("pre_llm_call", is_first_turn=first))
        for line in ("", " TEA", " coffee"):
            recorder.add(f"command{line}", lambda line=line: host.command(f"/{key}{line}"))
        host.llm.script(call(tool, note="Tests are green."), "Saved.", "Hello.")
        for text in ("Note that tests are green.", "Hi!"):
            recorder.add(text, lambda text=text: host.chat(text).reply)
        for name in host.skills:
            recorder.add(f"skill {name}", lambda name=name: host.skill(name))
        for argv in ((), ("tea",), ("coffee",), ("--help",), ("--clear",), ("--clear",), ()):
            recorder.add(f"cli {argv}", lambda argv=argv: host.cli(key, *argv))
    recorder.add("files", lambda: list(_files(home.path / "plugin-data")))


def _observe_memory(recorder: Recorder, home: Home, project: Path) -> None:
    selected = {"memory": {"provider": installer_name(locate(project).directory)}}
    with recorder.open_host(home, project, **selected) as (host, key):
        recorder.add("report", lambda: _report(host, key))
        recorder.add("fields", host.memory.fields)
        recorder.add("setup", lambda: host.memory.setup({"limit": "2"}))
        host.llm.script("Noted.", "On Tuesdays.", "No.", "Hello.")
        for text in ("We deploy on Tuesdays.", "/new", "When do we deploy?", "And on Mondays?", "Hi!"):
            recorder.add(text, lambda text=text: host.command(text) if text[0] == "/" else host.chat(text).reply)
        for tool, arguments in (
            (f"{key}_remember", {"note": "The demo is on Friday."}),
            (f"{key}_remember", {"note": " "}),
            (f"{key}_recall", {"words": "demo"}),
            (f"{key}_recall", {"words": "(*"}),
            (f"{key}_recall", {"words": None}),
            ("memory", {"action": "add", "target": "user", "content": "Likes green tea."}),
            ("memory", {"action": "remove", "target": "user", "old_text": "green tea"}),
        ):
            host.llm.script(call(tool, arguments), "Done.")
            recorder.add(f"{tool} {arguments}", lambda: [one.result.text for one in host.chat("Do it.").tool_calls])
        recorder.add("finish", host.finish)
        recorder.add("stored", lambda: _rows(home.path / "plugin-data"))
    with recorder.open_host(home, project) as (host, _):
        host.llm.script("In the next process.")
        recorder.add("later", lambda: host.chat("When is the demo, and what about tea?").reply)
        recorder.add("finish", host.finish)
    recorder.add("stored later", lambda: _rows(home.path / "plugin-data"))
    own = [one.name for one in threading.enumerate() if one.name.startswith(f"{key}-")]
    recorder.add("threads", lambda: own)
    recorder.add("files", lambda: list(_files(home.path / "plugin-data")))


def _observe_platform(recorder: Recorder, home: Home, project: Path) -> None:
    network_module = _import_network(project)
    network = network_module.Network("secret of the network")
    prefix = installer_name(locate(project).directory).upper()
    variables = {
        f"{prefix}_SERVER": f"127.0.0.1:{network.port}",
        f"{prefix}_TLS": "off",
        f"{prefix}_CHANNELS": "#office, #garden",
        f"{prefix}_HOME_CHAT": "#office",
        f"{prefix}_PASSWORD": network.password,
    }
    ada, bob = (
        network_module.Person(network, name, channel) for name, channel in (("ada", "#office"), ("bob", "#garden"))
    )
    try:
        with mock.patch.dict("os.environ", variables), recorder.open_host(home, project) as (host, key):
            recorder.add("report", lambda: _report(host, key))
            host.llm.script("Hello, Ada.", "Tea.", "one\n\ntwo " + "ж" * 300, "For Bob.")
            with host.gateway() as gateway:
                recorder.add("connected", lambda: gateway.platforms)
                joined = [(channel, _joins(network, channel)) for channel in ("#office", "#garden")]
                recorder.add("joined", lambda: joined)
                for person, target, text in (
                    (ada, "hermes", "Hi!"),
                    (ada, "#office", "I like coffee."),
                    (ada, "#office", "hermes: tea or coffee?"),
                    (ada, "hermes", "\1VERSION\1"),
                    (ada, "hermes", "Count."),
                    (bob, "#garden", "HERMES, and me?"),
                ):
                    before = len(host.llm.requests)
                    person.says(target, text)
                    if joined[0][1] and "coffee." not in text and "\1" not in text:
                        recorder.add(f"question {text}", lambda before=before: _await_request(host, before))
                    recorder.add("settle", gateway.settle)
                recorder.add("events", lambda: [(one.chat_id, one.text) for one in gateway.sent])
    finally:
        # Once the clients have left, they have read all messages.
        for person in (ada, bob):
            person.leave()
        network.close()
    recorder.add("read", lambda: [[(one.chat, one.text) for one in person.read] for person in (ada, bob)])


def _await_request(host: Host, before: int) -> bool:
    """Wait for a request to the model, and return whether there was one."""
    end = time.monotonic() + _PATIENCE
    while len(host.llm.requests) <= before and time.monotonic() < end:
        time.sleep(0.01)
    return len(host.llm.requests) > before


def _joins(network: Any, channel: str) -> bool:
    """Wait for the agent to join a channel, and return whether it did."""
    with network.changed:
        return network.changed.wait_for(
            lambda: any(channel in one.channels and one.nick.startswith("hermes") for one in network.clients), _PATIENCE
        )


def _import_network(project: Path) -> Any:
    spec = importlib.util.spec_from_file_location("mutants_network", project / "tests/network.py")
    assert spec is not None
    assert spec.loader is not None
    sys.modules[spec.name] = module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def _report(host: Host, key: str) -> dict[str, Any]:
    report = host.report(key)
    shown = {name: report["plugin"].get(name) for name in ("name", "kind", "version")}
    return {**shown, **{name: report.get(name) for name in _REPORTED}}


def _files(folder: Path) -> Iterator[str]:
    for file in sorted(folder.rglob("*")):
        if file.is_file():
            text = file.read_text(encoding="utf-8") if file.suffix in (".txt", ".json") else ""
            yield f"{file.relative_to(folder)}: {text}"


def _rows(folder: Path) -> list[Any]:
    rows: list[Any] = []
    for file in sorted(folder.rglob("*.db")):
        with closing(sqlite3.connect(file)) as connection, suppress(sqlite3.Error):
            rows += connection.execute("SELECT * FROM texts").fetchall()
    return rows


_SCENARIOS: dict[str, Callable[[Recorder, Home, Path], None]] = {
    "plugin": _observe_plugin,
    "memory-provider": _observe_memory,
    "platform": _observe_platform,
}
