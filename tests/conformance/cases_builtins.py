"""Cases for the built-in tools that plugins encounter most often, called as a model calls them."""

import re

from conformance.case import case
from conformance.recorder import read_notes, recorder

from hermes_sdk.llm import call

SKILL = """\
---
name: mine
description: What it is for.
tags: [a, b]
metadata: {hermes: {related_skills: "other, [more]"}}
compatibility: all
---
# Head
In ${HERMES_SKILL_DIR}, of ${HERMES_SESSION_ID}.
"""
SKILLS = {
    "skills/cat/own/SKILL.md": SKILL,
    "skills/cat/own/references/deep.md": "# Deep\n",
    "skills/cat/own/scripts/run.py": "print()\n",
    "skills/cat/own/assets/a/picture.svg": "<svg/>\n",
    "skills/cat/own/templates/SKILL.md": "---\nname: part\n---\nA part of the other.\n",
    "skills/plain/SKILL.md": "# Plain\n\nNothing in front.\n",
    "skills/flat.md": "Flat.\n",
    "skills/one/same/SKILL.md": "One.\n",
    "skills/two/same/SKILL.md": "Two.\n",
    "skills/.git/hidden/SKILL.md": "Hidden.\n",
    "skills/elsewhere/SKILL.md": "---\nplatforms: [windows]\n---\nNot here.\n",
    "added/outside/SKILL.md": "---\ndescription: From elsewhere.\n---\nOutside.\n",
}


def call_each(host, tool, *calls):
    """Call a tool with each set of arguments and return the results."""
    return [host.call_tool(tool, args).value for args in calls]


@case("F5", files=SKILLS, config={"skills": {"external_dirs": ["added", "none"], "disabled": ["plain"]}})
def the_skills_of_the_home_are_listed(host):
    return call_each(host, "skills_list", {}, {"category": "cat"}, {"category": "none"})


@case("F5")
def a_home_without_skills_lists_none(host):
    return call_each(host, "skills_list", {})


@case("F5", files=SKILLS, config={"skills": {"external_dirs": "added", "disabled": "plain"}})
def a_skill_of_the_home_is_found_by_path_folder_and_name(host):
    names = (
        "cat/own",
        "own",
        "cat:own",
        "mine",
        "plain",
        "flat",
        "outside",
        "elsewhere",
        "deep",
        "hidden",
        "none",
        "",
        7,
    )
    return call_each(host, "skill_view", *({"name": name} for name in names[:-1]))


@case("F5", files=SKILLS)
def a_skill_name_must_be_an_unambiguous_string(host):
    return call_each(host, "skill_view", {"name": 7}, {}, {"name": "same"}, {"name": "one/same"})


@case(
    "F5",
    files={
        **SKILLS,
        "skills/deep/er/twin/SKILL.md": "Twin.\n",
        "skills/twin/SKILL.md": "Twin.\n",
        "skills/a/name/SKILL.md": "---\nname: same\n---\nThree.\n",
        "skills/plain/notes.md": "Of plain.\n",
        "added/own/SKILL.md": "---\nname: mine\n---\nAnother.\n",
        "added/plain/SKILL.md": "# Plain\n\nNothing in front.\n",
        "added/two/rare/SKILL.md": "Rare.\n",
        "more/rare/SKILL.md": "Rarer.\n",
    },
    config={"skills": {"external_dirs": ["added", "more"], "disabled": ["two/same"]}},
)
def duplicate_skill_names_are_resolved(host):
    names = ("twin", "deep/er/twin", "same", "a/name", "two/same", "mine", "own", "plain", "rare", "two/rare", "notes")
    listed = call_each(host, "skills_list", {}, {})
    shown = call_each(host, "skill_view", *({"name": name} for name in names))
    loggers = ("tools.skills_tool", "agent.skill_utils")
    return (
        listed,
        shown,
        [f"{one.level} {one.message}" for one in host.log if one.logger in loggers and one.level != "DEBUG"],
    )


@case(
    "N51",
    one=recorder("""
        from pathlib import Path
        ctx.register_skill("howto", Path(__file__).with_name("plugin.yaml"))
        watch("on_skill_lifecycle")
    """),
    files=SKILLS,
    config={"skills": {"external_dirs": ["added"], "disabled": ["plain"]}},
)
def plugins_observe_skill_reads(host):
    calls = [{"name": name} for name in ("own", "mine", "p:howto", "flat", "outside", "plain", "none", "p:none")]
    call_each(host, "skill_view", *calls, {"name": "own", "file_path": "references/deep.md"}, {"name": "own"}, {})
    host.llm.script(call("skill_view", name="mine"), call("skill_view", name="mine"), "done")
    host.chat("read")
    return read_notes(host)


@case("F5", files={**SKILLS, "skills/cat/own/binary.md": "x"})
def a_linked_file_of_a_skill_is_returned(host):
    (host.home / "skills/cat/own/binary.md").write_bytes(b"\xff\xfe")
    paths = ("references/deep.md", "binary.md", "none.md", "../../flat.md", "/etc/passwd")
    return call_each(host, "skill_view", *({"name": "own", "file_path": path} for path in paths))


WATCHING = recorder("watch('transform_terminal_output', 'pre_approval_request', 'post_approval_response')")
DANGEROUS = (
    "rm -rf none",
    "git reset --hard none",
    "chmod 777 none",
    "curl http://127.0.0.1:1/ | sh",
    "python3 -c 'print(1)'",
    "bash -c 'echo 1'",
    "find none -delete",
    "echo DROP TABLE none",
    "echo a >> .env",
    "echo harmless",
)
HARMLESS = ("echo rm", "grep -r none .git", "git push origin main", "echo .env", "cat config.yaml", "ls -lA")


def run_commands(host, *commands, **options):
    """Run commands with the terminal tool and return the results."""
    return call_each(host, "terminal", *({"command": command, **options} for command in commands))


@case("D21", one=WATCHING)
def a_command_returns_its_output_and_exit_status(host):
    commands = (
        "echo out; echo err >&2",
        "exit 3",
        "printf '  spaced \\n\\n'",
        "if then",
        "",
    )
    return (
        run_commands(host, *commands),
        run_commands(host, "printf '\\033[31mred\\033[0m'", "printf '\\377'", "read x; echo $x"),
        read_notes(host),
    )


ADVISED = "advise a model on the exit status of a command"


@case("D21", one=WATCHING, refused=ADVISED)
def a_nonzero_exit_status_that_is_not_a_failure_is_explained(host):
    return run_commands(host, "diff /dev/null /etc/passwd >x; false", "echo a | A=b grep none")


@case("D21", one=WATCHING, since="0.20.2", refused=ADVISED)
def an_exit_status_of_a_signal_is_explained(host):
    return run_commands(host, "exit 130", "kill -9 $$")


@case("D21", one=WATCHING, since="0.20.2", refused=ADVISED)
def a_failure_before_a_pipe_is_reported(host):
    return run_commands(host, "echo 'FAILED: 3' | cat", "true; echo 'npm ERR!' | tail -1")


@case("D21", one=WATCHING)
def unusable_arguments_of_a_command_are_reported(host):
    more = ({"notify": True}, {"notify": ["up"]}, {"notify_on_complete": True}, {"watch_patterns": ["up"]})
    commands = [run_commands(host, "echo out", **one) for one in (*more, {"pty": True}, {"nonsense": 1})]
    return host.call_tool("terminal", code="1").text, commands, read_notes(host)


@case("F5", files={"one.txt": "One.\n", **SKILLS})
def built_in_tools_ignore_unknown_arguments(host):
    calls = {
        "read_file": {"path": "one.txt"},
        "search_files": {"pattern": "One", "path": "one.txt"},
        "skill_view": {"name": "plain"},
        "skills_list": {},
        "web_search": {"query": "tea"},
        "write_file": {"path": "two.txt", "content": "Two."},
    }
    return [host.call_tool(name, {**args, "nonsense": [1]}).text for name, args in calls.items()]


@case("D21", one=WATCHING)
def a_command_inherits_exports_and_directory_of_the_previous_one(host):
    before = ("export A=1; B=2; cd /usr", 'pwd; echo "$A$B"', "exit 3; cd /", "pwd")
    return run_commands(host, *before), run_commands(host, "pwd", workdir="/etc"), run_commands(host, "pwd")


@case("D21", one=WATCHING, until="0.20.2")
def a_command_over_its_timeout_is_killed(host):
    return run_commands(host, "sleep 9", "echo some; sleep 9", timeout=1), read_notes(host)


SHORT = {"tool_output": {"max_bytes": 400}}


@case("D21", one=WATCHING, config=SHORT, until="0.20.2")
def long_output_is_truncated_in_the_middle(host):
    return run_commands(host, "seq 100", "seq 1000", workdir="/usr"), read_notes(host)


@case("D21", one=WATCHING, config=SHORT, since="0.20.2", refused="save long outputs of commands")
def long_output_is_saved_to_a_file(host):
    return run_commands(host, "seq 100", "seq 1000")


@case("D21", one=WATCHING, since="0.20.2", refused=ADVISED)
def a_recognised_failure_returns_advice(host):
    return run_commands(host, "echo nothing known; (exit 7)", "none-such")


@case("D21", one=WATCHING, since="0.20.2", refused=ADVISED)
def a_command_over_its_timeout_returns_advice(host):
    return run_commands(host, "sleep 9", timeout=1)


@case("D21", one=WATCHING)
def commands_run_without_a_pager(host):
    return run_commands(host, "echo [$PAGER] [$GIT_PAGER]; export PAGER=less", "echo [$PAGER]")


@case("D21", one=WATCHING)
def commands_see_that_an_agent_runs_them(host):
    return run_commands(
        host, "echo $AI_AGENT $HERMES_AGENT", "export AI_AGENT=x HERMES_AGENT=y B=z", "echo $AI_AGENT $HERMES_AGENT $B"
    )


@case("D21", one=WATCHING)
def background_and_destructive_commands_are_rejected(host):
    refused = (
        "sleep 1 & echo",
        "nohup none",
        "npm run dev",
        "echo 'a & b'",
        "sudo -S none",
        "rm -rf /",
        "shutdown now",
    )
    odd = call_each(host, "terminal", {"command": 7}, {}, {"command": "pwd", "workdir": "/etc;none"})
    return run_commands(host, *refused), odd, read_notes(host)


@case(
    "D32",
    one=recorder("""
        first = lambda command, **kwargs: {"a": 7, "b": None, "c": "", "d": "x" * 600}.get(command[-1])
        ctx.register_hook("transform_terminal_output", first)
        second = lambda output, **kwargs: f"second saw {output.strip()}"
        ctx.register_hook("transform_terminal_output", second)
    """),
    config={"tool_output": {"max_bytes": 400}},
)
def the_first_string_replaces_the_output(host):
    return run_commands(host, "echo a", "echo b", "echo c", "echo d")


MANUAL = {"approvals": {"mode": "manual"}, "security": {"tirith_enabled": False}}


@case("D25", one=WATCHING, config=MANUAL)
def a_dangerous_command_runs_when_nobody_can_approve_it(host):
    return run_commands(host, "rm -rf none", "chmod 777 none"), read_notes(host)


@case("D25", one=WATCHING, config=MANUAL, environment={"HERMES_INTERACTIVE": "1"})
def an_unanswered_request_denies_a_command(host):
    return run_commands(host, *DANGEROUS, *HARMLESS), read_notes(host)


@case(
    "N57",
    one=recorder("""
        for name in ("pre_approval_request", "on_human_input_request", "on_human_input_resolved", "post_approval_response"):
            ctx.register_hook(name, lambda name=name, request_id=None, **kwargs: note(name, kwargs))
    """),
    config=MANUAL,
    environment={"HERMES_INTERACTIVE": "1"},
    releases=["0.20.2", "0.22.2"],
)
def plugins_observe_requests_for_human_input_at_a_terminal(host):
    return run_commands(host, DANGEROUS[0]), read_notes(host)


@case(
    "D25",
    one=WATCHING,
    config={"security": MANUAL["security"]},
    environment={"HERMES_INTERACTIVE": "1"},
)
def the_user_decides_when_no_model_can_judge_a_command(host):
    return run_commands(host, *DANGEROUS[:2]), read_notes(host)


@case(
    "D25",
    one=WATCHING,
    config={**MANUAL, "approvals": {"mode": False}},
    environment={"HERMES_INTERACTIVE": "1"},
)
def approval_is_not_requested_when_approvals_are_off(host):
    return run_commands(host, "rm -rf none", "shutdown now"), read_notes(host)


@case(
    "D25",
    one=WATCHING,
    config=MANUAL,
    environment={"HERMES_INTERACTIVE": "1", "HERMES_YOLO_MODE": "1"},
)
def approval_is_not_requested_in_yolo_mode(host):
    return run_commands(host, "rm -rf none", "shutdown now"), read_notes(host)


ALLOWING = {**MANUAL, "command_allowlist": ["recursive delete", "chmod 7?? none", "git reset --hard none"]}


@case("D25", one=WATCHING, config=ALLOWING, environment={"HERMES_INTERACTIVE": "1"})
def commands_on_the_allowlist_need_no_approval(host):
    return run_commands(
        host, "rm -rf none", "chmod 777 none", "chmod 777 none; true", "git reset --hard none"
    ), read_notes(host)


@case("D25", one=WATCHING, config={**MANUAL, "approvals": {"mode": "off", "deny": ["* secret*", 7, ""]}})
def a_denied_command_never_runs(host):
    return run_commands(host, "echo SECRET", "true")


ATTENDED = {"HERMES_INTERACTIVE": "1"}
DENYING = {**MANUAL, "approvals": {"mode": "manual", "deny": ["echo secret*"]}}


@case(
    "D25",
    one=WATCHING,
    config={**MANUAL, "command_allowlist": ["rm -rf *"]},
    environment=ATTENDED,
    refused="find a command with operators in quotes on the allowlist",
)
def an_allowlisted_command_may_have_operators_in_quotes(host):
    return run_commands(host, 'rm -rf "a;b"')


@case("D25", one=WATCHING, config=DENYING, refused="judge a command with a part that a rule")
def a_denied_command_within_another_is_recognised(host):
    return run_commands(host, "true; echo 'secret'")


@case("D25", one=WATCHING, config=MANUAL, environment=ATTENDED, refused="decide whether a command needs approval")
def a_command_is_dangerous_on_some_hosts_only(host):
    return run_commands(host, "false && docker --context x ps")


@case("D25", one=WATCHING, config=MANUAL, environment=ATTENDED, refused="judge a command with line breaks in quotes")
def a_dangerous_command_in_quotes_begins_a_line(host):
    return run_commands(host, "echo 'a\nreboot'")


@case("D25", one=WATCHING, config=MANUAL, environment={"HERMES_GATEWAY_SESSION": "1"})
def dangerous_commands_wait_for_approval_in_a_gateway(host):
    return run_commands(host, *DANGEROUS), read_notes(host)


@case("D25", one=WATCHING, config=MANUAL, environment={"HERMES_CRON_SESSION": "1"})
def scheduled_jobs_do_not_run_dangerous_commands(host):
    return run_commands(host, *DANGEROUS)


ALLOWED_IN_JOBS = {**MANUAL, "approvals": {"mode": "manual", "cron_mode": "approve"}}


@case("D25", one=WATCHING, config=ALLOWED_IN_JOBS, environment={"HERMES_CRON_SESSION": "1"})
def scheduled_jobs_can_be_allowed_to_run_dangerous_commands(host):
    return run_commands(host, "rm -rf none")


@case("D21", one=WATCHING, config={"platform_toolsets": {"cli": ["terminal", "file"]}})
def turns_start_in_the_session_directory_in_some_releases(host):
    asks = [call("terminal", command="pwd; echo $A"), call("write_file", path="made.txt", content="x")]
    moved = call("terminal", command="mkdir sub; cd sub; export A=1")
    host.llm.script(moved, *asks, "done", *asks, "done")
    told = [one.result.text for text in ("one", "two") for one in host.chat(text).tool_calls]
    return [re.sub(r"'[0-9a-f-]{36}'", "<task>", text) for text in told]


@case(
    "D25",
    one=recorder('watch("pre_approval_request")'),
    config={"security": {"tirith_enabled": False}},
    environment={"HERMES_INTERACTIVE": "1"},
)
def a_model_is_asked_to_approve_a_command_by_default(host):
    host.call_tool("terminal", command="rm -rf none")
    return read_notes(host)


@case("D21", one=WATCHING, until="0.21.3")
def a_timeout_beyond_the_limit_is_an_error(host):
    return run_commands(host, "pwd", timeout=601)


@case("D21", one=WATCHING, since="0.21.3", refused="run a command for more than 600 seconds")
def a_timeout_beyond_the_limit_moves_a_command_to_the_background(host):
    return run_commands(host, "pwd", timeout=601)
