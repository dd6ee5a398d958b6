"""Cases of secrets that the host masks in turns and chats (N85)."""

from conformance.case import case, plugin
from conformance.cases_services import NEW
from conformance.conversations import converse, script_summary
from conformance.gateway_cases import gateway_case, write_messages

from hermes_sdk.llm import Answer, call, fail, say

PATTERNS = r'ctx.register_redaction_patterns(["tok_[a-z0-9]+", r"kid-\d{3,}"])'
HOOKS = ("on_interim_message", "post_llm_call", "pre_api_request", "transform_llm_output")
MASKING = f"""
def register(ctx):
    {PATTERNS}
    schema = {{"name": "leak", "description": "d", "parameters": {{"type": "object", "properties": {{}}}}}}
    ctx.register_tool("leak", "kit", schema, lambda args, **kwargs: "tok_of_tool")
    for hook in {HOOKS}:
        ctx.register_hook(hook, lambda **kwargs: None)
"""


@case("N85", one=MASKING, releases=NEW)
def secrets_in_answers_are_masked_in_the_history(host):
    told = [
        "tok_1 kid-1234 kid-12",
        "xtok_a tok_a-b tok_aB (tok_a). tok_aaaaaaaaaaaaaa tok_aaaaaaaaaaaaa",
        "tok_a\nb\ttok_c",
    ]
    host.llm.script(say("beside tok_1", call("leak", key="tok_2")), *map(say, told))
    return converse(host, "tell me tok_3", "again", "more")


@case(
    "N85",
    one=f"{MASKING}    ctx.register_hook(HOOK, lambda **kwargs: 'added tok_9')\n".replace(
        "HOOK", "'transform_llm_output'"
    ),
    releases=NEW,
)
def text_added_by_a_plugin_is_not_masked(host):
    host.llm.script(say("one tok_1"), say("two"))
    return converse(host, "hello", "again")


@case("N85", one=MASKING, releases=NEW)
def parts_of_an_answer_are_masked(host):
    parts = [say(f"part tok_{number}", finish_reason="length") for number in range(5)]
    host.llm.script(parts[0], say("rest tok_9"), *parts[1:], say("next"))
    return converse(host, "hello", "again", "more")


@case("N85", one=MASKING, config={"agent": {"max_turns": 1}}, releases=NEW)
def a_summary_is_not_masked(host):
    script_summary(host, call("leak"), say("summary tok_1"))
    return converse(host, "hello")


@case("N85", one=MASKING, releases=NEW)
def the_error_of_a_turn_is_masked(host):
    host.llm.script(fail(400, "bad tok_1"), say("next"))
    return converse(host, "hello", "again")


@case("N85", one=MASKING, refused="mask secrets that Hermes itself knows")
def secrets_known_to_hermes_are_masked(host):
    host.llm.script(say("use sk-abcdefghijklmnop"))
    converse(host, "hello")


@case("N85", one=MASKING, releases=NEW, refused="mask a secret that is split by control characters")
def a_split_secret_is_masked(host):
    host.llm.script(say("use tok_\u200ba"))
    converse(host, "hello")


@case(
    "N85", one=MASKING, config={"security": {"redact_secrets": False}}, releases=NEW, refused="leave secrets unmasked"
)
def the_configuration_can_disable_masking(host):
    host.llm.script(say("use tok_a"))
    converse(host, "hello")


@case(
    "N85",
    one="def register(ctx): ctx.register_redaction_patterns([r'ab(c)\\1'])\n",
    releases=NEW,
    refused="combine redaction patterns",
)
def a_pattern_refers_to_a_group(host):
    pass


MEMORY = """
import logging
from agent.memory_provider import MemoryProvider

class Memory(MemoryProvider):
    name = "memo"
    def is_available(self): return True
    def initialize(self, session_id, **kwargs): pass
    def get_tool_schemas(self):
        return [{"name": "memo_add", "description": "d", "parameters": {"type": "object", "properties": {}}}]
    def handle_tool_call(self, name, args, **kwargs): return note(name, args) or '{"kept": "tok_of_memory"}'
    def prefetch(self, query, *, session_id=""): return note("prefetch", query) or "recalled tok_of_memory"
    def queue_prefetch(self, query, *, session_id=""): note("queue_prefetch", query)
    def sync_turn(self, user, assistant, *, session_id="", messages=None): note("sync", user, assistant, shown(messages))
    def on_turn_start(self, number, message, **kwargs): note("turn", message)
    def on_session_end(self, messages): note("end", shown(messages))
    def on_memory_write(self, action, target, content, metadata=None): note("write", content)

def note(*seen): logging.getLogger("memo").warning("%r", seen)
def shown(messages):
    return [[one["content"], [call["function"]["arguments"] for call in one.get("tool_calls", ())]] for one in messages]

def register(ctx):
    ctx.register_memory_provider(Memory())
"""


@case(
    "N85",
    plugins={"p": plugin(MASKING, name="p"), "memo": plugin(MEMORY, name="memo", kind="exclusive")},
    enable=["p", "memo"],
    config={"memory": {"provider": "memo"}, "platform_toolsets": {"cli": ["kit", "memory"]}},
    also=("G5",),
)
def a_memory_provider_receives_no_secrets(host):
    word = "tok_abcdefghijklmnop"
    add = call("memory", action="add", target="user", content="has tok_3")
    host.llm.script(
        call("leak"), call("memo_add", fact=["tok_1", word, {"k": f"a{word}"}]), add, say(f"ok tok_2 b{word}")
    )
    turn = host.chat(f"hello tok_4 {word} a{word}, which is long")
    host.finish()
    return turn.reply, [one.message for one in host.log if one.logger == "memo"]


@gateway_case("N85", f"watch()\n{PATTERNS}", releases=NEW)
def a_chat_receives_no_secrets(host):
    host.llm.script(say("one tok_1"), fail(400, "bad tok_2"), say("two"))
    return write_messages(host, "hello tok_3", "again", "more")


@gateway_case("N85", f"watch(transform_llm_output='added tok_9')\n{PATTERNS}", releases=NEW)
def a_chat_receives_no_secrets_from_plugins(host):
    host.llm.script(Answer(text="one"))
    return write_messages(host, "hello")


@case(
    "N85",
    one="def register(ctx): ctx.register_hook('post_llm_call', lambda **kwargs: None)\n",
    environment={"HERMES_REDACT_SECRETS": "false"},
)
def a_user_can_disable_masking(host):
    host.llm.script(say("sk-abcdefgh12345678abcdefgh and API_KEY=abcdefgh1234"), say("again"))
    return converse(host, "password: hunter2hunter2", "more")
