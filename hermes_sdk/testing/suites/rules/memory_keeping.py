"""HS818, HS819, HS843 to HS856, and HS946: storing and recalling turns, and events, of memory providers."""

from __future__ import annotations

import contextlib
import copy
import inspect
import threading
from collections.abc import Callable, Iterator
from difflib import get_close_matches
from functools import partial
from typing import Any

from . import loading
from .base import Broken, NotApplicable, SuiteRules, demand
from .lab import demand_text, format_place, overridden
from .memory_lab import BASE, DEAF, MESSAGES, SILENT, Lab
from .values import TEXTS

RULES = SuiteRules()
rule = RULES.rule


@rule("HS818", "No turn is stored, or nothing stored is recalled; the agent has only its built-in memory.")
def it_stores_and_recalls_turns(test: Lab) -> None:
    """The host calls sync_turn after a turn and prefetch before one; those of MemoryProvider do nothing."""
    provider = test.provider()
    lacking = [name for name in ("sync_turn", "prefetch") if not overridden(provider, name, BASE)]
    told = f"{type(provider).__name__}{format_place(type(provider))} does not override"
    demand(not lacking, f"{told} {' and '.join(lacking)}{''.join(map(partial(_find_misspelt, provider), lacking))}")


def _find_misspelt(provider: Any, name: str) -> str:
    """Suggest renaming a method of the provider with a similar name; empty if there is none."""
    close = get_close_matches(name, vars(type(provider)), n=1, cutoff=0.8)
    return f"; rename {close[0]}(){format_place(vars(type(provider))[close[0]])} to {name}" if close else ""


@rule("HS843", "It drops values that are not text; a changing text invalidates the model's prompt cache.")
def the_system_prompt_stays_the_same(test: Lab) -> None:
    """The system prompt is sent with each request, and is cached as long as it does not change."""
    provider = test.start()
    first = demand_text(provider.system_prompt_block(), "system_prompt_block()")
    demand(provider.system_prompt_block() == first, "system_prompt_block() returned another text when called again")


@rule("HS844", "It drops values that are not text.")
def prefetch_returns_text(test: Lab) -> None:
    """In a new home there is nothing to recall, so the text is empty."""
    demand_text(test.start().prefetch("Is there anything?", session_id=""), "prefetch()")


@rule("HS845", f"{SILENT}; such a turn runs without memory.")
def prefetch_accepts_any_message(test: Lab) -> None:
    """The user's message is not a query: it contains quotes, operators and characters of every kind."""
    provider = test.start()
    for text in TEXTS:
        demand_text(provider.prefetch(text, session_id=""), f"prefetch({text[:40]!r})")


@rule("HS846", "Nothing is added to the user message, although there is something to recall.")
def it_recalls_without_a_session_id(test: Lab) -> None:
    """The host passes an empty session_id to prefetch."""
    provider = test.start()
    test.demand_remembers(provider)
    test.store_turn(provider)
    test.demand_recalled(provider, "a turn of this session is not recalled with session_id=''", session="")


@rule("HS847", f"{SILENT}; the turn is not stored.")
def it_saves_any_message(test: Lab) -> None:
    """Turns contain code, pastes of every length, and empty text."""
    provider = test.start()
    for text in TEXTS:
        provider.sync_turn(text, text, session_id="first")


@rule("HS848", "The agent does not know what the user said before.")
def it_recalls_what_was_said(test: Lab) -> None:
    """A stored turn is recalled in the same session."""
    provider = test.start()
    test.demand_remembers(provider)
    test.store_turn(provider)
    test.demand_recalled(provider, "a turn of this session is not recalled")


@rule("HS849", "Everything that was stored is lost when Hermes restarts.")
def it_recalls_after_a_restart(test: Lab) -> None:
    """The next process recalls turns that were stored before the shutdown, in another session."""
    provider = test.start("first")
    test.demand_remembers(provider)
    test.store_turn(provider)
    provider.on_session_end(copy.deepcopy(MESSAGES))
    provider.shutdown()
    loading.forget()
    test.demand_recalled(test.start("second"), "a turn is not recalled after a restart", session="second")


@rule("HS850", "One profile of the user recalls what was said in another.")
def homes_are_kept_apart(test: Lab) -> None:
    """Each profile has its own home; hermes_home is the home of the session."""
    module = test.load()
    provider = test.start(module=module)
    test.demand_remembers(provider)
    test.store_turn(provider)
    with contextlib.suppress(Broken):
        test.demand_recalled(provider, "")
    other = test.start("other", home=test.folder(), module=module)
    found = other.prefetch(test.settings["question"], session_id="other")
    demand(test.settings["answer"] not in (found or ""), "a turn of one home is recalled in another")


@rule("HS851", f"{SILENT}; turns of concurrent chats are lost.")
def sessions_run_side_by_side(test: Lab) -> None:
    """The gateway has a provider for each chat, in one process, and the end of a chat does not affect the others."""
    module = test.load()
    first = test.provider(module)
    test.demand_remembers(first)
    if first is test.provider(module):
        raise NotApplicable("all sessions share one object; see HS824")
    barrier = threading.Barrier(2)
    failed: list[BaseException] = []

    def session(name: str) -> None:
        try:
            provider = test.start(name, module=module)
            barrier.wait()
            for number in range(5):
                provider.sync_turn(f"turn {number} of {name}", "noted", session_id=name)
            barrier.wait()
            if name == "right":
                provider.shutdown()
            barrier.wait()
            if name == "left":
                test.store_turn(provider, name)
                test.demand_recalled(provider, "after the end of another session a turn is not recalled", session=name)
                provider.shutdown()
        except Exception as error:
            failed.append(error)
            barrier.abort()

    threads = [threading.Thread(target=session, args=(name,), daemon=True) for name in ("left", "right")]
    for thread in threads:
        thread.start()
    try:
        for thread in threads:
            thread.join()
    finally:
        barrier.abort()
    real = [error for error in failed if not isinstance(error, threading.BrokenBarrierError)]
    if real:
        raise real[0]


@rule("HS819", "Conversations recall what no user said, and subagents fill the memory.")
def it_stores_only_conversations(test: Lab) -> None:
    """agent_context is "primary" for an agent that a user talks to. The messages of other agents ("subagent", "cron"
    and "flush") are not conversations."""
    test.demand_remembers(test.provider())
    for context in ("subagent", "cron", "flush"):
        home = test.folder()
        provider = test.start("first", home=home, agent_context=context)
        test.store_turn(provider)
        provider.on_memory_write("add", "user", test.settings["turn"][0])
        provider.shutdown()
        found = test.start("second", home=home).prefetch(test.settings["question"], session_id="second")
        demand(
            test.settings["answer"] not in (found or ""),
            f"a session recalls a turn with agent_context={context!r}",
        )


@rule("HS946", "Turns are stored under the session that the user left.")
def it_follows_a_session_switch(test: Lab) -> None:
    """/new, /resume, /branch and compression continue with another session ID, which the host passes to
    on_session_switch; it does not start the provider again."""
    left, came = "the-session-that-was-left", "the-session-that-came"
    provider = test.start(left)
    held = [name for name, value in getattr(provider, "__dict__", {}).items() if value == left]
    if not held:
        raise NotApplicable("it stores no session ID")
    provider.on_session_switch(came, parent_session_id=left, reset=True, reason="new_session")
    old = [name for name in held if getattr(provider, name) == left]
    demand(not old, f"after on_session_switch({came!r}) its {', '.join(old)} is still the former session ID")


@rule("HS852", f"{SILENT}; nothing is recalled and nothing stored.")
def it_works_on_the_host_threads(test: Lab) -> None:
    """The host starts a provider on one thread, recalls on a second, and stores turns on a third."""
    provider = test.start()
    raised: list[Exception] = []

    def on_a_thread(work: Callable[[], Any]) -> None:
        def guard() -> None:
            try:
                work()
            except Exception as error:
                raised.append(error)

        thread = threading.Thread(target=guard, daemon=True)
        thread.start()
        thread.join()

    on_a_thread(lambda: provider.prefetch("anything", session_id=""))
    on_a_thread(lambda: provider.sync_turn("said", "answered", session_id="first"))
    on_a_thread(lambda: provider.queue_prefetch("anything", session_id="first"))
    if raised:
        raise Broken(f"on another thread it raised {type(raised[0]).__name__}: {raised[0]}")


@rule("HS853", "The model receives, and the session store keeps, a conversation that the provider modified.")
def it_does_not_change_the_conversation(test: Lab) -> None:
    """The host continues to use the lists that it passes."""
    provider = test.start()
    for method, call in _with_messages(provider):
        given = copy.deepcopy(MESSAGES)
        with contextlib.suppress(Exception):
            call(given)
        demand(given == MESSAGES, f"{method} modified the messages")


@rule("HS854", f"{SILENT}; conversations with tools or images are not stored.")
def it_accepts_messages_of_every_form(test: Lab) -> None:
    """The content of a message is text, a list of parts, or None where the model called a tool."""
    for _, call in _with_messages(test.start()):
        call(copy.deepcopy(MESSAGES))


def _with_messages(provider: Any) -> Iterator[tuple[str, Callable[[list[dict[str, Any]]], Any]]]:
    yield "on_pre_compress", provider.on_pre_compress
    parameters = inspect.signature(provider.sync_turn).parameters
    if "messages" in parameters or any(one.kind is one.VAR_KEYWORD for one in parameters.values()):
        yield "sync_turn", lambda messages: provider.sync_turn("said", "done", session_id="first", messages=messages)
    yield "on_session_end", provider.on_session_end


@rule("HS855", DEAF)
def it_handles_the_events_of_a_session(test: Lab) -> None:
    """The host reports turns, delegated tasks, writes of its own tool memory, and session switches."""
    provider = test.start()
    provider.on_turn_start(1, "Hello")
    provider.on_turn_start(2, "Hello", remaining_tokens=1000, model="m", platform="cli", tool_count=3)
    provider.on_delegation("a task", "its result", child_session_id="child")
    for action in ("add", "replace", "remove"):
        provider.on_memory_write(action, "user" if action == "add" else "memory", "")
    provider.on_session_switch("second", parent_session_id="first", reset=True, reason="new_session")
    provider.on_session_switch("third", parent_session_id="", reset=False)


@rule("HS856", "Every summary of a long conversation fails, or lacks what the provider wanted to keep.")
def on_pre_compress_returns_text(test: Lab) -> None:
    """The returned text becomes part of the summary of the conversation."""
    demand_text(test.start().on_pre_compress([]), "on_pre_compress()")
