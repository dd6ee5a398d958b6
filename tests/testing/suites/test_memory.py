"""The suite for memory providers: the example passes every rule, and each mutant breaks its rule."""

# ruff: noqa: E501 - a change of an example reads best on one line.

from __future__ import annotations

from pathlib import Path

import pytest
from testing.suites.mutating import EXAMPLES, Mutant, copy_mutant, find_broken_rules, list_codes
from thinning import every_third

from hermes_sdk.testing.suites.kinds import MemoryProviderContract

EXAMPLE = "sqlite_memory"
KEYWORDS = ", **kwargs: Any)"
STARTS = '        self._store = Store(Path(kwargs["hermes_home"]) / "sqlite_memory.db")'
SWITCH = "        self._session = new_session_id"
TOOL = '        argument = args.get("note" if tool_name == "sqlite_remember" else "words")'
FAILS = '        except sqlite3.Error:\n            return ""'

MUTANTS = [
    Mutant("HS820", "name: sqlite_memory", "name: sqlite_memory\nkind: standalone", "plugin.yaml"),
    Mutant("HS821", "class SqliteMemory(MemoryProvider):", "class SqliteMemory:"),
    Mutant("HS822", 'name = "sqlite_memory"', 'name = ""'),
    Mutant(
        "HS823",
        "SqliteMemory())",
        "SqliteMemory())\n    ctx.register_skill('notes', 'SKILL.md')",
        also=("HS868",),
        release="0.19.0",  # Since 0.20.1 the loader passes a full ctx.
    ),
    Mutant(
        "HS824",
        "ctx.register_memory_provider(SqliteMemory())",
        "ctx.register_memory_provider(ONE)\n\nONE = SqliteMemory()",
    ),
    Mutant("HS825", "return True", "return 1"),
    Mutant("HS952", "return True", "return False"),
    Mutant(
        "HS826",
        "        return True",
        "        import socket\n        try: socket.getaddrinfo('example.com', 443)\n        except OSError: pass\n        return True",
    ),
    Mutant("HS827", "        return [dict", "        assert self._session\n        return [dict", also=("HS868",)),
    Mutant("HS828", '"key": "language", ', '"name": "language", ', also=("HS814",)),
    Mutant("HS813", ', "env_var": "SQLITE_MEMORY_KEY"', ""),
    Mutant("HS814", 'json.loads(saved.read_text())["language"]', 'json.loads(saved.read_text())["lang"]'),
    Mutant("HS948", "if saved.exists():", "if saved.name != CONFIG:"),
    Mutant("HS829", "        return []", "        return ['notes.db']"),
    Mutant(
        "HS830", "        self._session = session_id", "        self._session = session_id + kwargs['platform'][:0]"
    ),
    Mutant("HS831", "        self.shutdown()\n", "        assert self._store is None\n"),
    Mutant(
        "HS832",
        "session_id: str, **kwargs: Any) -> None:\n        self.shutdown()",
        "session_id, *, hermes_home, platform='', agent_context='', agent_identity='', agent_workspace='',"
        " warning_callback=None, status_callback=None):\n        kwargs = {'hermes_home': hermes_home}\n        self.shutdown()",
        also=("HS819",),
    ),
    Mutant(
        "HS833",
        'def prefetch(self, query: str, *, session_id: str = ""' + KEYWORDS,
        "def prefetch(self, query, *, session_id='')",
    ),
    Mutant(
        "HS834",
        'def queue_prefetch(self, query: str, *, session_id: str = ""' + KEYWORDS,
        "def queue_prefetch(self, query, *, session_id='')",
    ),
    Mutant(
        "HS835", 'assistant_content: str, *, session_id: str = ""' + KEYWORDS, "assistant_content, *, session_id='')"
    ),
    Mutant("HS836", "args: dict[str, Any]" + KEYWORDS, "args)"),
    Mutant("HS837", "message: str" + KEYWORDS, "message, remaining_tokens=0, model='', platform='', tool_count=0)"),
    Mutant(
        "HS838",
        "def on_session_end(self, messages: list[dict[str, Any]]" + KEYWORDS,
        "def on_session_end(self, messages)",
    ),
    Mutant(
        "HS839", "new_session_id: str" + KEYWORDS, "new_session_id, *, parent_session_id='', reset=False, reason='')"
    ),
    Mutant(
        "HS840",
        "def on_pre_compress(self, messages: list[dict[str, Any]]" + KEYWORDS,
        "def on_pre_compress(self, messages)",
    ),
    Mutant("HS841", 'child_session_id: str = ""' + KEYWORDS, "child_session_id='')"),
    Mutant("HS842", "content: str" + KEYWORDS, "content, metadata=None)"),
    Mutant("HS818", "def sync_turn(", "def sync_turn_("),
    Mutant("HS843", 'f"Notes of earlier', "f\"{__import__('time').time_ns()} Notes of earlier"),
    Mutant(
        "HS844",
        '        try:\n            return "\\n"',
        '        if "anything" in query: return None\n        try:\n            return "\\n"',
    ),
    Mutant(
        "HS845", "        try:\n            return", "        assert query.strip()\n        try:\n            return"
    ),
    Mutant("HS846", "if self._store else", "if self._store and session_id == self._session else"),
    Mutant(
        "HS847",
        '        self._keep(f"{user_content}\\n{assistant_content}")',
        '        user_content.encode()\n        self._keep(f"{user_content}\\n{assistant_content}")',
    ),
    Mutant("HS848", "if self._store else", "if self._store and session_id != 'first' else"),
    Mutant(
        "HS849",
        STARTS,
        "        if session_id == 'second': Path(kwargs['hermes_home'], 'sqlite_memory.db').unlink(True)\n" + STARTS,
    ),
    Mutant(
        "HS850",
        STARTS,
        "        SqliteMemory._home = getattr(SqliteMemory, '_home', kwargs['hermes_home'])\n"
        "        self._store = Store(Path(SqliteMemory._home) / 'sqlite_memory.db')",
    ),
    Mutant(
        "HS851",
        "        self._lock = threading.Lock()",
        "        self._lock = threading.Lock()\n        close = Store.close\n"
        "        Store.close = lambda one: [close(each) for each in (one, self)]",
        "store.py",
    ),
    Mutant("HS819", '== "primary"', '!= "cron"'),
    Mutant("HS946", SWITCH, "        pass"),
    Mutant("HS852", "check_same_thread=False", "check_same_thread=True", "store.py", ("HS868",)),
    Mutant("HS853", "        said = [one", "        messages[:1] = []\n        said = [one"),
    Mutant("HS854", 'if isinstance(one["content"], str)]', 'if one["content"].strip()]'),
    Mutant("HS855", SWITCH, "        assert kwargs['parent_session_id']\n" + SWITCH),
    Mutant("HS856", 'return "\\n".join(said[-2:])', 'return "\\n".join(said[-2:]) or None'),
    Mutant("HS857", '"description": "Keeps a note."', '"description": ""'),
    Mutant("HS858", '"name": "sqlite_recall"', '"name": "memory"', also=("HS868",)),
    Mutant(
        "HS859",
        '"properties": {"words": {"type": "string"}}, "required": ["words"]',
        '"properties": {}, "required": ["words"]',
    ),
    Mutant("HS860", 'return json.dumps({"kept": argument})', 'return args if args == {"note": "notes"} else "{}"'),
    Mutant("HS861", TOOL, '        argument = args["note" if tool_name == "sqlite_remember" else "words"]'),
    Mutant("HS862", TOOL, TOOL.replace("get", "pop").replace('")', '", None)')),
    Mutant(
        "HS863",
        "            self._store = None\n",
        "            self._store = None\n        else:\n            assert not self._session\n",
    ),
    Mutant(
        "HS864",
        "        self._session = session_id",
        "        import threading, time\n        threading.Thread(target=time.sleep, args=(0.5,)).start()\n        self._session = session_id",
    ),
    Mutant("HS865", "TIMEOUT = 1.0", "TIMEOUT = 20.0", "store.py"),
    Mutant("HS954", FAILS, FAILS.replace('""', "None")),
    Mutant("HS866", STARTS, STARTS + "\n        Path('~/.notes').expanduser().touch()"),
    Mutant(
        "HS867",
        STARTS,
        STARTS
        + "\n        import socket\n        try: socket.getaddrinfo('example.com', 443)\n        except OSError: pass",
    ),
    Mutant(
        "HS947",
        STARTS,
        STARTS
        + "\n        __import__('logging').getLogger('m').debug(__import__('os').environ.get('SQLITE_MEMORY_KEY'))",
    ),
    Mutant("HS868", "message: str, **kwargs: Any) -> None:", "message, **kwargs):\n        assert message == 'Hello'"),
]


class Suite(MemoryProviderContract):
    """Suite for the example; pytest does not collect a class with this name."""

    plugin = EXAMPLE


def test_example_passes_every_rule():
    assert find_broken_rules(Suite, EXAMPLES) == {}


def test_every_rule_has_a_mutant():
    assert [mutant.code for mutant in MUTANTS] == list_codes(Suite)


@pytest.mark.parametrize("mutant", every_third(MUTANTS), ids=lambda mutant: mutant.code)
def test_mutant_breaks_its_rule(mutant: Mutant, tmp_path: Path):
    copy_mutant(EXAMPLES / EXAMPLE, mutant, tmp_path)
    for code in (mutant.code, *mutant.also):
        assert list(find_broken_rules(Suite, tmp_path, only=code, release=mutant.release)) == [code]


@pytest.mark.slow
@pytest.mark.parametrize("mutant", MUTANTS, ids=lambda mutant: mutant.code)
def test_mutant_breaks_no_other_rule(mutant: Mutant, tmp_path: Path):
    copy_mutant(EXAMPLES / EXAMPLE, mutant, tmp_path)
    assert list(find_broken_rules(Suite, tmp_path, release=mutant.release)) == [mutant.code, *mutant.also]


def test_provider_may_register_other_objects_since_0_20_1(tmp_path: Path):
    more = "SqliteMemory())\n    ctx.register_command('notes', lambda line: line)"
    copy_mutant(EXAMPLES / EXAMPLE, Mutant("HS823", "SqliteMemory())", more), tmp_path)
    assert find_broken_rules(Suite, tmp_path, only="HS823", release="0.22.2") == {}
    assert list(find_broken_rules(Suite, tmp_path, only="HS823", release="0.19.0")) == ["HS823"]
