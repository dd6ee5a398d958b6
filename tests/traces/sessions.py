"""Sessions to record, one per example plugin, with a change of the plugin that a replay notices."""

from __future__ import annotations

import shutil
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml
from examples.irc_plugin import plain_irc

from hermes_sdk.hosts.interface import HostKind
from hermes_sdk.traces import Trace, play, write_recording

_EXAMPLES = Path(__file__).parents[1] / "examples"
_SERVERS = Path(__file__).with_name("servers")
_FULL = {"prompt_tokens": 190_000, "completion_tokens": 10}


@dataclass(frozen=True)
class Session:
    """A session with an example.

    Attributes:
        plugins: The directories of the example and of its server.
        scenario: The scenario of the session.
        change: A text in the source of the example, and its replacement.
        file: The file with the text.
    """

    plugins: tuple[Path, ...]
    scenario: dict[str, Any]
    change: tuple[str, str]
    file: str = "__init__.py"

    def write(self, project: Path) -> Path:
        """Copy the plugins to a project, and return its scenario."""
        for plugin in self.plugins:
            shutil.copytree(plugin, project / plugin.name, ignore=shutil.ignore_patterns("__pycache__"))
        (project / "pytest.ini").write_text("[pytest]\n")
        path = project / "scenario.yaml"
        path.write_text(yaml.safe_dump({"plugins": [one.name for one in self.plugins], **self.scenario}))
        return path

    def record(self, project: Path, host: HostKind = "embedded", release: str | None = None) -> tuple[Path, Trace]:
        """Record the session in a project, and return the file and the recording."""
        path = project / "session.trace"
        trace = play(self.write(project), host=host, release=release, record=True)
        write_recording(trace, path)
        return path, trace

    def break_plugin(self, project: Path) -> None:
        """Change the behaviour of the example in a project."""
        source = project / self.plugins[0].name / self.file
        text = source.read_text()
        assert self.change[0] in text
        source.write_text(text.replace(*self.change))


SESSIONS = {
    "word_count": Session(
        (_EXAMPLES / "word_count",),
        {
            "script": {
                "main": [{"tool_calls": [{"name": "word_count", "args": {"text": 'it\'s "so"'}}]}, {"text": "Two."}]
            },
            "turns": ["How many words?", "/wordcount a b c"],
        },
        ("len(text.split())", "len(text)"),
    ),
    "sqlite_memory": Session(
        (_EXAMPLES / "sqlite_memory",),
        {
            "config": {"memory": {"provider": "sqlite_memory"}},
            "script": {"main": [{"text": "Noted."}, {"text": "It is Ada."}]},
            "turns": ["My name is Ada", "What is my name?"],
        },
        ('"\\n".join(self._store.search(query))', '"".join(self._store.search(query)).upper()'),
    ),
    "window_engine": Session(
        (_EXAMPLES / "window_engine",),
        {
            "config": {"context": {"engine": "window_engine"}},
            "script": {"main": [{"text": "one"}, {"text": "two"}, {"text": "three", "usage": _FULL}, {"text": "four"}]},
            "turns": ["first", "second", "third", "fourth"],
        },
        ("TURNS = 2", "TURNS = 1"),
    ),
    "tile_images": Session(
        (_EXAMPLES / "tile_images",),
        {
            "config": {"image_gen": {"provider": "tile_images"}},
            "toolsets": ["image_gen"],
            "script": {
                "main": [
                    {"tool_calls": [{"name": "image_generate", "args": {"prompt": "red"}}]},
                    {"text": "Here."},
                ]
            },
            "turns": ["Draw a red tile"],
        },
        ('MODEL = "tile-1"', 'MODEL = "tile-2"'),
    ),
    "local_models": Session(
        (_EXAMPLES / "local_models",),
        {
            "config": {"model": {"provider": "local_models"}},
            "env": {"LOCAL_MODELS_KEY": "key-of-the-tests"},
            "script": {"main": [{"text": "Here."}]},
            "turns": ["Where are you?"],
        },
        ('"cache_key"', '"cache"'),
    ),
    "pigeon": Session(
        (_EXAMPLES / "pigeon", _SERVERS / "pigeon_server"),
        {
            "mode": "gateway",
            "env": {
                "PIGEON_URL": "http://127.0.0.1:1",
                "PIGEON_TOKEN": "token-of-the-tests",
                "PIGEON_HOME_CHANNEL": "mia",
            },
            "script": {"main": [{"text": "Noon."}, {"text": "At the office."}]},
            "messages": [
                {"text": "When is lunch?", "user_id": "mia", "chat_id": "mia"},
                {"text": "Where?", "user_id": "mia", "chat_id": "+team", "chat_type": "group"},
            ],
        },
        ('{"chat": chat_id, "text": part}', '{"chat": part, "text": chat_id}'),
    ),
    "plain_irc": Session(
        (plain_irc(), _SERVERS / "irc_server"),
        {
            "mode": "gateway",
            "env": {"PLAIN_IRC_SERVER": "127.0.0.1:1", "PLAIN_IRC_TLS": "off", "PLAIN_IRC_HOME_CHAT": "ann"},
            "script": {"main": [{"text": "Noon."}, {"text": "At the office."}]},
            "messages": [
                {"text": "When is lunch?", "user_id": "ann", "chat_id": "ann"},
                {"text": "Where?", "user_id": "ann", "chat_id": "#room", "chat_type": "group"},
            ],
        },
        ("connection.say(chat_id, piece)", "connection.say(piece, chat_id)"),
        "adapter.py",
    ),
}
"""Example -> the session with it."""
