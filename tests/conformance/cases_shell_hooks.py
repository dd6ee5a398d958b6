"""Cases of section I: configuration of shell hooks, matchers, and how commands run."""

from conformance.case import case
from conformance.gateway_cases import gateway_case
from conformance.recorder import call_tools, recorder
from conformance.shell_hooks import ACCEPTED, NOTE, read_notes, recording_hook

from hermes_sdk.llm import say

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
"""Valid and invalid entries."""


@case("I2", config={"hooks": ENTRIES}, environment=ACCEPTED)
def entries_that_cannot_be_used_are_skipped_with_a_warning(host):
    return host.hooks


@case(
    "I1",
    config={"hooks": {"output_spill": {"enabled": False}, "pre_llm_call": [{"command": "true"}]}},
)
def unrelated_sections_are_not_events(host):
    return host.hooks


@case("I1", config={"hooks": [{"command": "true"}], "hooks_auto_accept": True})
def hooks_must_be_a_mapping(host):
    return host.hooks, (host.home / "shell-hooks-allowlist.json").exists()


@case("I1", config={"hooks": None, "hooks_auto_accept": True})
def an_empty_hooks_section_registers_nothing(host):
    return host.hooks


@case(
    "I2", files={"config.yaml": "hooks:\n  pre_llm_call:\n  - {command: 'true', timeout: .inf}\n"}, environment=ACCEPTED
)
def an_infinite_number_removes_all_shell_hooks(host):
    return host.hooks, (host.home / "shell-hooks-allowlist.json").exists()


@case("I2", files={"config.yaml": "hooks:\n  5: []\n  true: []\n  pre_lm_call: []\n  ~: []\n"})
def an_event_that_is_not_a_string_is_unknown(host):
    return host.hooks


MATCHERS = ["t1|t2", "t", "T1", "t.*", "[", "^t1$", "t1|", " t1 ", "\\Qt1", "(?i)T1"]


@case(
    "I3",
    one=recorder("tool('t'); tool('t1'); tool('t2'); tool('['); tool('xt1')"),
    files=NOTE,
    config={
        "hooks": {
            event: [{"command": f"sh ${{HERMES_HOME}}/note.sh '{matcher}'", "matcher": matcher} for matcher in MATCHERS]
            for event in ("pre_tool_call",)
        }
    },
    environment=ACCEPTED,
)
def a_matcher_matches_the_whole_name(host):
    host.fire("pre_tool_call", tool_name=None)
    host.call_tool("t")
    return call_tools(host, "t1", "["), [one["tool_name"] for one in read_notes(host)]


@case("I3", files=NOTE, config=recording_hook("pre_tool_call", matcher="t"), environment=ACCEPTED)
def a_name_that_is_not_a_string_is_an_error(host):
    return host.fire("pre_tool_call", tool_name=5), read_notes(host)


@case(
    "I3",
    files=NOTE,
    config=recording_hook("post_tool_call", matcher="t|u"),
    one=recorder("tool('t'); tool('v')"),
    environment=ACCEPTED,
)
def a_matcher_applies_to_post_tool_call(host):
    return call_tools(host, "t", "v"), [one["tool_name"] for one in read_notes(host)]


@case(
    "I4", files=NOTE, config=recording_hook("pre_llm_call", "'$HOME' `id` '*' ; echo x | cat >y"), environment=ACCEPTED
)
def commands_run_without_a_shell(host):
    return host.fire("pre_llm_call"), len(read_notes(host)), (host.home / "y").exists()


@case(
    "I4",
    files={"cwd/say.sh": 'printf \'{"context": "said"}\'\n'},
    config={"hooks": {"pre_llm_call": [{"command": "~/say.sh"}, {"command": "sh ~/say.sh"}, {"command": "sh say.sh"}]}},
    environment={**ACCEPTED, "HOME": "."},
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
def commands_run_in_the_directory_and_environment_of_the_host(host):
    return host.fire("pre_llm_call")


@gateway_case("I2", config={"hooks": {"pre_llm_call": [{"command": "true", "timeout": "soon"}, {"command": "false"}]}})
def a_gateway_reads_the_commands_again(host):
    host.gateway().stop()
    return [one.message for one in host.log if one.logger == "agent.shell_hooks"]


@gateway_case("I2", files=NOTE, config=recording_hook("pre_llm_call"), environment=ACCEPTED)
def a_gateway_runs_each_command_once(host):
    host.llm.script(say("one"))
    gateway = host.gateway()
    gateway.dm("u1").receives("hello")
    gateway.stop()
    return len(read_notes(host))
