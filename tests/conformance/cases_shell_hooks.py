"""Cases of section I: commands that the configuration names as hooks."""

import json
import re

from conformance.case import case
from conformance.noting import called, registering, seen

ACCEPTED = {"HERMES_ACCEPT_HOOKS": "1"}

NOTE = {
    "note.sh": """\
        cat >>"$HERMES_HOME/noted"
        echo >>"$HERMES_HOME/noted"
        printf %s "$1"
    """
}
"""A script that keeps what it reads, and prints its argument."""

ENTRIES = {
    "pre_tool_call": [
        {"command": "true", "matcher": " t ", "timeout": 5, "note": "an unknown key"},
        {"command": "  true  ", "matcher": ""},
        {"command": "false", "matcher": 5, "timeout": "7"},
        {"command": "true", "matcher": "(", "timeout": 2.9},
        {"command": "true a", "timeout": 0},
        {"command": "true b", "timeout": -3},
        {"command": "true c", "timeout": 301},
        {"command": "true d", "timeout": 300},
        {"command": "true e", "timeout": "soon"},
        {"command": "true f", "timeout": None},
        {"command": "true g", "timeout": True},
        {"command": "true h", "timeout": [1]},
        {"command": " "},
        {"command": 5},
        {"matcher": "t"},
        {},
        "true",
        None,
        ["true"],
    ],
    "post_llm_call": [{"command": "true", "matcher": "t"}, {"command": "true", "matcher": ""}],
    "post_api_request": None,
    "on_session_start": {"command": "true"},
    "on_session_end": "true",
    "pre_tool": [{"command": "true"}],
    "on_session_started": [{"command": "true"}],
    "zzz": [{"command": "true"}],
    "PRE_LLM_CALL": [],
}
"""Entries right and wrong."""


def noting(event, *words, **more):
    """The configuration of one hook that keeps what it reads and prints these words."""
    return {"hooks": {event: [{"command": " ".join(["sh ${HERMES_HOME}/note.sh", *words]), **more}]}}


def printing(*outputs, event="pre_tool_call"):
    """The configuration of one hook for each text, which prints it when the tool of its number is called."""
    entries = [
        {
            "command": f"printf %s {json.dumps(text)}" if '"' not in text else f"printf %s '{text}'",
            "matcher": f"t{number}",
        }
        for number, text in enumerate(outputs)
    ]
    return {"hooks": {event: entries}}


def noted(host):
    """What the script read, one run after the other."""
    file = host.home / "noted"
    return [json.loads(line) for line in file.read_text().splitlines()] if file.exists() else []


def approvals(host):
    """The consent file, without the moments in it, whether it is sorted and indented, and what lies beside it."""
    file = host.home / "shell-hooks-allowlist.json"
    beside = sorted(path.name for path in host.home.glob("shell-hooks-allowlist.json?*"))
    if not file.exists():
        return None, beside
    content = json.loads(file.read_text())
    is_tidy = file.read_text() == json.dumps(content, indent=2, sort_keys=True)
    moment = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z")
    return re.sub(moment, "<moment>", json.dumps(content)), is_tidy, beside


@case("I1", config={"hooks": ENTRIES}, environment=ACCEPTED)
def entries_that_cannot_be_used_are_skipped_with_a_warning(host):
    return host.hooks


@case("I1", config={"hooks": {"output_spill": {"enabled": False}, "pre_llm_call": [{"command": "true"}]}})
def a_section_of_its_own_is_no_event(host):
    return host.hooks


@case("I1", config={"hooks": [{"command": "true"}], "hooks_auto_accept": True})
def a_list_of_hooks_is_none(host):
    return host.hooks, approvals(host)


@case("I1", config={"hooks": None, "hooks_auto_accept": True})
def an_empty_section_is_none(host):
    return host.hooks


@case(
    "I2", files={"config.yaml": "hooks:\n  pre_llm_call:\n  - {command: 'true', timeout: .inf}\n"}, environment=ACCEPTED
)
def a_number_without_end_leaves_no_shell_hook(host):
    return host.hooks, approvals(host)


@case("I2", files={"config.yaml": "hooks:\n  5: []\n  true: []\n  pre_lm_call: []\n  ~: []\n"})
def an_event_that_is_no_text_is_unknown(host):
    return host.hooks


MATCHERS = ["t1|t2", "t", "T1", "t.*", "[", "^t1$", "t1|", " t1 ", "\\Qt1", "(?i)T1"]


@case(
    "I3",
    one=registering("tool('t'); tool('t1'); tool('t2'); tool('['); tool('xt1')"),
    files=NOTE,
    config={
        "hooks": {
            event: [{"command": f"sh ${{HERMES_HOME}}/note.sh '{matcher}'", "matcher": matcher} for matcher in MATCHERS]
            for event in ("pre_tool_call",)
        }
    },
    environment=ACCEPTED,
)
def a_matcher_fits_the_whole_name(host):
    host.fire("pre_tool_call", tool_name=None)
    host.call_tool("t")
    return called(host, "t1", "["), [one["tool_name"] for one in noted(host)]


@case("I3", files=NOTE, config=noting("pre_tool_call", matcher="t"), environment=ACCEPTED)
def a_name_that_is_no_text_is_an_error(host):
    return host.fire("pre_tool_call", tool_name=5), noted(host)


@case(
    "I3",
    files=NOTE,
    config=noting("post_tool_call", matcher="t|u"),
    one=registering("tool('t'); tool('v')"),
    environment=ACCEPTED,
)
def a_matcher_of_post_tool_call(host):
    return called(host, "t", "v"), [one["tool_name"] for one in noted(host)]


@case("I4", files=NOTE, config=noting("pre_llm_call", "'$HOME' `id` '*' ; echo x | cat >y"), environment=ACCEPTED)
def no_shell_reads_the_command(host):
    return host.fire("pre_llm_call"), len(noted(host)), (host.home / "y").exists()


@case(
    "I4",
    files={"home/say.sh": '#!/bin/sh\nprintf \'{"context": "%s"}\' "$PWD"\n'},
    config={"hooks": {"pre_llm_call": [{"command": "sh ~/say.sh"}, {"command": "~/say.sh"}]}},
    environment={**ACCEPTED, "HOME": "/nonexistent"},
)
def a_tilde_is_expanded_at_the_start_only(host):
    return host.fire("pre_llm_call")


@case(
    "I4",
    config={
        "hooks": {"pre_llm_call": [{"command": 'sh -c \'printf "{\\"context\\": \\"$PWD $HERMES_HOME $MINE\\"}"\''}]}
    },
    environment={**ACCEPTED, "MINE": "x"},
)
def a_command_runs_where_the_host_does_and_with_its_environment(host):
    return host.fire("pre_llm_call")


@case("I5", one=registering("tool('t')"), files=NOTE, config=noting("pre_tool_call"), environment=ACCEPTED)
def pre_tool_call_is_read_as_json(host):
    host.call_tool("t", n="5", s="ü\n\"'")
    return noted(host)


@case("I5", one=registering("tool('t')"), files=NOTE, config=noting("post_tool_call"), environment=ACCEPTED)
def post_tool_call_has_the_result_among_what_else_there_is(host):
    host.call_tool("t", n="5")
    for one in (read := noted(host)):
        # How long something takes is no behaviour.
        one["extra"]["duration_ms"] = type(one["extra"]["duration_ms"]).__name__
    return read


@case("I5", files=NOTE, config=noting("subagent_stop"), environment=ACCEPTED)
def the_session_of_the_parent_stands_for_the_missing_one(host):
    for given in ({}, {"session_id": "own"}, {"session_id": ""}, {"parent_session_id": None}, {"parent_session_id": 7}):
        host.fire("subagent_stop", **given)
    return noted(host)


@case("I5", files=NOTE, config=noting("pre_tool_call"), environment=ACCEPTED)
def arguments_that_are_no_mapping_are_left_out(host):
    for args in ([1], "text", None, {}):
        host.fire("pre_tool_call", tool_name="t", args=args)
    return noted(host)


@case(
    "I5",
    one=registering("""
        class Odd:
            def __str__(self): return "odd"
        def fire(arguments):
            from hermes_cli.plugins import invoke_hook
            values = {"set": {1}, "bytes": b"x", "odd": Odd(), "nan": float("nan"), "int": {5: Odd()}}
            return str(invoke_hook("pre_llm_call", **values))
        ctx.register_command("fire", fire)
        def broken(arguments):
            from hermes_cli.plugins import invoke_hook
            return str([invoke_hook("pre_llm_call", value=value) for value in ({(1, 2): 3}, "\\ud800")])
        ctx.register_command("broken", broken)
    """),
    files=NOTE,
    config=noting("pre_llm_call"),
    environment=ACCEPTED,
    known="The stand-ins for host modules have no `invoke_hook` yet.",
)
def what_json_cannot_hold_becomes_text(host):
    return host.command("/fire"), host.command("/broken"), (host.home / "noted").read_text()


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
    one=registering(f"for n in range({len(BLOCKS)}): tool(f't{{n}}')"),
    config=printing(*BLOCKS),
    environment=ACCEPTED,
)
def only_a_block_blocks_a_call(host):
    return called(host, *(f"t{number}" for number in range(len(BLOCKS))))


CONTEXTS = [
    '{"context": " c "}',
    '{"context": " "}',
    '{"context": 5}',
    '"context"',
    '{"context": "d", "target": "x"}',
    "no JSON",
]


@case(
    "I6",
    config={
        "hooks": {
            event: [{"command": f"printf %s '{text}'"} for text in CONTEXTS]
            for event in ("pre_llm_call", "on_session_start", "transform_tool_result", "pre_gateway_dispatch")
        }
    },
    environment=ACCEPTED,
)
def all_other_events_have_context_alone(host):
    return [
        host.fire(event)
        for event in ("pre_llm_call", "on_session_start", "transform_tool_result", "pre_gateway_dispatch")
    ]


@case(
    "I6",
    one=registering("tool('t')"),
    config={"hooks": {"transform_tool_result": [{"command": "printf '\"changed\"'"}]}},
    environment=ACCEPTED,
)
def a_result_cannot_be_changed(host):
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


@case(
    "I6",
    config={"hooks": {"pre_verify": [{"command": f"printf %s '{text}'"} for text in VERIFIED]}},
    environment=ACCEPTED,
)
def a_turn_may_be_continued_since_0_18(host):
    return host.fire("pre_verify")


@case(
    "I6",
    config={
        "hooks": {
            "pre_llm_call": [{"command": "sh -c 'printf \"\\\\377\"'"}, {"command": "printf 'no\\r\\nJSON %300d' 1"}]
        }
    },
    environment=ACCEPTED,
)
def output_that_is_no_text_is_an_error(host):
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
def a_command_that_fails_stops_nothing(host):
    (host.home / "empty").chmod(0o755)
    return host.fire("pre_llm_call")


@case(
    "I7",
    one=registering("tool('t')"),
    config={
        "hooks": {
            "pre_tool_call": [
                {"command": 'sh -c \'printf "{\\"action\\": \\"block\\", \\"message\\": \\"m\\"}"; exit 2\''}
            ]
        }
    },
    environment=ACCEPTED,
)
def a_command_that_fails_may_still_block(host):
    return host.call_tool("t").value


TWO = {
    "pre_llm_call": [{"command": "true"}],
    "post_llm_call": [{"command": "true"}, {"command": "sh ${HERMES_HOME}/note.sh"}],
}


@case("I8", files=NOTE, config={"hooks": TWO}, environment=ACCEPTED)
def consent_is_kept_in_a_file(host):
    return approvals(host), host.hooks


def consent(*approvals, **more):
    """The files of a home with this consent."""
    return {"shell-hooks-allowlist.json": json.dumps({"approvals": list(approvals), **more})}


@case(
    "I8",
    files=consent(
        {"event": "pre_llm_call", "command": "true"},
        {"event": "post_llm_call", "command": "false"},
        5,
        None,
        {"command": "other"},
        more="kept",
    ),
    config={"hooks": TWO},
)
def consent_is_for_an_event_and_an_exact_command(host):
    return approvals(host), host.hooks


@case(
    "I8",
    files=NOTE | consent(5, {"event": "post_llm_call", "command": "other"}, {"event": "x"}, more="kept"),
    config={"hooks": TWO},
    environment=ACCEPTED,
)
def what_else_stands_in_the_file_is_kept(host):
    return approvals(host)


@case("I8", files={"shell-hooks-allowlist.json": "{no JSON"}, config={"hooks": TWO}, environment=ACCEPTED)
def a_file_that_cannot_be_read_gives_way(host):
    return approvals(host), host.hooks


@case("I8", files={"shell-hooks-allowlist.json": '["list"]'}, config={"hooks": TWO})
def a_file_of_another_form_allows_nothing(host):
    return approvals(host), host.hooks


@case(
    "I8",
    files={"shell-hooks-allowlist.json": '{"approvals": {"a": 1}, "x": 1}'},
    config={"hooks": TWO},
    environment=ACCEPTED,
)
def approvals_of_another_form_give_way(host):
    return approvals(host), host.hooks


@case("I8", files={"shell-hooks-allowlist.json.lock/file": ""}, config={"hooks": TWO}, environment=ACCEPTED)
def without_the_lock_nothing_is_registered(host):
    return host.hooks


@case("I9", config={"hooks": TWO}, accept_hooks=True)
def accepting_by_the_flag(host):
    return approvals(host), host.hooks


@case("I9", config={"hooks": TWO})
def nothing_runs_without_consent(host):
    return approvals(host), host.hooks, host.fire("pre_llm_call")


@case("I9", config={"hooks": TWO}, environment={"HERMES_ACCEPT_HOOKS": " Yes "})
def accepting_by_the_environment(host):
    return approvals(host), host.hooks


@case("I9", config={"hooks": TWO}, environment={"HERMES_ACCEPT_HOOKS": "2"})
def not_accepting_by_the_environment(host):
    return approvals(host), host.hooks


@case("I9", files={".env": "HERMES_ACCEPT_HOOKS=on\n"}, config={"hooks": TWO})
def accepting_by_the_file_of_variables(host):
    return approvals(host), host.hooks


@case("I9", config={"hooks": TWO, "hooks_auto_accept": " ON "})
def accepting_by_a_word_of_the_configuration(host):
    return host.hooks


@case("I9", config={"hooks": TWO, "hooks_auto_accept": True})
def accepting_by_the_configuration(host):
    return approvals(host), host.hooks


@case("I9", config={"hooks": TWO, "hooks_auto_accept": 1})
def a_number_accepts_nothing(host):
    return approvals(host), host.hooks


@case(
    "I10",
    one=registering("""
        tool("t"); tool("u")
        ctx.register_hook("pre_tool_call", lambda tool_name, **kw: {"action": "block", "message": "plugin"} if tool_name == "t" else None)
    """),
    files=NOTE,
    config=noting("pre_tool_call", '\'{"action": "block", "message": "shell"}\''),
    environment=ACCEPTED,
)
def a_block_of_a_plugin_comes_first(host):
    return called(host, "t", "u"), len(noted(host))


@case(
    "I10",
    files=NOTE,
    config={
        "hooks": {
            "pre_tool_call": [
                {"command": "sh ${HERMES_HOME}/note.sh", "matcher": matcher, "timeout": timeout}
                for matcher, timeout in (("t", 5), ("t", 6), ("t|u", 5), (" t", 5))
            ]
        }
    },
    environment=ACCEPTED,
)
def an_entry_counts_once_for_each_matcher(host):
    host.fire("pre_tool_call", tool_name="t")
    return len(noted(host)), approvals(host)


@case(
    "I10",
    config={"hooks": {"pre_llm_call": [{"command": "true"}, {"command": "true"}]}},
)
def what_is_not_allowed_is_told_each_time(host):
    return host.hooks


@case("A3", one=registering("ctx.register_hook('pre_llm_call', print)"), config={"hooks": TWO}, environment=ACCEPTED)
def a_rescan_drops_shell_hooks(host):
    before = host.hooks
    host.rescan()
    return before, host.hooks


@case(
    "A7",
    config={"hooks": TWO},
    environment={**ACCEPTED, "HERMES_SAFE_MODE": "1"},
    releases=["0.16.0", "0.17.0", "0.18.0", "0.18.1", "0.19.0"],
)
def safe_mode_registers_no_shell_hook(host):
    return host.hooks, approvals(host)


@case(
    "I12",
    files={"a.sh": "", "b": "", "c.PY": ""},
    config={
        "hooks": {
            "pre_llm_call": [
                {"command": command}
                for command in (
                    "${HERMES_HOME}/a.sh",
                    "sh /tmp ${HERMES_HOME}/a.sh x",
                    "sh ${HERMES_HOME}/b",
                    "env X=1 ${HERMES_HOME}/c.PY",
                    "python ~/x.py",
                    "true",
                    "sh 'unbalanced",
                    "nothing ''",
                )
            ]
        }
    },
    environment=ACCEPTED,
)
def the_time_of_the_script_is_kept_with_the_consent(host):
    return approvals(host)
