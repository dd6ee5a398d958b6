"""Cases of section I: input and output of a command."""

import subprocess

from conformance.case import case
from conformance.recorder import call_tools, recorder
from conformance.shell_hooks import ACCEPTED, NOTE, printing_hooks, read_notes, recording_hook


@case("I5", one=recorder("tool('t')"), files=NOTE, config=recording_hook("pre_tool_call"), environment=ACCEPTED)
def pre_tool_call_is_read_as_json(host):
    host.call_tool("t", n="5", s="ü\n\"'")
    return read_notes(host)


@case("I5", one=recorder("tool('t')"), files=NOTE, config=recording_hook("post_tool_call"), environment=ACCEPTED)
def post_tool_call_receives_the_result(host):
    host.call_tool("t", n="5")
    for one in (read := read_notes(host)):
        # Durations vary.
        one["extra"]["duration_ms"] = type(one["extra"]["duration_ms"]).__name__
    return read


@case("I5", files=NOTE, config=recording_hook("subagent_stop"), environment=ACCEPTED)
def a_missing_session_is_replaced_by_that_of_the_parent(host):
    for given in ({}, {"session_id": "own"}, {"session_id": ""}, {"parent_session_id": None}, {"parent_session_id": 7}):
        host.fire("subagent_stop", **given)
    return read_notes(host)


@case("I5", files=NOTE, config=recording_hook("pre_tool_call"), environment=ACCEPTED)
def arguments_that_are_not_a_mapping_are_omitted(host):
    for args in ([1], "text", None, {}):
        host.fire("pre_tool_call", tool_name="t", args=args)
    return read_notes(host)


ODD = """
    class Odd:
        def __str__(self): return "odd"
    tool("odd", lambda args, **kwargs: {"_multimodal": True, "content": [Odd(), {1}, b"x", float("nan"), {5: Odd()}]})
    tool("key", lambda args, **kwargs: {"_multimodal": True, "content": [{(1, 2): 3}]})
"""


@case("I5", one=recorder(ODD), files=NOTE, config=recording_hook("post_tool_call"), environment=ACCEPTED)
def values_that_json_cannot_represent_become_strings(host):
    for name in ("odd", "key"):
        host.call_tool(name)
    return [one["extra"]["result"] for one in read_notes(host)]


BLOCKS = [
    '{"action": "block", "message": "m", "reason": "r"}',
    '{"decision": "block", "message": "m", "reason": "r"}',
    '{"action": "block", "reason": "r"}',
    '{"decision": "block", "message": "m"}',
    '{"action": "block"}',
    '{"action": "block", "message": ""}',
    '{"action": "block", "message": 5, "reason": "r"}',
    '{"decision": "block", "message": "m", "reason": ["r"]}',
    '{"action": "approve", "message": "m"}',
    '{"action": "allow", "decision": "block", "reason": "r"}',
    '{"action": "BLOCK", "message": "m"}',
    '{"context": "c"}',
    "[1]",
    "null",
    " \n ",
    "no JSON",
    '{"action": "block", "message": "m"} and more',
]


@case(
    "I6",
    one=recorder(f"for n in range({len(BLOCKS)}): tool(f't{{n}}')"),
    config={
        "hooks": {"pre_tool_call": [{**entry, "matcher": f"t{n}"} for n, entry in enumerate(printing_hooks(*BLOCKS))]},
    },
    environment=ACCEPTED,
)
def only_a_block_decision_blocks_a_call(host):
    return call_tools(host, *(f"t{number}" for number in range(len(BLOCKS))))


CONTEXTS = [
    '{"context": " c "}',
    '{"context": " "}',
    '{"context": 5}',
    '"context"',
    '{"context": "d", "target": "x"}',
    "no JSON",
]

OTHERS = ("pre_llm_call", "on_session_start", "transform_tool_result", "pre_gateway_dispatch")


@case("I6", config={"hooks": {event: printing_hooks(*CONTEXTS) for event in OTHERS}}, environment=ACCEPTED)
def other_events_accept_context_only(host):
    return [host.fire(event) for event in OTHERS]


@case(
    "I6",
    one=recorder("tool('t')"),
    config={"hooks": {"transform_tool_result": printing_hooks('"changed"', '{"context": "changed"}')}},
    environment=ACCEPTED,
)
def a_shell_hook_cannot_change_a_result(host):
    return host.call_tool("t").value


VERIFIED = [
    '{"action": "continue", "message": " go on "}',
    '{"decision": "block", "reason": "r"}',
    '{"action": " BLOCK ", "reason": "r"}',
    '{"action": "continue"}',
    '{"action": "continue", "message": " "}',
    '{"action": "continue", "message": 5, "reason": "r"}',
    '{"decision": "stop", "reason": "r"}',
    '{"context": "c"}',
]


@case("I6", config={"hooks": {"pre_verify": printing_hooks(*VERIFIED)}}, environment=ACCEPTED)
def a_turn_can_be_continued_since_0_18(host):
    return host._fire("pre_verify", {})


@case(
    "I6",
    config={
        "hooks": {
            "pre_llm_call": [{"command": "sh -c 'printf \"\\\\377\"'"}, {"command": "printf 'no\\r\\nJSON %300d' 1"}]
        }
    },
    environment=ACCEPTED,
)
def output_that_is_not_text_is_an_error(host):
    return host.fire("pre_llm_call")


FAILING = [
    'sh -c \'echo "{\\"context\\": \\"c\\"}"; echo oops >&2; exit 3\'',
    "sh -c 'kill -TERM $$'",
    "false",
    "no-such-command",
    "/etc/hostname",
    "/",
    "sh 'unbalanced",
    "${HERMES_HOME}/empty",
    "sleep 10",
]


@case(
    "I7",
    files={"empty": ""},
    config={"hooks": {"pre_llm_call": [{"command": text, "timeout": 1} for text in FAILING]}},
    environment=ACCEPTED,
)
def a_failing_command_does_not_stop_a_call(host):
    (host.home / "empty").chmod(0o755)
    return host.fire("pre_llm_call")


@case(
    "I7",
    one=recorder("tool('t')"),
    config={
        "hooks": {
            "pre_tool_call": [
                {"command": 'sh -c \'printf "{\\"action\\": \\"block\\", \\"message\\": \\"m\\"}"; exit 2\''}
            ]
        }
    },
    environment=ACCEPTED,
)
def a_failing_command_can_still_block(host):
    return host.call_tool("t").value


FAILING = {
    "missing": "/no/such/command",
    "slow": "sleep 9",
    "prose": "echo no JSON",
    "list": "echo []",
    "silent": "true",
    "object": "echo {}",
    "status": "false",
    "status_prose": "sh -c 'echo no JSON; exit 3'",
    "status_block": """sh -c 'echo "{\\"action\\": \\"block\\", \\"message\\": \\"m\\"}"; exit 3'""",
    "exit_two": "sh -c 'exit 2'",
    "exit_two_said": "sh -c 'echo told >&2; exit 2'",
    "exit_two_prose": "sh -c 'echo no JSON; echo told >&2; exit 2'",
    "exit_two_block": """sh -c 'echo "{\\"action\\": \\"block\\", \\"message\\": \\"m\\"}"; exit 2'""",
    "exit_two_modify": """sh -c 'echo "{\\"action\\": \\"modify\\", \\"args\\": {\\"n\\": 6}}"; exit 2'""",
}


def guarding(**more):
    """Return entries of failing hooks, each for its own tool."""
    return [{"command": command, "matcher": name, "timeout": 1, **more} for name, command in FAILING.items()]


N106 = {
    "one": recorder(f"for n in {sorted(FAILING)!r}: tool(n)"),
    "environment": ACCEPTED,
}


@case("N106", config={"hooks": {"pre_tool_call": guarding(fail_closed=True)}}, **N106)
def a_failing_guard_command_blocks_a_call(host):
    return call_tools(host, *FAILING)


@case("N106", config={"hooks": {"pre_tool_call": guarding()}}, **N106)
def a_status_of_two_blocks_a_call(host):
    return call_tools(host, *FAILING)


CHILD = """sh -c 'sleep 60 & echo $! >"$HERMES_HOME/child"; wait'"""


@case(
    "N109",
    one=recorder("tool('t')"),
    config={"hooks": {"pre_tool_call": [{"command": CHILD, "timeout": 1}]}},
    environment=ACCEPTED,
    releases=["0.20.2", "0.22.2"],
)
def child_processes_of_a_command_are_killed_with_it(host):
    call_tools(host, "t")
    child = (host.home / "child").read_text().strip()
    shown = subprocess.run(["ps", "-o", "stat=", "-p", child], capture_output=True, check=False)
    # A zombie process counts as dead.
    return shown.stdout.decode().strip().strip("Z")


CLOSED = [
    {"command": "false", "fail_closed": "yes"},
    {"command": "false a", "fail_closed": None},
    {"command": "false b", "failClosed": True},
    {"command": "false c", "failClosed": True, "fail_closed": False},
]


@case(
    "N106",
    config={"hooks": dict.fromkeys(("pre_tool_call", "post_tool_call", "on_session_start"), CLOSED)},
    environment=ACCEPTED,
)
def fail_closed_applies_to_blocking_events_only(host):
    return [host.fire(event) for event in ("pre_tool_call", "post_tool_call", "on_session_start")]


CHANGING = [
    '{"action": "modify", "args": {"n": 6}}',
    '{"decision": "modify", "tool_input": {"n": 7}}',
    '{"action": "modify", "tool_input": {"n": 8}}',
    '{"action": "modify", "args": []}',
    '{"action": "modify", "args": {}, "decision": "block", "reason": "r"}',
    '{"action": "approve"}',
    '{"action": "approve", "message": " m ", "rule_key": " k "}',
    '{"action": "approve", "message": " ", "rule_key": 5}',
    '{"decision": "approve"}',
]


@case(
    "N107",
    config={"hooks": {"pre_tool_call": printing_hooks(*CHANGING)}},
    environment=ACCEPTED,
)
def a_command_changes_arguments_or_asks_the_user(host):
    return host._fire("pre_tool_call", {"tool_name": "t", "args": {}})


@case(
    "N108",
    config={
        "hooks": {
            name: [{"command": "true"}]
            for name in ("outbound", "transform_api_error_classification", "on_stream_delta", "on_kanban_task_updated")
        }
    },
    environment=ACCEPTED,
)
def events_for_python_plugins_only_are_rejected_for_shell_hooks(host):
    return host.hooks
