"""Cases of D31: approvals in a gateway by users, timeouts and models."""

from conformance.case import case
from conformance.evaluation import PLUGINS
from conformance.evaluation import evaluate as asked_plugin
from conformance.gateway_cases import gateway_case, list_events
from conformance.raw_keys import answer_words, question_text

from hermes_sdk.contract import parse_release
from hermes_sdk.home import Home
from hermes_sdk.llm import call, say

WATCH = "for name in ('pre_approval_request', 'post_approval_response', 'pre_gateway_dispatch'):\n    ctx.register_hook(name, lambda **kw: None)\n"
OFFERED = {"platform_toolsets": {"echo": ["terminal", "set"]}}
MANUAL = {**OFFERED, "approvals": {"mode": "manual"}}
DANGER = call("terminal", command="rm -rf ./nothing-here")
RULE = (
    WATCH
    + "ctx.register_hook('pre_tool_call', lambda tool_name, **kw: {'action': 'approve', 'message': 'Really?', 'rule_key': 'mine'})\n"
    "tool('ask', lambda args, **kw: json.dumps({'found': 1}))\n"
)


def answer_requests(host, *answers, turns=1):
    """Return the events of turns with dangerous commands, when the user answers each approval request."""
    gateway = host.gateway()
    chat = gateway.dm()
    for number in range(turns):
        chat.receives(f"go {number}", until=question_text(host.kind, host.release) if number < len(answers) else None)
        if number < len(answers):
            chat.receives(answers[number])
    gateway.stop()
    return list_events(host), Home(host.home).config.get("command_allowlist")


@gateway_case("D31", WATCH, config=MANUAL)
def a_command_is_approved_once(host):
    host.llm.script(DANGER, say("one"), DANGER, say("two"))
    return answer_requests(host, "/approve", "/deny", turns=2)


@gateway_case("D31", WATCH, config=MANUAL)
def a_command_is_approved_for_the_session(host):
    host.llm.script(DANGER, say("one"), DANGER, say("two"))
    return answer_requests(host, "/approve session", turns=2)


@gateway_case("D31", WATCH, config=MANUAL)
def a_command_is_approved_permanently(host):
    host.llm.script(DANGER, say("one"), DANGER, say("two"))
    return answer_requests(host, "/approve always", turns=2)


@gateway_case("D31", WATCH, config=MANUAL)
def a_command_is_denied(host):
    host.llm.script(DANGER, say("one"))
    return answer_requests(host, "/deny")


@gateway_case("D31", WATCH, config=MANUAL)
def help_is_answered_during_a_turn(host):
    host.llm.script(DANGER, say("one"))
    gateway = host.gateway()
    chat = gateway.dm()
    chat.receives("go", until=question_text(host.kind, host.release))
    chat.receives("/help", until="/whoami")
    chat.receives("/commands 3", until="`/")
    chat.receives("/deny")
    gateway.stop()
    return list_events(host)


@gateway_case("D31", WATCH, config=MANUAL)
def a_command_is_denied_with_a_reason(host):
    host.llm.script(DANGER, say("one"))
    return answer_requests(host, "/deny too dangerous")


@gateway_case("D31", WATCH, config=MANUAL)
def a_command_is_approved_in_plain_words(host):
    host.llm.script(DANGER, say("one"), DANGER, say("two"))
    return answer_requests(host, *answer_words(host), turns=2)


@gateway_case("D31", WATCH, config={**OFFERED, "approvals": {"mode": "manual", "gateway_timeout": 1, "timeout": 1}})
def an_approval_request_times_out(host):
    host.llm.script(DANGER, say("one"))
    return answer_requests(host)


@gateway_case("D31", WATCH, config={**OFFERED, "approvals": {"mode": "smart"}})
def a_model_approves_a_command(host):
    host.llm.script(DANGER, say("one"))
    host.llm.aux.script("APPROVE")
    return answer_requests(host)


@gateway_case("D31", WATCH, config={**OFFERED, "approvals": {"mode": "smart"}})
def a_model_denies_a_command(host):
    host.llm.script(DANGER, say("one"))
    host.llm.aux.script("DENY")
    return answer_requests(host, "/deny")


@gateway_case("D31", WATCH, config={**OFFERED, "approvals": {"mode": "smart"}})
def a_user_overrules_the_model(host):
    host.llm.script(DANGER, say("one"))
    host.llm.aux.script("DENY")
    return answer_requests(host, "/approve")


@gateway_case(
    "D31",
    WATCH,
    config={**OFFERED, "approvals": {"mode": "smart"}},
    refused="tell a model that many commands in a row were denied",
)
def a_model_denies_three_commands_in_a_row(host):
    host.llm.script(*[DANGER, say("one")] * 3)
    host.llm.aux.script(*["DENY"] * 3)
    return answer_requests(host, "/deny", "/deny", turns=3)


@gateway_case("D31", WATCH, config={**OFFERED, "approvals": {"mode": "smart"}})
def the_user_decides_when_a_model_escalates(host):
    host.llm.script(DANGER, say("one"))
    host.llm.aux.script("ESCALATE")
    return answer_requests(host, "/approve")


@gateway_case("D31", WATCH, config={**OFFERED, "approvals": {"mode": "off"}})
def commands_run_when_approvals_are_off(host):
    host.llm.script(DANGER, say("one"))
    return answer_requests(host)


@gateway_case("D31", RULE, config=MANUAL)
def a_request_of_a_plugin_is_approved_for_the_session(host):
    host.llm.script(call("ask"), say("one"), call("ask"), say("two"))
    return answer_requests(host, "/approve session", turns=2)


@gateway_case("D31", RULE, config=MANUAL)
def a_request_of_a_plugin_is_denied(host):
    host.llm.script(call("ask"), say("one"))
    return answer_requests(host, "/deny")


@gateway_case("D31", WATCH, config=MANUAL)
def two_dangerous_commands_are_approved_one_by_one(host):
    host.llm.script(say("", DANGER, call("terminal", command="rm -rf ./other")), say("one"))
    gateway = host.gateway()
    chat = gateway.dm()
    chat.receives("go", until=question_text(host.kind, host.release, "nothing-here"))
    chat.receives("/approve", until=question_text(host.kind, host.release, "other"))
    chat.receives("/deny")
    return list_events(host)


@gateway_case("D31", WATCH, config=MANUAL)
def a_turn_is_stopped_while_it_waits_for_approval(host):
    host.llm.script(DANGER)
    gateway = host.gateway()
    chat = gateway.dm()
    chat.receives("go", until=question_text(host.kind, host.release))
    chat.receives("/stop")
    gateway.stop()
    return list_events(host)


@gateway_case("D31", WATCH, config=MANUAL)
def an_approval_without_a_pending_request_is_answered(host):
    chat = host.gateway().dm()
    return [[one.text for one in chat.receives(line)] for line in ("/approve", "/deny", "/approve session")]


@gateway_case(
    "D31",
    WATCH,
    adapter="""
        async def send_exec_approval(self, chat_id, command, session_key, description="dangerous command", metadata=None, **more):
            SEEN.append([chat_id, command, session_key, description, metadata, sorted(more)])
            return await self.send(chat_id, "asked with buttons")
    """,
    config=MANUAL,
)
def an_adapter_requests_approval_with_buttons(host):
    host.llm.script(DANGER, say("one"))
    gateway = host.gateway()
    chat = gateway.dm()
    # Later releases call another method of adapters, and send a text to this one.
    by_text = parse_release(host.release) >= (0, 21, 3)
    until = question_text(host.kind, host.release) if by_text else "buttons"
    chat.receives("go", until=until)
    chat.receives("/approve")
    return list_events(host), host.command("/seen")


DRAWN = """
async def _send_exec_approval_prompt(self, prompt):
    from tools.approval import resolve_gateway_approval
    SEEN.append([type(prompt).__name__, prompt.chat_id, prompt.session_key, prompt.text, prompt.command])
    SEEN.append([prompt.description, prompt.smart_denied, prompt.metadata, prompt.choices])
    SEEN.append([[choice, style] for label, choice, style in prompt.actions])
    async def press():
        await asyncio.sleep(0.2)
        SEEN.append([resolve_gateway_approval(prompt.session_key, "CHOICE") for _ in range(2)])
    asyncio.create_task(press())
    return await self.send(prompt.chat_id, "drawn")
"""
MARKED = """
_EA_HEADER = "<b>Really?</b> "
_EA_CODE_OPEN = "<pre>"
_EA_CODE_CLOSE = "</pre>"
_EA_REASON_LABEL = "<i>Why</i> "
_EA_DEADLINE_PREFIX = " | "
_EA_ACTION_LABELS = {"once": "Yes", "session": "Today", "always": "Ever", "deny": "No"}
_EA_ACTION_STYLES = {"session": "plain"}
def _ea_escape(self, text):
    return text.replace("-", "&dash;")
async def _send_exec_approval_prompt(self, prompt):
    SEEN.append([prompt.text, prompt.actions])
    return await self.send(prompt.chat_id, "drawn")
"""
UNDRAWN = """
async def _send_exec_approval_prompt(self, prompt):
    if HOW == "raise":
        raise ValueError("boom")
    return SendResult(False, error=HOW or None)
"""


def press_button(host):
    """Return the events when an adapter draws an approval prompt and a button answers it."""
    host.llm.script(DANGER, say("one"))
    gateway = host.gateway()
    gateway.dm().receives("go")
    gateway.stop()
    return list_events(host), host.command("/seen")


@gateway_case("D31", WATCH, adapter=DRAWN.replace("CHOICE", "once"), config=MANUAL, releases=["0.22.2"])
def a_button_approves_a_command(host):
    return press_button(host)


@gateway_case("D31", WATCH, adapter=DRAWN.replace("CHOICE", "deny"), config=MANUAL, releases=["0.22.2"])
def a_button_denies_a_command(host):
    return press_button(host)


@gateway_case(
    "D31",
    WATCH,
    adapter="""
        async def _send_exec_approval_prompt(self, prompt):
            SEEN.append([prompt.text, prompt.actions])
            return SendResult(False)
    """,
    config=MANUAL,
    releases=["0.21.3", "0.21.5"],
)
def the_buttons_of_an_approval_prompt_have_labels(host):
    fail_to_draw(host)
    return host.command("/seen")


@gateway_case("D31", WATCH, adapter=MARKED, config=MANUAL, releases=["0.22.2"])
def an_adapter_replaces_the_markup_of_an_approval_prompt(host):
    host.llm.script(DANGER, say("one"))
    gateway = host.gateway()
    chat = gateway.dm()
    chat.receives("go", until="drawn")
    chat.receives("/approve")
    return list_events(host), host.command("/seen")


@gateway_case("D31", WATCH, adapter=UNDRAWN.replace("HOW", "'raise'"), config=MANUAL, releases=["0.22.2"])
def an_adapter_raises_instead_of_drawing_an_approval_prompt(host):
    return fail_to_draw(host)


@gateway_case("D31", WATCH, adapter=UNDRAWN.replace("HOW", "'error'"), config=MANUAL, releases=["0.22.2"])
def an_adapter_fails_to_draw_an_approval_prompt(host):
    return fail_to_draw(host)


@gateway_case("D31", WATCH, adapter=UNDRAWN.replace("HOW", "''"), config=MANUAL, releases=["0.22.2"])
def an_adapter_fails_to_draw_an_approval_prompt_without_an_error(host):
    return fail_to_draw(host)


def fail_to_draw(host):
    """Return the events when an adapter cannot draw an approval prompt."""
    host.llm.script(DANGER, say("one"))
    gateway = host.gateway()
    chat = gateway.dm()
    chat.receives("go", until=question_text(host.kind, host.release))
    chat.receives("/approve")
    gateway.stop()
    return list_events(host)


@gateway_case(
    "D31",
    WATCH,
    adapter=DRAWN.replace("CHOICE", "once").replace("0.2", "9"),
    config={**OFFERED, "approvals": {"mode": "manual", "gateway_timeout": 1, "timeout": 1}},
    releases=["0.22.2"],
)
def an_approval_prompt_with_buttons_times_out(host):
    return press_button(host)


@gateway_case(
    "D25",
    WATCH,
    adapter="""
        def pause_typing_for_chat(self, chat_id):
            raise OSError("no")
    """,
    config=MANUAL,
)
def an_approval_request_that_cannot_be_sent_fails(host):
    host.llm.script(DANGER, say("one"))
    return answer_requests(host)


HUMAN = (
    WATCH
    + "ctx.register_hook('on_human_input_request', lambda **kw: None)\nctx.register_hook('on_human_input_resolved', lambda **kw: None)\n"
)


@gateway_case("N57", HUMAN, config=MANUAL, releases=["0.20.2", "0.22.2"])
def plugins_observe_requests_for_human_input(host):
    host.llm.script(DANGER, say("one"), DANGER, say("two"))
    return answer_requests(host, "/approve", "/deny", turns=2)


@gateway_case(
    "N57",
    HUMAN,
    config={**OFFERED, "approvals": {"mode": "manual", "gateway_timeout": 1, "timeout": 1}},
    releases=["0.22.2"],
)
def plugins_observe_unanswered_requests_for_human_input(host):
    host.llm.script(DANGER, say("one"))
    return answer_requests(host)


@gateway_case(
    "N57",
    HUMAN,
    adapter="""
        def pause_typing_for_chat(self, chat_id):
            raise OSError("no")
    """,
    config=MANUAL,
    releases=["0.22.2"],
)
def plugins_observe_requests_for_human_input_that_cannot_be_sent(host):
    host.llm.script(DANGER, say("one"))
    return answer_requests(host)


AUXILIARY = (
    WATCH
    + "for name in ('pre_auxiliary_call', 'post_auxiliary_call'):\n    ctx.register_hook(name, lambda **kw: None)\n"
)


@gateway_case("N55", AUXILIARY, config={**OFFERED, "approvals": {"mode": "smart"}}, releases=["0.22.2"])
def plugins_observe_the_model_that_judges_commands(host):
    host.llm.script(DANGER, say("one"))
    host.llm.aux.script("APPROVE")
    return answer_requests(host)


@gateway_case(
    "D31",
    "Adapter.asked = []\n"
    "ctx.register_hook('pre_approval_request', lambda session_key, **kw: Adapter.asked.append(session_key))\n",
    adapter="""
        async def send(self, chat_id, content, reply_to=None, metadata=None):
            from tools.approval import resolve_gateway_approval
            if self.asked:
                key = self.asked.pop()
                SEEN.append([resolve_gateway_approval("nobody", "once"), CHOICE, resolve_gateway_approval(key, "once")])
            return SendResult(True, "out")
    """.replace("CHOICE", "resolve_gateway_approval(key, 'deny', reason='not today')"),
    config=MANUAL,
)
def an_adapter_answers_for_the_user(host):
    host.llm.script(DANGER, say("one"))
    host.gateway().dm().receives("go")
    return list_events(host), host.command("/seen")


@case("D31", plugins=PLUGINS, enable=["p"])
def an_approval_without_a_request_resolves_nothing(host):
    return asked_plugin(
        host,
        "tools.approval",
        "m.resolve_gateway_approval('nobody', 'once')",
        "m.resolve_gateway_approval('nobody', 'deny', resolve_all=True, reason='no')",
    )
