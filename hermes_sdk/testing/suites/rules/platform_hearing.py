"""HS935 to HS942, and HS944: receiving messages, and privacy."""

from __future__ import annotations

import contextlib
import functools
import time
from collections.abc import Callable
from typing import Any

from . import platform_lab
from .base import Blocked, NotApplicable, SuiteRules, demand, demand_nothing_swallowed
from .platform_lab import FarEnd, Lab
from .platform_starting import CHATS
from .values import TEXTS
from .watching import capture_log, demand_no_secret, list_files, record_addresses

RULES = SuiteRules()
rule = functools.partial(platform_lab.rule, RULES)


@rule("HS935", "Nobody or the wrong person gets an answer, or allowed users and sessions are mixed up.")
async def it_receives_messages(test: Lab) -> None:
    """handle_message gets a MessageEvent with the text, and a source from build_source with the chat, its type and the
    sender; IDs are text."""
    async with test.connect() as adapter:
        for number, chat in enumerate(test.far.chats or [test.far.chat]):
            event = await test.demand_heard(adapter, f"question {number}", "after connect()", chat)
            _demand_source(event.source)
            right = event.message_id is None or isinstance(event.message_id, str)
            demand(right, f"the message_id {event.message_id!r} is not text")


def _demand_source(source: Any) -> None:
    demand(source is not None, "the event has no source; make one with self.build_source")
    demand(source.chat_type in CHATS, f"chat_type is {source.chat_type!r}, not one of {', '.join(CHATS)}")
    demand(
        isinstance(source.user_id, str) and source.user_id, f"user_id is {source.user_id!r}, so the sender is unknown"
    )
    demand(isinstance(source.chat_id, str) and source.chat_id, f"chat_id is {source.chat_id!r}")


@rule("HS936", "The answer goes to the wrong chat, or to the agent itself.")
async def an_answer_goes_to_the_chat_of_the_question(test: Lab) -> None:
    """The gateway sends to source.chat_id."""
    async with test.connect() as adapter:
        for chat in test.far.chats or [test.far.chat]:
            event = await test.demand_heard(adapter, f"a question in {chat}", "after connect()", chat)
            answer, where = f"an answer to {chat}", event.source.chat_id
            result = await adapter.send(where, answer)
            demand(result.success, f"a question from {chat} cannot be answered in {where!r}: {result.error}")
            await test.demand_arrived(answer, f"a question from {chat} was answered in {where!r}", chat)


@rule("HS944", "The agent answers itself, again and again, until somebody stops the gateway.")
async def it_ignores_its_own_messages(test: Lab) -> None:
    """Many services also send a client its own messages; pass only those of others to handle_message."""
    async with test.connect() as adapter:
        for number, chat in enumerate(test.far.chats):
            test.far.ask("echo", chat, f"own words {number}")
            await test.demand_heard(adapter, f"question {number}", "after a message of the agent", chat)
        own = [event.text for event in adapter.heard if "own words" in (event.text or "")]
        demand(not own, f"handle_message got {own[:1]}, which the agent itself wrote")


@rule("HS937", "Anybody who writes to the agent can stop it from receiving messages.")
async def it_receives_texts_of_every_kind(test: Lab) -> None:
    """Messages of people can have any length and contain any characters."""
    async with test.connect() as adapter:
        for text in TEXTS:
            plain = "".join(one for one in text if one.isprintable())[:300]
            if plain.strip():
                test.far.ask("deliver", test.far.chat, plain)
        await test.demand_heard(adapter, "are you there?", "after odd texts")


@rule("HS938", "The adapter receives nothing from then on, and the gateway does not notice.")
async def it_survives_invalid_data(test: Lab) -> None:
    """Servers send errors in another format, proxies send pages, and people send bytes that are not UTF-8."""
    async with test.connect() as adapter:
        await test.demand_heard(adapter, "before", "after connect()")
        test.far.ask("rubbish")
        await test.demand_hears_again(adapter, "after invalid data from the server")


async def _exercise(test: Lab) -> list[str]:
    """Use each feature of an adapter, with and without faults; return its error messages."""
    said: list[Any] = []
    adapter = test.adapter()
    said.append(adapter.fatal_error_message)
    with contextlib.suppress(NotApplicable):
        async with test.connect() as adapter:
            said.append((await adapter.send(test.far.chat, "hello")).error)
            test.far.ask("deliver", test.far.chat, "hello")
            await test.becomes(lambda: adapter.heard, platform_lab.MOMENT)
    for fault in ("refuse", "forbid"):
        with contextlib.suppress(NotApplicable):
            test.far.ask(fault)
            adapter = test.adapter()
            with contextlib.suppress(Exception):
                await platform_lab.connects(test, adapter)
                said.append((await adapter.send(test.far.chat, "hello")).error)
            said.append(adapter.fatal_error_message)
            await platform_lab.end(adapter)
            test.far.ask("accept")
    return [str(one) for one in said if one]


@rule("HS939", "The token is exposed: many people read logs, and users share them to get help.")
async def it_logs_no_secret(test: Lab) -> None:
    """Neither the log, at any level, nor an error contains a token or a password."""
    if not test.far.secrets:
        raise NotApplicable("the transport of the suite has no secrets")
    with capture_log() as lines:
        said = await _exercise(test)
    demand_no_secret(test.far.secrets, [*lines, *said])


@rule("HS940", "Files end up where backups, other profiles and containers do not find them.")
async def it_writes_only_into_the_home(test: Lab) -> None:
    """Files belong in the directory that get_hermes_home returns; ~/.hermes is the home of only one profile."""
    before = list_files(test.elsewhere)
    assert test.far
    await _exercise(test)
    after = list_files(test.elsewhere)
    changed = sorted(name for name in after if after[name] != before.get(name))
    demand(not changed, f"it wrote {changed[:5]}")


@rule("HS941", "Messages are sent to a third party without the user's knowledge.")
async def it_uses_no_other_network(test: Lab) -> None:
    """An adapter contacts only its platform; if that is not on this machine, the suite sets network = True."""
    if test.settings["network"]:
        raise NotApplicable("the suite sets network = True")
    assert test.far
    with record_addresses() as asked:
        await _exercise(test)
    demand(not asked, f"it contacted {sorted(set(asked))}")


@RULES.rule("HS942", "It swallows the exception; the user gets no answer.", outside=True)
def a_message_is_answered(test: Any) -> None:
    """A message passes through the gateway to the model, and the answer comes back, without a hidden error."""
    if not test.settings["transport"]:
        raise NotApplicable("the suite has no transport")
    far, patience = FarEnd(test.settings["transport"]), test.settings["patience"]
    try:
        test.host.llm.script(_ANSWER)
        with test.host.gateway() as gateway:
            if not gateway.platforms:
                raise Blocked("HS913", "the gateway is connected to no platform")
            far.ask("deliver", far.chat, "Good morning.")
            _wait_until(lambda: any(_ANSWER in one.text for one in gateway.sent), _TURN_LIMIT)
            arrived = _wait_until(lambda: any(_ANSWER in text for text in far.texts(far.chat)), patience)
            gateway.settle()
    finally:
        far.close()
    demand_nothing_swallowed(test.host)
    demand(arrived, f"{_ANSWER!r} did not arrive in {far.chat}")


_ANSWER = "Good evening."
_TURN_LIMIT = 30.0
"""Seconds for the first turn of a real gateway, which imports all dependencies of an agent."""


def _wait_until(what: Callable[[], bool], seconds: float) -> bool:
    end = time.monotonic() + seconds
    while not what():
        if time.monotonic() > end:
            return False
        time.sleep(0.01)
    return True
