"""Cases of G15: notices in a chat about compressions by a plugin's context engine, and their limit."""

import re

from conformance.gateway_cases import gateway_case

from hermes_sdk.llm import call, say

LONG = {"prompt_tokens": 160_000, "completion_tokens": 10}

COMPRESSING = """
from agent.context_engine import ContextEngine
class Engine(ContextEngine):
    name = "mine"
    threshold_tokens, context_length = 100_000, 300_000
    last_prompt_tokens = 0
    def clone_for_agent(self): return Engine()
    def update_model(self, *args, **kwargs): pass
    def update_from_response(self, usage): self.last_prompt_tokens = usage.get("prompt_tokens", 0)
    def should_compress(self, prompt_tokens=None):
        SEEN.append("asked")
        return max(prompt_tokens or 0, self.last_prompt_tokens) > 100_000
    def compress(self, messages, current_tokens=None, **kwargs):
        SEEN.append("compressed")
        return %s
ctx.register_context_engine(Engine())
tool("ask", lambda args, **kw: "{}")
"""
SHORTENING = COMPRESSING % "[one for one in messages if one['role'] == 'user' or one['content'] == 'one'][-2:]"
LOSING_ONE = (
    COMPRESSING.replace("usage): ", "usage): self.awaiting_real_usage_after_compression, ", 1).replace(
        'usage.get("prompt_tokens", 0)', 'False, usage.get("prompt_tokens", 0)'
    )
    % "[*messages[:1], *messages[3:]] if len(messages) > 3 else messages"
)
MINE = {"context": {"engine": "mine"}}


def list_notices(host, *texts):
    """Return the notices sent to a chat, without token counts, and the calls of the engine."""
    chat = host.gateway().dm("u1")
    for text in texts:
        chat.receives(text)
    sent = [one["arguments"]["content"] for one in host.events if one["kind"] == "adapter" and one["name"] == "send"]
    roles = [[one["role"] for one in request.messages] for request in host.llm.requests]
    return [re.sub(r"~[\d,]+|:160\d+", "~<tokens>", text) for text in sent], host.command("/seen"), roles


def tool_calls(count):
    """Return answers that call a tool with different arguments, so that no guardrail stops the turn."""
    return [say("", call("ask", number=number), usage=LONG) for number in range(count)]


@gateway_case(
    "G15", "tool('ask', lambda args, **kw: '{}')\n", refused="compress the history of a chat before a message"
)
def a_chat_is_compressed_between_two_messages(host):
    full = {"prompt_tokens": 220_000, "completion_tokens": 1, "total_tokens": 220_001}
    host.llm.script(call("ask"), call("ask", n=1), say("one", usage=full), say("two"))
    list_notices(host, "hello", "again")


@gateway_case("G15", SHORTENING, config=MINE)
def a_chat_is_notified_when_its_context_is_compressed(host):
    host.llm.script(*tool_calls(1), say("one"), say("two"))
    return list_notices(host, "first", "second")


@gateway_case("G15", SHORTENING, config=MINE)
def a_chat_is_notified_of_a_compression_before_a_request(host):
    host.llm.script(say("one", usage=LONG), say("two"))
    return list_notices(host, "first", "second")


@gateway_case("G15", SHORTENING, config={**MINE, "compression": {"progress_notices": "on"}})
def compression_notices_can_be_configured(host):
    host.llm.script(*tool_calls(1), say("one", usage=LONG), say("two"))
    return list_notices(host, "first", "second")


@gateway_case("G15", COMPRESSING % "messages", config=MINE)
def a_chat_is_notified_of_an_ineffective_compression(host):
    host.llm.script(*tool_calls(1), say("one"))
    return list_notices(host, "first")


@gateway_case("G15", LOSING_ONE, config=MINE)
def a_chat_is_notified_when_compressions_are_exhausted(host):
    host.llm.script(*tool_calls(6), say("one"))
    return list_notices(host, "first")


BLOCKED = SHORTENING.replace(
    "    def compress(",
    """    def should_compress_info(self, prompt_tokens=None): return False, f"cooldown:{prompt_tokens}"
    def compress(""",
).replace("> 100_000\n    def should_compress_info", "> 1_000_000\n    def should_compress_info")


@gateway_case("G15", BLOCKED, config=MINE)
def a_chat_is_notified_once_why_its_context_is_not_compressed(host):
    host.llm.script(*tool_calls(2), say("one"), *tool_calls(1), say("two"))
    return list_notices(host, "first", "second")


@gateway_case("G15", SHORTENING, config={**MINE, "compression": {"max_attempts": 1}})
def the_number_of_compressions_can_be_configured(host):
    host.llm.script(*tool_calls(3), say("one"))
    return list_notices(host, "first")


@gateway_case("G15", SHORTENING, config={**MINE, "compression": {"max_attempts": True}}, releases=["0.22.2"])
def an_invalid_number_of_compressions_is_ignored(host):
    host.llm.script(*tool_calls(4), say("one"))
    return list_notices(host, "first")


@gateway_case("G15", SHORTENING, config={**MINE, "compression": {"enabled": "off"}})
def engines_are_not_asked_when_compression_is_off(host):
    host.llm.script(*tool_calls(1), say("one", usage=LONG), say("two"))
    return list_notices(host, "first", "second")


NOTING = SHORTENING.replace(
    "    def update_from_response(self, usage): ",
    """    def update_from_response(self, usage):
        names = ("last_prompt_tokens", "last_completion_tokens", "awaiting_real_usage_after_compression")
        SEEN.append({name: getattr(self, name, None) for name in names})
        """,
)


@gateway_case("G15", NOTING, config=MINE)
def the_host_sets_attributes_of_an_engine_after_compression(host):
    host.llm.script(*tool_calls(1), say("one"), say("two"))
    return list_notices(host, "first", "second")
