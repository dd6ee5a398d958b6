"""Cases of L10: session variables."""

import json
import re

from conformance.case import case
from conformance.evaluation import PLUGINS, evaluate
from conformance.gateway_cases import gateway_case, hook

from hermes_sdk.llm import call, say

SESSION = "m.set_session_vars(platform='p', chat_id='c', session_key='k')"
READ = "[m.get_session_env(f'HERMES_SESSION_{one}', '-') for one in ('PLATFORM', 'CHAT_ID', 'USER_ID', 'KEY', 'ID')]"


@case(
    "L10",
    plugins=PLUGINS,
    enable=["p"],
    environment={"HERMES_SESSION_CHAT_ID": "e", "OTHER": "o"},
)
def session_variables_take_precedence_over_the_environment(host):
    return evaluate(
        host,
        "gateway.session_context",
        READ,
        "[m.get_session_env(*one) for one in (('OTHER',), ('NONE',), ('NONE', 'd'))]",
        f"({SESSION}, {READ}, m.clear_session_vars([]), {READ})[1::2]",
    )


@case("L10", plugins=PLUGINS, enable=["p"])
def session_variables_can_be_released(host):
    return evaluate(
        host,
        "gateway.session_context",
        f"({SESSION}, m.reset_session_vars(), {READ})[1:]",
        f"(m.set_current_session_id('mine'), {READ}, os.environ['HERMES_SESSION_ID'])",
        "m.get_session_env('HERMES_UI_SESSION_ID', 'd')",
        "(m.set_session_vars(platform='p', ui_session_id='u'), m.get_session_env('HERMES_UI_SESSION_ID'))[1]",
    )


LOOKS = """
    from gateway.session_context import get_session_env
    names = ["PLATFORM", "SOURCE", "CHAT_ID", "CHAT_TYPE", "CHAT_NAME", "THREAD_ID", "USER_ID", "USER_ID_ALT", "USER_NAME",
             "SCOPE_ID", "KEY", "ID", "MESSAGE_ID", "PROFILE", "PARENT_CHAT_ID"]
    names = [f"HERMES_SESSION_{name}" for name in names] + ["HERMES_UI_SESSION_ID", "HERMES_CRON_SESSION"]
    def look(where, answer=None):
        def callback(*args, **kwargs):
            values = {name: get_session_env(name, "-") for name in names}
            SEEN.append([where, {name: value for name, value in values.items() if value != "-"},
                         {name: os.environ[name] for name in names if name in os.environ}])
            return answer
        return callback
    for one in ("pre_gateway_dispatch", "on_session_start", "pre_llm_call", "post_llm_call", "pre_tool_call", "on_stream_start"):
        if one in VALID_HOOKS: ctx.register_hook(one, look(one))
    tool("t", look("tool", "{}"))
    ctx.register_command("look", look("command"))
"""
NOTES = hook(
    ["session:*", "agent:*", "command:*"],
    """
    from gateway.session_context import get_session_env
    import os
    values = [get_session_env(f"HERMES_SESSION_{one}", "-") for one in ("PLATFORM", "KEY", "ID")]
    with open(os.path.join(os.environ["HERMES_HOME"], "events.txt"), "a") as file: print(event_type, values, file=file)
    """,
)


@gateway_case("L10", LOOKS, files=NOTES)
def code_in_a_chat_sees_its_session(host):
    host.llm.script(call("t"), say("one"), say("two"), say("three"), say("four"))
    gateway = host.gateway()
    chat = gateway.dm("u1", name="Ann")
    chat.receives("hello")
    chat.receives("/look")
    chat.receives("again")
    gateway.stop()
    host.chat("at a terminal")
    seen = [row for row in json.loads(host.command("/seen")) if row[0] != "config"]
    return name_sessions(json.dumps([seen, (host.home / "events.txt").read_text()]))


def name_sessions(text):
    """Replace the ids of sessions in a text with names."""
    names = {}
    return re.sub(r"\d{8}_\d{6}_[0-9a-f]+", lambda found: names.setdefault(found[0], f"session {len(names)}"), text)
