"""The suite for platforms: the example passes every rule, and each mutant breaks its rule."""

# ruff: noqa: E501 - a change of an example reads best on one line.

from __future__ import annotations

import gc
from collections.abc import Callable, Generator
from pathlib import Path
from typing import ClassVar

import pytest
from examples.irc_network import IrcTransport
from examples.irc_plugin import plain_irc
from examples.pigeon_service import PigeonTransport
from testing.suites.mutating import EXAMPLES, Mutant, copy_mutant, find_broken_rules, list_codes
from thinning import every_third

from hermes_sdk.testing import PlatformContract

EXAMPLE = plain_irc()
ADAPTER, PROTOCOL = "adapter.py", "protocol.py"
LOOKUP = "__import__('socket').getaddrinfo('127.0.0.1', 6667)"
INFO = "    async def get_chat_info"
USE = "        self._use(connection)\n        self._task"
DISCONNECT = "        task, self._task = self._task, None"
OPEN = "        host, port = settings.address"


class Irc(PlatformContract):
    plugin = EXAMPLE.name
    transport = IrcTransport


class HastyIrc(Irc):
    patience = 0.5


@pytest.fixture
def leaks() -> Generator[None]:
    """Collect only the garbage of a mutant; a full collection takes half a second late in a run."""
    gc.freeze()
    yield
    gc.collect()


def leaky(test: Callable[..., None]) -> Callable[..., None]:
    """Mark a test whose mutant may leave a connection open, which causes another warning when it is collected."""
    ignored = pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
    return ignored(pytest.mark.usefixtures("leaks")(test))


class HastyPigeon(PlatformContract):
    plugin = "pigeon"
    transport = PigeonTransport
    patience = 0.5


def method(definition: str, body: str) -> str:
    """Return the source of a further method of the adapter."""
    return f"    async def {definition}:\n        {body}\n\n{INFO}"


MUTANTS = [
    Mutant("HS901", "kind: platform", "kind: exclusive", "plugin.yaml"),
    Mutant("HS902", 'name="plain_irc"', 'name="Plain_IRC"'),
    Mutant("HS903", 'emoji="💬"', "emoji=str(__import__('time').time_ns())"),
    Mutant("HS904", "lambda: True,", f"lambda: bool({LOOKUP}),"),
    Mutant("HS905", "Settings.read(config.extra).server", "config.extra['server']"),
    Mutant("HS906", "env_enablement_fn=Settings.from_environment", "env_enablement_fn=lambda: None"),
    Mutant("HS953", 'text("channels")', 'text("rooms")', "settings.py", ("HS935", "HS936", "HS944")),
    Mutant("HS907", "        is_connected=_is_complete,\n", ""),
    Mutant("HS908", 'Platform("plain_irc")', 'Platform("local")', ADAPTER),
    Mutant(
        "HS909",
        "adapter_factory=IrcAdapter",
        "adapter_factory=lambda config, made=[]: (made or [made.append(IrcAdapter(config))]) and made[0]",
    ),
    Mutant(
        "HS910",
        "        self._connection: Connection",
        f"        {LOOKUP}\n        self._connection: Connection",
        ADAPTER,
    ),
    Mutant("HS911", "is_reconnect: bool = False, **kwargs: Any", "is_reconnect: bool = False", ADAPTER),
    Mutant("HS912", INFO, method("send_clarify(self, chat_id, question)", "return None"), ADAPTER),
    Mutant("HS913", "        return True\n", "        return 1\n", ADAPTER),
    Mutant("HS914", "        if task is not None:", "        assert task is not None\n        if task:", ADAPTER),
    Mutant("HS915", DISCONNECT, DISCONNECT + "\n        self._settings = Settings()", ADAPTER),
    Mutant(
        "HS916",
        "        except (OSError, Refused) as error:\n            self",
        "        except Refused as error:\n            self",
        ADAPTER,
    ),
    Mutant("HS917", "retryable=not refused", "retryable=True", ADAPTER),
    Mutant("HS918", "connection = await self._reopen()", "connection = None", ADAPTER, ("HS938",)),
    Mutant(
        "HS919",
        "            await connection.close()",
        "            self._lost = connection\n            connection._settle(OSError())",
        ADAPTER,
        ("HS938",),
    ),
    Mutant("HS920", USE, "        self._beat = asyncio.create_task(asyncio.Event().wait())\n" + USE, ADAPTER),
    Mutant(
        "HS921",
        "            task.cancel()\n            await asyncio.wait([task])",
        "            if self.is_connected:\n                task.cancel()\n                await asyncio.wait([task])",
        ADAPTER,
    ),
    Mutant(
        "HS922",
        "        except (OSError, Refused) as error:\n            self",
        "        except (OSError, Refused, asyncio.CancelledError) as error:\n            self",
        ADAPTER,
    ),
    Mutant(
        "HS923",
        "        while line := await self.read():",
        "        __import__('select').select([self._writer.get_extra_info('socket')], [], [], 0.6)\n        while line := await self.read():",
        PROTOCOL,
    ),
    Mutant("HS943", 'if text.startswith("\\1")', 'if text.startswith(("\\1", "from a person"))', ADAPTER),
    Mutant(
        "HS924",
        "        return SendResult(success=True)",
        "        return SendResult(success=True, message_id=1)",
        ADAPTER,
    ),
    Mutant("HS925", 'line.encode()[:room].decode("utf-8", "ignore")', "line[:room]", PROTOCOL),
    Mutant(
        "HS926",
        "        await connection.say(chat_id, piece)",
        "        connection.target = chat_id\n        await asyncio.sleep(0)\n        await connection.say(connection.target, piece)",
        ADAPTER,
    ),
    Mutant(
        "HS927",
        "    for piece in split(content, ROOM):",
        "    list(split(content, ROOM))[0]\n    for piece in split(content, ROOM):",
        ADAPTER,
    ),
    Mutant("HS928", r'r"[\0\1\r\n]+"', r'r"\0"', PROTOCOL),
    Mutant(
        "HS929",
        "            return SendResult(success=False, error=str(error))",
        "            return SendResult(success=False, error=str(error), retryable=True)",
        ADAPTER,
    ),
    Mutant("HS930", ', error="IRC is not connected", retryable=True', ', error="IRC is not connected"', ADAPTER),
    Mutant("HS931", "the message may have arrived", "Broken pipe", ADAPTER),
    Mutant("HS932", INFO, method("send_typing(self, chat_id, metadata=None)", "assert self._connection"), ADAPTER),
    Mutant("HS933", 'else "dm"}', 'else "private"}', ADAPTER),
    Mutant("HS934", '{"success": True, "chat_id": chat_id}', '{"sent": True, "chat_id": chat_id}', ADAPTER),
    Mutant("HS935", '"group" if is_channel else "dm",', '"room" if is_channel else "dm",', ADAPTER),
    Mutant("HS936", "chat_id=target if is_channel else line.nick", "chat_id=target", ADAPTER, ("HS942",)),
    Mutant("HS944", " or line.nick == connection.nick", "", ADAPTER),
    Mutant(
        "HS937",
        '        if text.startswith("\\1")',
        '        assert len(text) < 250\n        if text.startswith("\\1")',
        ADAPTER,
    ),
    Mutant("HS938", "        except ValueError as error:", "        except KeyError as error:", PROTOCOL),
    Mutant("HS939", 'told = f"', 'told = f"{self._settings.password}@', ADAPTER),
    Mutant("HS940", USE, "        open('irc.log', 'w').close()\n" + USE, ADAPTER),
    Mutant(
        "HS941",
        OPEN,
        OPEN
        + "\n        with contextlib.suppress(OSError):\n            __import__('socket').getaddrinfo('example.com', 443)",
        PROTOCOL,
    ),
    Mutant("HS942", INFO, method("on_processing_start(self, event)", "raise ValueError(event.text)"), ADAPTER),
]


OVER_HTTP = [
    Mutant(
        "HS918",
        "            except (httpx.HTTPError, ValueError, KeyError, TypeError):\n                self",
        "            except ValueError:\n                self",
    ),
    Mutant("HS925", "LIMIT, utf16_len)", "LIMIT)"),
    Mutant(
        "HS931", "except (httpx.ConnectError, httpx.ConnectTimeout) as error", "except httpx.TransportError as error"
    ),
    Mutant(
        "HS932",
        "        with contextlib.suppress(httpx.HTTPError):\n            await",
        "        if chat_id:\n            await",
    ),
    Mutant("HS918", "wait=30 if self.is_connected else 0", "wait=30"),
]
"""Mistakes in an adapter that has no permanent connection, and that counts in UTF-16 code units."""


def test_example_passes_every_rule():
    assert find_broken_rules(Irc, EXAMPLE.parent) == {}


def test_every_rule_has_a_mutant():
    assert [mutant.code for mutant in MUTANTS] == list_codes(Irc)


@leaky
@pytest.mark.parametrize("mutant", every_third(MUTANTS), ids=lambda mutant: mutant.code)
def test_mutant_breaks_its_rule(mutant: Mutant, tmp_path: Path):
    copy_mutant(EXAMPLE, mutant, tmp_path)
    assert list(find_broken_rules(HastyIrc, tmp_path, only=mutant.code)) == [mutant.code]


def test_platform_with_scheduled_delivery_needs_a_standalone_sender(tmp_path: Path):
    copy_mutant(EXAMPLE, Mutant("HS934", "        standalone_sender_fn=send_once,\n", ""), tmp_path)
    told = "it has cron_deliver_env_var, but no standalone_sender_fn, so only a running gateway can deliver"
    assert find_broken_rules(HastyIrc, tmp_path, only="HS934") == {"HS934": told}


@leaky
def test_unread_variable_is_shown_with_lines_that_read_others(tmp_path: Path):
    copy_mutant(EXAMPLE, Mutant("HS953", 'text("tls", "true").lower() in _TRUE', "False", "settings.py"), tmp_path)
    told = find_broken_rules(HastyIrc, tmp_path, only="HS953")["HS953"]
    assert told == (
        "nothing reads PLAIN_IRC_TLS, which the suite sets. Read it where the plugin reads its variables at "
        "plain_irc/settings.py:44, plain_irc/settings.py:51, pass its name to register_platform at "
        "plain_irc/__init__.py:22, or do not set it"
    )


class Scheduled(HastyIrc):
    environment: ClassVar = {"PLAIN_IRC_HOME_CHAT": "#room", "PLAIN_IRC_ALLOWED_USERS": "ann", "IRC_COLOUR": "red"}


def test_variable_named_in_register_platform_need_not_be_read(tmp_path: Path):
    (tmp_path / EXAMPLE.name).symlink_to(EXAMPLE)
    assert find_broken_rules(Scheduled, tmp_path, only="HS953") == {}


@leaky
@pytest.mark.parametrize("option", ["cron_deliver_env_var", "allowed_users_env"])
def test_host_variable_must_be_named_in_register_platform(option: str, tmp_path: Path):
    copy_mutant(EXAMPLE, Mutant("HS953", f"        {option}=", f"        # {option}="), tmp_path)
    assert "nothing reads PLAIN_IRC_" in find_broken_rules(Scheduled, tmp_path, only="HS953")["HS953"]


LAZY = """\
    async def connect(self, *, is_reconnect: bool = False, **kwargs: Any) -> bool:
        __import__("os").environ.get("PLAIN_IRC_" + "COLOUR")
"""


class Colourful(HastyIrc):
    environment: ClassVar = {"PLAIN_IRC_COLOUR": "red"}


def test_variable_may_be_read_in_connect(tmp_path: Path):
    connects = LAZY.splitlines(keepends=True)[0]
    copy_mutant(EXAMPLE, Mutant("HS953", connects, LAZY, ADAPTER), tmp_path)
    assert find_broken_rules(Colourful, tmp_path, only="HS953") == {}


def test_variable_in_a_string_literal_may_be_read_at_any_time(tmp_path: Path):
    late = method("send_typing(self, chat_id, metadata=None)", "print(__import__('os').environ['PLAIN_IRC_COLOUR'])")
    copy_mutant(EXAMPLE, Mutant("HS953", INFO, late, ADAPTER), tmp_path)
    assert find_broken_rules(Colourful, tmp_path, only="HS953") == {}


@leaky
@pytest.mark.parametrize("mutant", OVER_HTTP, ids=lambda mutant: mutant.code)
def test_http_mutant_breaks_its_rule(mutant: Mutant, tmp_path: Path):
    copy_mutant(EXAMPLES / "pigeon", mutant, tmp_path)
    assert list(find_broken_rules(HastyPigeon, tmp_path, only=mutant.code)) == [mutant.code]


@leaky
@pytest.mark.slow
@pytest.mark.parametrize("mutant", MUTANTS, ids=lambda mutant: mutant.code)
def test_mutant_breaks_no_other_rule(mutant: Mutant, tmp_path: Path):
    copy_mutant(EXAMPLE, mutant, tmp_path)
    found = find_broken_rules(Irc, tmp_path)
    assert list(found) == [mutant.code, *mutant.also], found
