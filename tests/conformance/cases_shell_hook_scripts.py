"""Cases of section I with realistic scripts: guards, formatters, context and journals."""

import subprocess

from conformance.case import case
from conformance.shell_hooks import ACCEPTED


def entries(script, **more):
    """Return the entries of a hook that runs a script in the home."""
    return [{"command": f"sh ${{HERMES_HOME}}/agent-hooks/{script}", **more}]


def script(name, text):
    """Return the file of a script, whose function `field` prints the field `$1` of the input."""
    head = """\
        read -r payload
        field() { printf %s "$payload" | python3 -c 'import json, sys
        value = json.load(sys.stdin)
        for key in sys.argv[1].split("."): value = (value or {}).get(key)
        print("" if value is None else value)' "$1"; }
    """
    lines = "".join(line.strip() + "\n" for line in head.splitlines())
    return {f"agent-hooks/{name}": lines + "".join(line.strip() + "\n" for line in text.splitlines())}


GUARD = script(
    "guard.sh",
    """\
    case "$(field tool_input.command)" in
        *"rm -rf /"*) printf '{"decision": "block", "reason": "refused: it would delete everything"}' ;;
        *) printf '{}' ;;
    esac
    """,
)


@case(
    "I6",
    files=GUARD,
    config={"hooks": {"pre_tool_call": entries("guard.sh", matcher="terminal", timeout=5)}},
    environment=ACCEPTED,
)
def a_script_guards_a_tool(host):
    lines = ("ls", "sudo rm -rf / --no-preserve-root", "")
    asked = [host.fire("pre_tool_call", tool_name="terminal", args={"command": line}) for line in lines]
    return asked, host.fire("pre_tool_call", tool_name="process", args={"command": "rm -rf /"})


TIDY = script(
    "tidy.sh",
    """\
    path="$(field tool_input.path)"
    case "$path" in *.py) sed 's/  */ /g' "$path" >"$path.new" && mv "$path.new" "$path" ;; esac
    printf '{}'
    """,
)


@case(
    "I6",
    files=TIDY | {"a.py": "x  =  1\n", "a.txt": "x  =  1\n"},
    config={"hooks": {"post_tool_call": entries("tidy.sh", matcher="write_file|patch")}},
    environment=ACCEPTED,
)
def a_script_formats_written_files(host):
    answers = [
        host.fire("post_tool_call", tool_name=tool, args={"path": str(host.home / name)})
        for tool, name in (("write_file", "a.txt"), ("read_file", "a.py"), ("patch", "a.py"), ("write_file", "none"))
    ]
    return answers, [(host.home / name).read_text() for name in ("a.py", "a.txt")]


STATUS = script(
    "status.sh",
    """\
    status="$(git -C "$HERMES_HOME/work" status --porcelain 2>/dev/null)"
    [ -z "$status" ] || printf '{"context": "Changed:\\\\n%s"}' "$status"
    """,
)


@case(
    "I6",
    files=STATUS | {"work/new": ""},
    config={"hooks": {"pre_llm_call": entries("status.sh")}},
    environment=ACCEPTED,
)
def a_script_adds_context_to_a_message(host):
    before = host.fire("pre_llm_call")
    subprocess.run(["git", "init", "-q", host.home / "work"], check=True)
    return before, host.fire("pre_llm_call")


JOURNAL = script(
    "journal.sh",
    """\
    printf '%s %s %s\\n' "$(field session_id)" "$(field extra.child_status)" "$(field extra.duration_ms)" >>"$HERMES_HOME/journal"
    printf '{}'
    """,
)


@case(
    "I6",
    files=JOURNAL,
    config={"hooks": {"subagent_stop": entries("journal.sh")}},
    environment=ACCEPTED,
)
def a_script_keeps_a_journal(host):
    for status in ("completed", "failed"):
        host.fire("subagent_stop", parent_session_id="parent", child_status=status, duration_ms=7)
    return (host.home / "journal").read_text()
