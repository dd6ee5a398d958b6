"""Cases of sections C, D and G: base exceptions raised by everything that a turn calls."""

import re

from conformance.case import case, plugin

from hermes_sdk.errors import HermesSdkError
from hermes_sdk.hosts.interface import HostExited
from hermes_sdk.llm import call, say

CANCELLED, CLOSED, EXIT = "asyncio.CancelledError()", "GeneratorExit()", "SystemExit(3)"

HEAD = """
import asyncio
RAISES = [""]
def leave(place):
    if RAISES[0] == place: raise %s
"""
HOOKS = (
    "on_session_start",
    "pre_llm_call",
    "pre_api_request",
    "post_api_request",
    "pre_tool_call",
    "post_tool_call",
    "transform_tool_result",
    "transform_llm_output",
    "post_llm_call",
    "on_session_end",
)
KINDS = ("llm_request", "llm_execution", "tool_request", "tool_execution")
ENDS = ("on_session_finalize", "on_session_reset")
TURNS = (
    HEAD
    + f"""
def register(ctx):
    ctx.register_command("raise", lambda place: RAISES.__setitem__(0, place.strip()))
    def echo(args, **kwargs):
        leave("tool")
        return "{{}}"
    schema = {{"name": "echo", "description": "d", "parameters": {{"type": "object", "properties": {{}}}}}}
    ctx.register_tool("echo", "kit", schema, echo)
    for name in {HOOKS + ENDS}:
        ctx.register_hook(name, lambda name=name, **kwargs: leave(name))
    def run(kind, next_call):
        leave(kind)
        return next_call()
    for kind in {KINDS} if hasattr(ctx, "register_middleware") else ():
        callback = lambda kind=kind, **kwargs: leave(kind)
        if kind.endswith("execution"): callback = lambda next_call, kind=kind, **kwargs: run(kind, next_call)
        ctx.register_middleware(kind, callback)
"""
)

OF_MEMORY = (
    "initialize",
    "is_available",
    "get_tool_schemas",
    "system_prompt_block",
    "on_turn_start",
    "prefetch",
    "handle_tool_call",
)
MEMORY = """
from agent.memory_provider import MemoryProvider
class Provider(MemoryProvider):
    name = "p"
    def is_available(self): return True
    def initialize(self, session_id, **kwargs): pass
"""
OF_ENGINES = (
    "update_model",
    "get_tool_schemas",
    "on_session_start",
    "update_from_response",
    "should_compress",
    "handle_tool_call",
)
ENGINE = """
from agent.context_engine import ContextEngine
class Provider(ContextEngine):
    name = "p"
    def update_from_response(self, usage): pass
    def should_compress(self, prompt_tokens=None): return False
    def compress(self, messages, current_tokens=None, **kwargs): return messages
"""
TOOLS = """
    def get_tool_schemas(self):
        return [{"name": "echo", "description": "d", "parameters": {"type": "object", "properties": {}}}]
    def handle_tool_call(self, name, args, **kwargs): return "{}"
"""


def _provider_source(provider, register, method, error):
    body = f"    def {method}(self, *args, **kwargs): raise {error}\n"
    return f"import asyncio{provider}{TOOLS}{body}def register(ctx): ctx.register_{register}(Provider())\n"


def _describe_result(ask, *given):
    """Return the result of a call, or its error with the class name without its module."""
    try:
        return ask(*given)
    except HostExited:
        raise
    except HermesSdkError as error:
        return re.sub(r"(the host failed with )(?:\w+\.)*(\w+).*", r"\1\2", str(error).splitlines()[0])


def _chat(host, text):
    turn = host.chat(text)
    return [turn.reply, turn.completed, turn.error, [[one["role"], one["content"]] for one in turn.messages]]


def _take_turns(host, places):
    """Run a turn in which a place raises, and another one if the model has answers left."""
    told = []
    for place in places:
        host.command(f"/raise {place}")
        asked = len(host.llm.requests)
        host.llm.script(call("echo"), say("one"))
        told.append([place, _describe_result(_chat, host, "first")])
        host.command("/raise nothing")
        if len(host.llm.requests) < asked + 2:
            told.append(_describe_result(_chat, host, "again"))
    return told


def _cases_of_turns(error, what, **more):
    def take_turns(host):
        told = _take_turns(host, ("tool", *HOOKS, *KINDS))
        for place in ENDS:
            host.command(f"/raise {place}")
            told.append([place, _describe_result(host.command, "/new")])
        return told

    take_turns.__name__ = f"{what}_of_a_tool_of_hooks_and_of_middleware"
    case("D2", one=TURNS % error, **more)(take_turns)


def _cases_of_providers(error, what, **more):
    parts = (
        ("memory_provider", "memory", "provider", MEMORY, OF_MEMORY, "G7"),
        ("context_engine", "context", "engine", ENGINE, OF_ENGINES, "G15"),
    )
    for register, section, key, source, methods, statement in parts:
        for method in methods:

            def converse_twice(host):
                host.llm.script(call("echo"), say("one"), say("two"))
                return [
                    _describe_result(_chat, host, "first question"),
                    _describe_result(_chat, host, "second question"),
                ]

            converse_twice.__name__ = f"{what}_of_{method}_of_a_{register}"
            kind = {"kind": "exclusive"} if section == "memory" else {}
            made = plugin(_provider_source(source, register, method, error), name="p", **kind)
            config = {section: {key: "p"}}
            case(statement, plugins={"p": made}, enable=["p"], config=config, **more)(converse_twice)


def _cases_of_exits():
    """Register cases of `SystemExit`, which ends the host, so that each place needs its own host."""
    for place in ("tool", "tool_execution", "pre_llm_call", "post_tool_call"):

        def take_turn(host, place=place):
            return _take_turns(host, [place])

        take_turn.__name__ = f"sys_exit_of_{place}"
        until = "0.21.0" if place in HOOKS else None  # Later releases swallow it there.
        case("D2", one=TURNS % EXIT, ends=HostExited, until=until)(take_turn)


_cases_of_turns(CANCELLED, "asyncio_cancellation")
_cases_of_turns(CLOSED, "generator_exit")
_cases_of_providers(CANCELLED, "asyncio_cancellation")
_cases_of_exits()


@case(
    "G15",
    one=_provider_source(ENGINE, "context_engine", "on_session_reset", "ValueError('no')"),
    config={"context": {"engine": "p"}},
)
def an_engine_that_raises_at_reset_stays_in_use(host):
    host.llm.script(say("one"), say("two"))
    return [_chat(host, "first"), host.command("/new"), _chat(host, "second")]


HIDDEN = """
def on_session_end(self, *args): raise ValueError("end")
def should_compress_info(self, tokens=None): raise ValueError("info")
Provider.on_session_end, Provider.should_compress_info = on_session_end, should_compress_info
"""


@case(
    "G15",
    one=_provider_source(ENGINE, "context_engine", "on_session_reset", "ValueError('no')") + HIDDEN,
    config={"context": {"engine": "p"}},
)
def exceptions_of_an_engine_at_the_end_of_a_session_are_swallowed(host):
    host.llm.script(call("echo"), say("one"))
    host.chat("first")
    host.command("/new")
    host.finish()
    return [[one.where, one.error] for one in host.swallowed]
