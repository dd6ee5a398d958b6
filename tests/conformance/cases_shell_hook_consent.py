"""Cases of section I: consent for commands, and how it is stored."""

import json
import re

from conformance.case import case
from conformance.recorder import call_tools, recorder
from conformance.shell_hooks import ACCEPTED, NOTE, read_notes, recording_hook

TWO = {
    "pre_llm_call": [{"command": "true"}],
    "post_llm_call": [{"command": "true"}, {"command": "sh ${HERMES_HOME}/note.sh"}],
}


def approvals(host):
    """Return the consent file without timestamps, its formatting, and the files beside it."""
    file = host.home / "shell-hooks-allowlist.json"
    beside = sorted(path.name for path in host.home.glob("shell-hooks-allowlist.json?*"))
    if not file.exists():
        return None, beside
    content = json.loads(file.read_text())
    is_tidy = file.read_text() == json.dumps(content, indent=2, sort_keys=True)
    moment = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z")
    return re.sub(moment, "<moment>", json.dumps(content)), is_tidy, beside


@case("I8", files=NOTE, config={"hooks": TWO}, environment=ACCEPTED)
def consent_is_stored_in_a_file(host):
    return approvals(host), host.hooks


def consent(*approvals, **more):
    """Return the files of a home with this consent."""
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
def other_entries_of_the_consent_file_are_kept(host):
    return approvals(host)


@case("I8", files={"shell-hooks-allowlist.json": "{no JSON"}, config={"hooks": TWO}, environment=ACCEPTED)
def an_unreadable_consent_file_is_replaced(host):
    return approvals(host), host.hooks


@case("I8", files={"shell-hooks-allowlist.json": '["list"]'}, config={"hooks": TWO})
def an_invalid_consent_file_allows_nothing(host):
    return approvals(host), host.hooks


@case(
    "I8",
    files={"shell-hooks-allowlist.json": '{"approvals": {"a": 1}, "x": 1}'},
    config={"hooks": TWO},
    environment=ACCEPTED,
)
def invalid_approvals_are_replaced(host):
    return approvals(host), host.hooks


@case("I8", files={"shell-hooks-allowlist.json.lock/file": ""}, config={"hooks": TWO}, environment=ACCEPTED)
def shell_hooks_are_not_registered_without_the_lock(host):
    return host.hooks


@case("I9", config={"hooks": TWO}, accept_hooks=True)
def consent_is_given_by_the_flag(host):
    return approvals(host), host.hooks


@case("I9", config={"hooks": TWO})
def shell_hooks_do_not_run_without_consent(host):
    return approvals(host), host.hooks, host.fire("pre_llm_call")


@case("I9", config={"hooks": TWO}, environment={"HERMES_ACCEPT_HOOKS": " Yes "})
def consent_is_given_by_the_environment(host):
    return approvals(host), host.hooks


@case("I9", config={"hooks": TWO}, environment={"HERMES_ACCEPT_HOOKS": "2"})
def consent_is_not_given_by_a_false_variable(host):
    return approvals(host), host.hooks


@case("I9", files={".env": "HERMES_ACCEPT_HOOKS=on\n"}, config={"hooks": TWO})
def consent_is_given_by_the_env_file(host):
    return approvals(host), host.hooks


@case("I9", config={"hooks": TWO, "hooks_auto_accept": " ON "})
def consent_is_given_by_a_word_in_the_configuration(host):
    return host.hooks


@case("I9", config={"hooks": TWO, "hooks_auto_accept": True})
def consent_is_given_by_the_configuration(host):
    return approvals(host), host.hooks


@case("I9", config={"hooks": TWO, "hooks_auto_accept": 1})
def a_number_in_the_configuration_is_not_consent(host):
    return approvals(host), host.hooks


@case(
    "I10",
    one=recorder("""
        tool("t"); tool("u")
        ctx.register_hook("pre_tool_call", lambda tool_name, **kw: {"action": "block", "message": "plugin"} if tool_name == "t" else None)
    """),
    files=NOTE,
    config=recording_hook("pre_tool_call", '\'{"action": "block", "message": "shell"}\''),
    environment=ACCEPTED,
)
def a_block_by_a_plugin_takes_precedence(host):
    return call_tools(host, "t", "u"), len(read_notes(host))


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
    return len(read_notes(host)), approvals(host)


@case(
    "I10",
    config={"hooks": {"pre_llm_call": [{"command": "true"}, {"command": "true"}]}},
)
def missing_consent_is_logged_each_time(host):
    return host.hooks


@case("A3", one=recorder("ctx.register_hook('pre_llm_call', print)"), config={"hooks": TWO}, environment=ACCEPTED)
def a_rescan_drops_shell_hooks(host):
    before = host.hooks
    host.rescan()
    return before, host.hooks


@case(
    "A7",
    config={"hooks": TWO},
    environment={**ACCEPTED, "HERMES_SAFE_MODE": "1"},
)
def safe_mode_does_not_register_shell_hooks(host):
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
def the_modification_time_of_the_script_is_stored_with_the_consent(host):
    return approvals(host)
