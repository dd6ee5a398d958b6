"""Cases of H8 and H18: what happens around a message that an agent answers."""

from conformance.gatewaying import gateway_case, hook, written

from hermes_sdk.llm import call, say

EVENTS = ["gateway:startup", "session:*", "agent:*", "command:*"]
TOOL = "tool('ask', lambda args, **kw: json.dumps({'found': 1}))\n"


@gateway_case("H8", f"watch()\n{TOOL}", files=hook(EVENTS), releases=["0.16.0", "0.18.2", "0.19.0"])
def two_messages_with_a_tool_call(host):
    host.llm.script(call("ask"), say("one"), say("two"))
    return written(host, "use the tool", "again")
