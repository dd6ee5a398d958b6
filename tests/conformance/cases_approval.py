"""Cases of statement D31: plugin approvals of tool calls without a user who could answer."""

from conformance.case import case
from conformance.recorder import read_notes, recorder

ASKING = recorder("""
    tool("t"); tool("u"); tool("v")
    ask = {"t": {"message": "why", "rule_key": " key "}, "u": {"message": ""}, "v": {"message": 7, "rule_key": 3}}
    ctx.register_hook("pre_tool_call", lambda tool_name, **kwargs: {"action": "approve", **ask[tool_name]})
    watch("post_tool_call", "pre_approval_request", "post_approval_response")
""")


def call_guarded_tools(host):
    """Call each tool, and return the results and the notes of the plugin's hooks."""
    return [host.call_tool(name, n="5").value for name in "tuv"], read_notes(host)


@case("D31", one=ASKING, also=("N110",))
def a_call_that_nobody_can_approve_is_blocked(host):
    return call_guarded_tools(host)


@case("D31", one=ASKING, environment={"HERMES_YOLO_MODE": "1"})
def yolo_mode_skips_plugin_approvals(host):
    return call_guarded_tools(host)


@case("D31", one=ASKING, environment={"HERMES_YOLO_MODE": "2"})
def yolo_mode_needs_a_truthy_value(host):
    return call_guarded_tools(host)


@case("D31", one=ASKING, config={"approvals": {"mode": "off"}})
def approval_mode_off_does_not_cover_plugin_rules(host):
    return call_guarded_tools(host)


@case(
    "D31", one=ASKING, config={"command_allowlist": ["plugin_rule:key", "plugin_rule:v", "<u> (plugin approval rule)"]}
)
def a_plugin_rule_on_the_allowlist_needs_no_approval(host):
    return call_guarded_tools(host)


@case("D31", one=ASKING, config={"command_allowlist": "plugin_rule:key"})
def an_allowlist_that_is_a_string_allows_nothing(host):
    return call_guarded_tools(host)


@case("D31", one=ASKING, config={"command_allowlist": [["plugin_rule:key"], "plugin_rule:v"]})
def an_allowlist_with_a_nested_list_allows_nothing(host):
    return call_guarded_tools(host)


@case("D31", one=ASKING, environment={"HERMES_CRON_SESSION": "1"})
def approval_is_denied_in_a_cron_job(host):
    return call_guarded_tools(host)


@case(
    "D31",
    one=ASKING,
    environment={"HERMES_CRON_SESSION": "yes", "HERMES_GATEWAY_SESSION": "1"},
    config={"approvals": {"cron_mode": " Approve "}},
)
def cron_jobs_can_be_configured_to_approve(host):
    return call_guarded_tools(host)


@case("D31", one=ASKING, environment={"HERMES_GATEWAY_SESSION": "1"})
def an_approval_request_stays_pending_in_a_gateway(host):
    return call_guarded_tools(host)


@case("D31", one=ASKING, environment={"HERMES_SESSION_PLATFORM": "telegram"})
def a_platform_session_requests_approval_like_a_gateway(host):
    return call_guarded_tools(host)


@case("D31", one=ASKING, environment={"HERMES_INTERACTIVE": "1", "HERMES_EXEC_ASK": "1"})
def a_front_end_requests_approval_like_a_gateway(host):
    return call_guarded_tools(host)


@case("D31", one=ASKING, environment={"HERMES_INTERACTIVE": "1"})
def an_unanswered_approval_request_is_denied(host):
    return call_guarded_tools(host)
