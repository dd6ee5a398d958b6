"""Cases of statement D31: a plugin that asks a person to decide about a tool call, where there is nobody to ask."""

from conformance.case import case
from conformance.noting import registering, seen

ASKING = registering("""
    tool("t"); tool("u"); tool("v")
    ask = {"t": {"message": "why", "rule_key": " key "}, "u": {"message": ""}, "v": {"message": 7, "rule_key": 3}}
    ctx.register_hook("pre_tool_call", lambda tool_name, **kwargs: {"action": "approve", **ask[tool_name]})
    watch("post_tool_call", "pre_approval_request", "post_approval_response")
""")


def asked(host):
    """What each tool answers, and what the plugin's hooks saw."""
    return [host.call_tool(name, n="5").value for name in "tuv"], seen(host)


@case("D31", one=ASKING, also=("N110",))
def approval_that_nobody_can_give_blocks(host):
    return asked(host)


@case("D31", one=ASKING, environment={"HERMES_YOLO_MODE": "1"})
def nothing_is_asked_when_everything_is_approved(host):
    return asked(host)


@case("D31", one=ASKING, environment={"HERMES_YOLO_MODE": "2"})
def yolo_takes_a_true_value(host):
    return asked(host)


@case("D31", one=ASKING, config={"approvals": {"mode": "off"}})
def approvals_that_are_off_do_not_cover_plugins(host):
    return asked(host)


@case(
    "D31", one=ASKING, config={"command_allowlist": ["plugin_rule:key", "plugin_rule:v", "<u> (plugin approval rule)"]}
)
def a_rule_on_the_allowlist_runs(host):
    return asked(host)


@case("D31", one=ASKING, config={"command_allowlist": "plugin_rule:key"})
def an_allowlist_of_text_allows_nothing(host):
    return asked(host)


@case("D31", one=ASKING, config={"command_allowlist": [["plugin_rule:key"], "plugin_rule:v"]})
def an_allowlist_that_cannot_be_read_allows_nothing(host):
    return asked(host)


@case("D31", one=ASKING, environment={"HERMES_CRON_SESSION": "1"})
def a_cron_job_is_refused(host):
    return asked(host)


@case(
    "D31",
    one=ASKING,
    environment={"HERMES_CRON_SESSION": "yes", "HERMES_GATEWAY_SESSION": "1"},
    config={"approvals": {"cron_mode": " Approve "}},
)
def a_cron_job_may_be_allowed(host):
    return asked(host)


@case("D31", one=ASKING, environment={"HERMES_GATEWAY_SESSION": "1"})
def in_a_gateway_the_request_waits(host):
    return asked(host)


@case("D31", one=ASKING, environment={"HERMES_SESSION_PLATFORM": "telegram"})
def a_session_of_a_platform_is_a_gateways(host):
    return asked(host)


@case("D31", one=ASKING, environment={"HERMES_INTERACTIVE": "1", "HERMES_EXEC_ASK": "1"})
def a_front_end_that_asks_is_like_a_gateway(host):
    return asked(host)


@case("D31", one=ASKING, environment={"HERMES_INTERACTIVE": "1"})
def a_person_who_gives_no_answer_denies(host):
    return asked(host)
