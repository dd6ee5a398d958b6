"""Cases of section I in a conversation: commands that block, add context, observe and continue a turn."""

import json

from conformance.case import case
from conformance.conversations import converse
from conformance.shell_hooks import ACCEPTED, NOTE, read_notes, recording_hook

from hermes_sdk.llm import call, say
from hermes_sdk.traces import Normaliser

TOOL = """
import json

def register(ctx):
    schema = {"name": "ask", "description": "d", "parameters": {"type": "object", "properties": {"n": {"type": "integer"}}}}
    ctx.register_tool(name="ask", toolset="p", schema=schema, handler=lambda args, **kwargs: json.dumps(args))
    for hook in ("pre_tool_call", "post_tool_call", "pre_llm_call", "on_session_end"):
        ctx.register_hook(hook, lambda **kwargs: None)
"""


def read(host):
    """Return the input of the script, with placeholders for varying values."""
    event = Normaliser({str(host.home): "<home>"}).event({"value": read_notes(host), "thread": "", "name": ""})
    return event["value"]


BLOCK = json.dumps({"decision": "block", "reason": "shell says no"})
CONTEXT = json.dumps({"context": " It is Friday. "})


@case(
    "I6",
    one=TOOL,
    files=NOTE,
    config=recording_hook("pre_tool_call", f"'{BLOCK}'", matcher="ask"),
    environment=ACCEPTED,
)
def a_shell_hook_blocks_a_call_in_a_turn(host):
    host.llm.script(call("ask", n="5"), say("done"))
    return converse(host, "hello"), read(host)


@case("I6", one=TOOL, files=NOTE, config=recording_hook("pre_llm_call", f"'{CONTEXT}'"), environment=ACCEPTED)
def context_is_added_to_each_message(host):
    host.llm.script(call("ask"), say("one"), say("two"))
    return converse(host, "first", "second"), read(host)


@case("I7", one=TOOL, config={"hooks": {"pre_tool_call": [{"command": "no-such-command"}]}}, accept_hooks=True)
def a_turn_continues_when_a_shell_hook_fails(host):
    host.llm.script(call("ask"), say("done"))
    return converse(host, "hello")


@case("I9", one=TOOL, files=NOTE, config=recording_hook("pre_tool_call", f"'{BLOCK}'"))
def shell_hooks_without_consent_do_not_block_a_turn(host):
    host.llm.script(call("ask"), say("done"))
    return converse(host, "hello"), read(host)


@case(
    "I5",
    one=TOOL,
    files=NOTE,
    config={
        "hooks": {
            hook: [{"command": "sh ${HERMES_HOME}/note.sh"}]
            for hook in ("on_session_start", "post_tool_call", "post_llm_call", "on_session_end", "on_session_finalize")
        }
    },
    accept_hooks=True,
)
def shell_hooks_run_in_the_order_of_a_turn(host):
    host.llm.script(call("ask"), say("done"))
    answer = converse(host, "hello")
    host.finish()
    return answer, [[one["hook_event_name"], one["tool_name"], sorted(one["extra"])] for one in read_notes(host)]


VERIFY = """
    cat >/dev/null
    [ -e "$HERMES_HOME/verified" ] || printf '{"decision": "block", "reason": "run the tests"}'
    : >"$HERMES_HOME/verified"
"""


@case(
    "I6",
    one=TOOL,
    files={"verify.sh": VERIFY},
    config={
        "hooks": {"pre_verify": [{"command": "sh ${HERMES_HOME}/verify.sh"}]},
        "platform_toolsets": {"cli": ["file"]},
    },
    accept_hooks=True,
)
def a_shell_hook_continues_a_turn_once(host):
    host.llm.script(call("write_file", path="a.txt", content="hi"), *[say(f"done {n}") for n in range(4)])
    turn = host.chat("hello")
    asked = [request.body["messages"][-1] for request in host.llm.requests]
    return turn.reply, [(one["role"], one["content"]) for one in asked if one["role"] != "tool"]
