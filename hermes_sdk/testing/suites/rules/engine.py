"""HS869 to HS885: requirements on context engines."""

from __future__ import annotations

import contextlib
import copy
import inspect
import json
from collections.abc import Sequence
from typing import Any

from . import lab, tools
from .base import Blocked, NotApplicable, SuiteRules, demand
from .lab import demand_takes_more
from .values import valid
from .watching import list_files, record_addresses

BASE = "ContextEngine"
USAGE = {"prompt_tokens": 1200, "completion_tokens": 34, "total_tokens": 1234}
BUCKETS = ("input_tokens", "output_tokens", "cache_read_tokens", "cache_write_tokens", "reasoning_tokens")
LENGTH = 100_000

RULES = SuiteRules()
rule = RULES.rule


class Lab(lab.Lab):
    """A context engine under test."""

    registration = "HS869"

    def engine(self) -> Any:
        """Return the engine that the plugin registers, with a model."""
        found = self.find_registered("register_context_engine")
        if not found:
            raise Blocked(self.registration, "the plugin registers no context engine")
        with self.before_rule("HS873", "update_model()"):
            model = {"model": "m", "provider": "p", "base_url": "http://127.0.0.1", "api_key": ""}
            found[0].update_model(context_length=LENGTH, **model)
        return found[0]

    def start(self) -> Any:
        """Return an engine in a started conversation."""
        engine = self.engine()
        told = {"hermes_home": str(self.home), "platform": "cli", "model": "m", "context_length": LENGTH}
        with self.before_rule("HS874", "on_session_start()"):
            engine.on_session_start("first", **told, conversation_id=None)
        return engine


def conversation(turns: int) -> list[dict[str, Any]]:
    """Return a conversation in which every turn calls two tools in parallel."""
    messages: list[dict[str, Any]] = [{"role": "system", "content": "You are an agent."}]
    for turn in range(turns):
        calls = [
            {"id": f"c{turn}{part}", "type": "function", "function": {"name": "look", "arguments": "{}"}}
            for part in "ab"
        ]
        messages += [
            {"role": "user", "content": f"Look at part {turn}. {'It is long. ' * 50}"},
            {"role": "assistant", "content": None, "tool_calls": calls},
            *({"role": "tool", "tool_call_id": call["id"], "content": json.dumps({"seen": turn})} for call in calls),
            {"role": "assistant", "content": f"Part {turn} is fine."},
        ]
    return [*messages, {"role": "user", "content": "Sum it up."}]


@rule("HS869", "It warns in the log and uses its own engine.", outside=True)
def the_host_accepts_the_engine(test: Any) -> None:
    """A plugin registers an object of a subclass of agent.context_engine.ContextEngine, and is the first to do so."""
    report = test.host.report(test.settings["key"])
    demand(
        report["context_engine"] is not None, f"the host registered no engine: {report['error'] or report['warnings']}"
    )


@rule("HS870", "It warns that there is no such engine, and uses its own.")
def its_name_selects_it(test: Lab) -> None:
    """context.engine names the engine, not the plugin."""
    name, wanted = test.engine().name, test.settings["engine"]
    demand(
        name == wanted, f"its name is {name!r}, but context.engine is {wanted!r}; set engine = {name!r} in the suite"
    )


@rule("HS871", "It warns in the log and uses its own engine.")
def each_agent_can_have_a_copy(test: Lab) -> None:
    """The host makes a deep copy for each agent; locks and connections cannot be copied."""
    copy.deepcopy(test.engine())


@rule("HS872", "Agents compress their conversations based on the token counts of other agents.")
def each_copy_keeps_its_own_counts(test: Lab) -> None:
    """Each subagent has its own engine, a copy of the engine as it was when it was registered."""
    engine = test.engine()
    try:
        other = copy.deepcopy(engine)
    except Exception as error:
        raise NotApplicable("the engine cannot be copied; see HS871") from error
    before = engine.last_prompt_tokens
    other.update_from_response({**USAGE, "prompt_tokens": before + 7})
    demand(engine.last_prompt_tokens == before, "updating a copy of the engine changes the original")


@rule("HS873", "It compresses far too early or never, because context lengths differ between models.")
def it_follows_a_change_of_model(test: Lab) -> None:
    """The host names the model at the start, and whenever the user chooses another."""
    engine = test.engine()
    for length in (32_000, 1_000_000):
        engine.update_model("m", length, base_url="", api_key="", provider="p", api_mode="chat_completions")
        demand(engine.context_length == length, f"after update_model context_length is {engine.context_length}")
        right = isinstance(engine.threshold_tokens, int) and 0 < engine.threshold_tokens <= length
        demand(right, f"threshold_tokens is {engine.threshold_tokens} in a context of {length}")


@rule("HS874", "Status lines and limits show 0 tokens, and the host passes the wrong number to should_compress.")
def it_records_the_usage_of_an_answer(test: Lab) -> None:
    """The host reads the attributes last_prompt_tokens, last_completion_tokens and last_total_tokens."""
    engine = test.start()
    engine.update_from_response(USAGE)
    noted = {f"{kind}_tokens": getattr(engine, f"last_{kind}_tokens") for kind in ("prompt", "completion", "total")}
    demand(noted == USAGE, f"after update_from_response({USAGE}) it has {noted}")
    engine.update_from_response({**USAGE, **dict.fromkeys(BUCKETS, 1), "from_a_later_release": 1})


@rule("HS875", "The conversation grows until the model rejects it, or is compressed in each turn.")
def should_compress_returns_a_boolean(test: Lab) -> None:
    """The host passes the tokens of the next request, or nothing."""
    engine = test.start()
    for tokens in (None, 0, LENGTH):
        answer = engine.should_compress() if tokens is None else engine.should_compress(tokens)
        demand(isinstance(answer, bool), f"should_compress({tokens}) returned {answer!r}")
    demand(not engine.should_compress(0), "it would compress an empty conversation")
    demand(engine.should_compress(LENGTH), f"it would not compress {LENGTH} tokens in a context of {LENGTH}")


@rule("HS876", "The model's API rejects the conversation, and every later turn fails.")
def what_it_compresses_is_a_conversation(test: Lab) -> None:
    """Each tool call is followed by its result, and each result belongs to a call."""
    for turns in (5, 12):
        messages = _compress_conversation(test.start(), conversation(turns))
        demand(messages, "nothing is left of the conversation")
        demand(messages[-1] == conversation(turns)[-1], "the user's latest message is no longer the last one")
        _demand_conversation(messages)


def _compress_conversation(engine: Any, messages: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Compress a conversation, with those of the host's arguments that the engine accepts."""
    given = {"current_tokens": LENGTH, "focus_topic": None, "force": False, "memory_context": ""}
    parameters = inspect.signature(engine.compress).parameters
    if not any(one.kind is one.VAR_KEYWORD for one in parameters.values()):
        given = {name: value for name, value in given.items() if name in parameters}
    compressed = engine.compress(messages, **given)
    demand(isinstance(compressed, list), f"compress() returned {type(compressed).__name__}, not a list")
    return list(compressed)


def _demand_conversation(messages: Sequence[dict[str, Any]]) -> None:
    waiting: list[str] = []
    for number, one in enumerate(messages):
        role = one.get("role")
        demand(role in ("system", "user", "assistant", "tool"), f"message {number} has the role {role!r}")
        if role == "tool":
            demand(one.get("tool_call_id") in waiting, f"message {number} is the result of a call that was removed")
            waiting.remove(one["tool_call_id"])
        else:
            demand(not waiting, f"message {number} comes before the results of {waiting}")
            waiting = [call["id"] for call in one.get("tool_calls") or ()]
    demand(not waiting, f"the conversation ends before the results of {waiting}")


@rule("HS877", "The host saves and ends the session with what is left of its own list.")
def it_does_not_change_the_list_of_messages(test: Lab) -> None:
    """compress returns a new list; the host still needs the list that it passed, at the end of the session."""
    given = conversation(12)
    _compress_conversation(test.start(), given)
    demand(given == conversation(12), "compress() modified its argument")


@rule("HS878", "Compression fails on each release that does not pass the argument.")
def compress_needs_only_the_messages(test: Lab) -> None:
    """Releases pass more or fewer of current_tokens, focus_topic, force and memory_context; each has a default."""
    parameters = list(inspect.signature(test.engine().compress).parameters.values())
    kinds = (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD)
    needed = [one.name for one in parameters[1:] if one.default is one.empty and one.kind not in kinds]
    demand(not needed, f"compress() cannot be called without {needed}")


@rule("HS879", "The host concludes that the conversation cannot be compressed, and gives up.")
def it_shortens_and_counts(test: Lab) -> None:
    """The host compares the lengths, and shows compression_count."""
    engine = test.start()
    before = engine.compression_count
    length = len(json.dumps(_compress_conversation(engine, conversation(40))))
    demand(length < len(json.dumps(conversation(40))), "the compressed conversation is not shorter")
    count = engine.compression_count
    demand(count == before + 1, f"compression_count is {count} after a compression and was {before} before it")


@rule("HS880", "The exception ends the turn of the user.")
def it_accepts_short_conversations(test: Lab) -> None:
    """The user can ask for a compression at any time, with /compress."""
    for messages in ([], conversation(0), conversation(0)[1:], conversation(1)):
        compressed = _compress_conversation(test.start(), copy.deepcopy(messages))
        demand(bool(compressed) == bool(messages), f"compress() kept {len(compressed)} of {len(messages)} messages")


@rule("HS881", "The TypeError aborts the start of the agent or becomes the result of the tool.")
def its_methods_accept_arguments_of_later_releases(test: Lab) -> None:
    """Releases add keyword arguments; 0.15.0 added api_mode and conversation_id."""
    engine = test.engine()
    calls: dict[str, tuple[Any, ...]] = {
        "on_session_start": ("first",),
        "on_session_end": ("first", []),
        "handle_tool_call": ("name", {}),
        "update_model": ("m", LENGTH),
    }
    for method, args in calls.items():
        if lab.overridden(engine, method, BASE):
            demand_takes_more(getattr(engine, method), *args)


@rule("HS882", "A new conversation is compressed immediately, based on the tokens of the old one.")
def a_new_conversation_starts_from_zero(test: Lab) -> None:
    """The host calls on_session_reset after /new."""
    engine = test.start()
    engine.update_from_response(USAGE)
    engine.on_session_reset()
    left = {
        name: getattr(engine, name) for name in ("last_prompt_tokens", "compression_count") if getattr(engine, name)
    }
    demand(not left, f"on_session_reset() does not reset {left}")


@rule("HS883", "Model APIs reject the whole request, so no turn of the session works.")
def its_tools_can_be_offered(test: Lab) -> None:
    """A tool has a name that is not one of the host's, a description, and parameters of the type object."""
    offered = tools.schemas(test.start())
    tools.demand_names(offered, test.directory)
    tools.demand_not_core(test, offered)
    tools.demand_parameters(offered, test.directory)


@rule("HS884", "The model reads 'Context engine tool … failed' with the text of a Python error.")
def its_tools_answer_any_arguments(test: Lab) -> None:
    """The result of a tool is JSON text, including for arguments that are missing, unknown or of another type."""
    engine = test.start()

    def call(name: str, args: dict[str, Any]) -> Any:
        return engine.handle_tool_call(name, args, messages=conversation(1))

    offered = tools.schemas(engine)
    tools.demand_results(call, offered)
    tools.demand_patience(test, call, offered)
    tools.demand_untouched(call, offered)


@rule(
    "HS885", "Conversations are sent to another machine, or written where neither backups nor other profiles find them."
)
def it_stays_in_its_home(test: Lab) -> None:
    """The engine stores its files under hermes_home. If it needs a network, set network = True in the suite."""
    before = list_files(test.elsewhere)
    with record_addresses() as asked:
        engine = test.start()
        engine.update_from_response(USAGE)
        for one in engine.get_tool_schemas() or ():
            with contextlib.suppress(Exception):
                arguments = valid({**(one.get("parameters") or {}), "type": "object"})
                engine.handle_tool_call(one["name"], arguments, messages=conversation(1))
        with contextlib.suppress(Exception):
            _compress_conversation(engine, conversation(12))
        engine.on_session_end("first", conversation(1))
    after = list_files(test.elsewhere)
    changed = sorted(name for name in after if after[name] != before.get(name))
    demand(not changed, f"it wrote {changed[:5]}")
    demand(test.settings["network"] or not asked, f"it contacted {sorted(set(asked))}")
