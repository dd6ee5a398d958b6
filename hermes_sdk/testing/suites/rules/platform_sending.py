"""HS924 to HS934, and HS943: sending messages."""

from __future__ import annotations

import asyncio
import functools
import inspect
from typing import Any

from . import platform_lab
from .base import Broken, NotApplicable, SuiteRules, demand
from .lab import format_place, overridden
from .platform_lab import BASE, MOMENT, Lab, demand_result, tries_again
from .values import TEXTS

RULES = SuiteRules()
rule = functools.partial(platform_lab.rule, RULES)

CHATS = ("dm", "group", "channel")
_INJECTIONS = (
    "one\r\nQUIT\r\nPRIVMSG x :y",
    "one\n.\nQUIT\n",
    'one"}\x00{"a": "',
    "\x01VERSION\x01",
    "--\r\n\r\nGET / HTTP/1.1",
)
_MESSAGES = 5
_WORDS = 600


@rule("HS943", "The agent cannot talk to anybody on the platform.")
async def it_sends_and_receives(test: Lab) -> None:
    """A platform passes messages in both directions, which a suite can test only with a transport."""
    try:
        async with test.connect() as adapter:
            await test.demand_sent(adapter, "to a person", "after connect()")
            await test.demand_heard(adapter, "from a person", "after connect()")
    except NotApplicable as lacking:
        raise Broken(f"neither sending nor receiving can be tested: {lacking}") from lacking


@rule("HS924", "The gateway assumes that the message was lost and resends it, or does not notice that it was.")
async def what_it_sends_arrives(test: Lab) -> None:
    """send returns a SendResult, and the text is in the chat once."""
    async with test.connect() as adapter:
        result = await adapter.send(test.far.chat, "good morning")
        demand_result(result, "send()")
        demand(result.success, f"send() failed: {result.error}")
        known = result.message_id is None or isinstance(result.message_id, str)
        demand(known, f"its message_id is {result.message_id!r}, which is not text")
        await test.becomes(lambda: test.far.texts(test.far.chat))
        arrived = test.far.texts(test.far.chat)
        demand(arrived == ["good morning"], f"'good morning' arrived as {arrived!r:.200}")


@rule("HS925", "The rest of a long answer is missing, or all of it is rejected.")
async def long_texts_arrive_whole(test: Lab) -> None:
    """The platform has a limit in its own unit: characters, UTF-16, or bytes; an adapter cuts between characters."""
    for text in (" ".join(f"word{number}" for number in range(_WORDS)), "🦄" * _WORDS * 4, "ж" * _WORDS * 8):
        async with test.connect() as adapter:
            seen = len(test.far.ask("received"))
            result = await adapter.send(test.far.chat, text)
            demand_result(result, "send() of a long text")
            demand(result.success, f"send() of {len(text)} characters failed: {result.error}")
            await test.becomes(functools.partial(_is_whole, test, seen, text))
            _demand_whole(test, test.far.ask("received")[seen:], text)


def _is_whole(test: Lab, seen: int, text: str) -> bool:
    return _count_missing(test.far.ask("received")[seen:], text) == 0


def _count_missing(pieces: list[tuple[str, str, int]], text: str) -> int:
    """Return how many words, or characters of a text without spaces, are missing."""
    found = "".join(one for _, one, _ in pieces)
    if " " not in text:
        return len(text) - found.count(text[0])
    left, lacking = found, 0
    for word in text.split():
        _, here, rest = left.partition(word)
        left, lacking = (rest, lacking) if here else (left, lacking + 1)
    return lacking


def _demand_whole(test: Lab, pieces: list[tuple[str, str, int]], text: str) -> None:
    longest, limit = max((size for _, _, size in pieces), default=0), test.far.limit
    demand(not limit or longest <= limit, f"a message has {longest}, and the limit is {limit}")
    lacking = _count_missing(pieces, text)
    demand(not lacking, f"of {text[:12]!r}… {lacking} are missing or out of order in {len(pieces)} messages")


@rule("HS926", "People read messages that were meant for others.")
async def chats_run_side_by_side(test: Lab) -> None:
    """The gateway sends to several chats at the same time; each chat keeps the order of its messages."""
    chats = test.far.chats
    if len(chats) < 2:
        raise NotApplicable("the suite's transport has only one chat")

    async def talk(adapter: Any, chat: str) -> None:
        for number in range(_MESSAGES):
            result = await adapter.send(chat, f"{number} for {chat}")
            demand(result.success, f"send() to {chat} failed: {result.error}")

    async with test.connect() as adapter:
        await asyncio.gather(*(talk(adapter, chat) for chat in chats))
        await test.becomes(lambda: len(test.far.ask("received")) >= _MESSAGES * len(chats))
        for chat in chats:
            wanted, arrived = [f"{number} for {chat}" for number in range(_MESSAGES)], test.far.texts(chat)
            demand(arrived == wanted, f"{chat} received {arrived} instead of {wanted}")


@rule("HS927", "The turn ends with an exception, and the user gets no message.")
async def an_empty_text_is_harmless(test: Lab) -> None:
    """Models sometimes return empty answers, and hooks remove texts."""
    async with test.connect() as adapter:
        for text in ("", " ", "\n\n"):
            demand_result(await adapter.send(test.far.chat, text), f"send({text!r})")
        await test.demand_sent(adapter, "something", "after an empty text")


@rule("HS928", "The model's text becomes a protocol command, or closes the connection.")
async def it_sends_texts_of_every_kind(test: Lab) -> None:
    """Texts of the model contain line breaks, control characters, quotes, and half of a surrogate pair."""
    async with test.connect() as adapter:
        for text in (*filter(str.strip, TEXTS), *_INJECTIONS):
            demand_result(await adapter.send(test.far.chat, text), f"send({text[:40]!r})")
            await test.demand_sent(adapter, "something", f"after {text[:40]!r}")


@rule("HS929", "The gateway resends the message endlessly, or assumes that it arrived.")
async def a_missing_chat_is_not_retried(test: Lab) -> None:
    """The server rejects the message again on a retry, so the result has success=False, retryable=False and an error
    text."""
    if not test.far.nowhere:
        raise NotApplicable("the transport of the suite does not set `nowhere`")
    async with test.connect() as adapter:
        result = await adapter.send(test.far.nowhere, "anybody there?")
        demand_result(result, "send() to a chat that does not exist")
        demand(not result.success, "send() to a chat that does not exist reports success")
        demand(not tries_again(result), f"the host sends the message again, because of {_format_error(result)}")


@rule("HS930", "The answer is lost, although it could be resent.")
async def an_unsent_message_can_be_retried(test: Lab) -> None:
    """In an outage, send returns success=False and retryable=True, and the host tries twice more."""
    async with test.connect() as adapter:
        test.far.ask("refuse")
        await test.becomes(lambda: not adapter.is_connected, MOMENT)
        result = await adapter.send(test.far.chat, "anybody there?")
        demand_result(result, "send() in an outage")
        demand(not result.success, "send() during an outage reports success")
        demand(tries_again(result), f"the host does not try again: {_format_error(result)}")


@rule("HS931", "People read the same answer up to three times.")
async def a_message_that_may_have_arrived_is_not_retried(test: Lab) -> None:
    """If the connection ends after the message was sent, its delivery is unknown: retryable=False, and an error that
    the host does not treat as a failure to connect."""
    async with test.connect() as adapter:
        test.far.ask("lose_answers")
        result = await adapter.send(test.far.chat, "only once")
        demand_result(result, "send() whose confirmation was lost")
        again = not result.success and tries_again(result)
        demand(not again, f"the host sends the message again, because of {_format_error(result)}")
        await test.becomes(lambda: test.far.texts(test.far.chat), MOMENT)
        arrived = test.far.texts(test.far.chat)
        demand(len(arrived) <= 1, f"it sent the message {len(arrived)} times")


def _format_error(result: Any) -> str:
    return f"retryable={result.retryable}, error={result.error!r}"


_EXTRAS: dict[str, tuple[Any, ...]] = {
    "send_typing": (),
    "stop_typing": (),
    "edit_message": ("m1", "text"),
    "delete_message": ("m1",),
    "send_image": ("https://localhost/a.png",),
    "send_private_notice": ("u1", "text"),
}
"""Methods that the host calls in addition to `send`, with their arguments after the chat."""


@rule("HS932", "A successful turn ends with an exception, or the typing indicator stays on.")
async def extras_fail_quietly(test: Lab) -> None:
    """Typing indicators, edits and pictures are useless in an outage, so they must not raise an exception."""
    async with test.connect() as adapter:
        own = [name for name in _EXTRAS if overridden(adapter, name, BASE)]
        if not own:
            raise NotApplicable("the adapter does not override it")
        test.far.ask("refuse")
        await test.becomes(lambda: not adapter.is_connected, MOMENT)
        for name in own:
            try:
                await getattr(adapter, name)(test.far.chat, *_EXTRAS[name])
            except Exception as error:
                raise Broken(f"{name} raised {type(error).__name__} during an outage: {error}") from error


@rule("HS933", "The gateway cannot name the chat, or treats a group as a private chat.")
async def it_describes_a_chat(test: Lab) -> None:
    """get_chat_info returns a mapping with a name and a type, including for unknown chats and in an outage."""
    adapter = test.adapter()
    demand_info(await adapter.get_chat_info("nobody-knows-it"), "nobody-knows-it")
    async with test.connect() as adapter:
        for chat in test.far.chats:
            demand_info(await adapter.get_chat_info(chat), chat)


def demand_info(info: Any, chat: str) -> None:
    """Raise `Broken` unless the description of a chat is valid."""
    said = f"get_chat_info({chat!r}) returned {info!r:.200}"
    demand(isinstance(info, dict) and isinstance(info.get("name"), str), f"{said}, which has no name")
    demand(info.get("type") in CHATS, f"{said}; type is one of {', '.join(CHATS)}")


@rule("HS934", "Scheduled jobs and `hermes send` report 'Plugin standalone send failed', or an invalid result.")
async def it_sends_without_a_gateway(test: Lab) -> None:
    """standalone_sender_fn connects, sends and disconnects itself, and returns a mapping with success or error."""
    entry = test.entry()
    send = entry.get("standalone_sender_fn")
    if send is None:
        told = "it has cron_deliver_env_var, but no standalone_sender_fn, so only a running gateway can deliver"
        demand(not entry.get("cron_deliver_env_var"), told)
        raise NotApplicable("it has no standalone_sender_fn")
    options: dict[str, Any] = {"thread_id": None, "media_files": [], "force_document": False}
    try:
        inspect.signature(send).bind(None, "chat", "text", **options)
    except TypeError as error:
        raise Broken(
            f"standalone_sender_fn{format_place(send)} does not accept what the host passes: {error}"
        ) from None
    config, far = test.config(entry), test.far
    before = asyncio.all_tasks()
    answer = await send(config, far.chat, "by the way", **options)
    demand(isinstance(answer, dict) and answer.get("success"), f"it returned {answer!r:.200}")
    demand(await test.becomes(lambda: "by the way" in far.texts(far.chat)), "the message did not arrive")
    await test.demand_tasks_ended(before, "after it")
    far.ask("refuse")
    answer = await send(config, far.chat, "by the way", **options)
    demand(isinstance(answer, dict) and answer.get("error"), f"during an outage it returned {answer!r:.200}")
