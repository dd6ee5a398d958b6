"""What changed from release to release in turns, context engines and delegation, shown on both sides of each change."""

from conformance.case import plugin
from conformance.cases_drift import change
from conformance.cases_turns import answering, listening
from conformance.noting import registering, seen

from hermes_sdk.llm import call, say

COMPRESSING = """
from agent.context_engine import ContextEngine
SEEN = []

class Engine(ContextEngine):
    name = "mine"
    context_length, threshold_tokens = 200_000, 150_000
    def update_from_response(self, usage): self.last_prompt_tokens = usage.get("prompt_tokens", 0)
    def should_compress(self, prompt_tokens=None): return self.last_prompt_tokens > 100_000 and self.compression_count == 0
    def get_tool_schemas(self):
        return [{"name": "grep", "description": "d", "parameters": {"type": "object", "properties": {}}}]
    def handle_tool_call(self, name, args, **kwargs): return "{}"
    def compress(self, messages, current_tokens=None, %s):
        SEEN.append(sorted(kwargs))
        self.compression_count += 1
        return messages[:1] + messages[-2:]

def register(ctx):
    ctx.register_context_engine(Engine())
    ctx.register_command("seen", lambda line: str(SEEN))
"""
MINE = {"context": {"engine": "mine"}}


def _compressed(host):
    host.llm.script(say("", call("grep"), usage={"prompt_tokens": 160_000, "completion_tokens": 10}), say("one"))
    host.chat("first")
    return host.command("/seen")


@change("4a", one=COMPRESSING % "**kwargs", config=MINE)
def what_an_engine_is_called_with(host):
    return _compressed(host)


KEEPING = """
from agent.memory_provider import MemoryProvider
class Memo(MemoryProvider):
    name = "memo"
    def is_available(self): return True
    def initialize(self, session_id, **kwargs): pass
    def get_tool_schemas(self): return []
    def on_pre_compress(self, messages): return "keep this"
def register(ctx): ctx.register_memory_provider(Memo())
"""


@change(
    "4b",
    plugins={"p": plugin(COMPRESSING % "**kwargs"), "memo": plugin(KEEPING, name="memo")},
    enable=["p"],
    config={**MINE, "memory": {"provider": "memo"}},
)
def an_engine_is_told_what_memory_says(host):
    return _compressed(host)


LOCKED = COMPRESSING.replace(
    "200_000, 150_000\n", "200_000, 150_000\n    def __init__(self): import threading; self.lock = threading.Lock()\n"
)


@change("13", one=LOCKED % "**kwargs", config=MINE)
def an_engine_that_no_agent_can_copy(host):
    return _compressed(host)


def _one_of_two(request):
    """What the child says, and what its parent says; which of the two asks first depends on threads."""
    return say("done") if "ask for a part" in str(request.body["messages"]) else say("part")


@change("14", one=listening(), config={"platform_toolsets": {"cli": ["delegation"]}})
def what_the_agent_is_told_when_it_delegates(host):
    host.llm.script(call("delegate_task", goal="part"), _one_of_two, _one_of_two)
    return sorted(host.chat("ask for a part").tool_calls[0].result.json)


@change("16", one=answering("pre_llm_call", {"context": "long " * 3_000}))
def a_long_context_is_shortened(host):
    host.llm.script(say("one"))
    host.chat("hello")
    return len(host.llm.requests[0].user_text) > 10_000


@change(
    "pre_verify",
    one=registering('watch("pre_verify", "post_llm_call")'),
    config={"platform_toolsets": {"cli": ["file"]}},
)
def a_result_is_checked_before_it_is_final(host):
    host.llm.script(call("write_file", path="x.py", content="x = 1\n"), say("done"), say("done"))
    host.chat("write it")
    return [one[0] for one in seen(host)]


@change(
    "18",
    one=registering('watch("pre_approval_request")'),
    config={"security": {"tirith_enabled": False}},
    environment={"HERMES_INTERACTIVE": "1"},
)
def who_is_asked_to_approve_a_command(host):
    host.call_tool("terminal", command="rm -rf none")
    return seen(host)
