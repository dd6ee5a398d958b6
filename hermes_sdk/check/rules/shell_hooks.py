"""HS74x: gateway hooks and shell hooks that a plugin or a project ships."""

from __future__ import annotations

import ast
import os
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from hermes_sdk.check.model import Severity
from hermes_sdk.check.plugin import Plugin
from hermes_sdk.check.rule import Example, Problem, Rules, example
from hermes_sdk.check.shell_hooks import Trial, choose_tool, find_configurations, find_shell_hooks
from hermes_sdk.contract.suggestions import find_close
from hermes_sdk.manifest.load import YamlReader, choose_reader

if TYPE_CHECKING:
    from hermes_sdk.contract import Contract


RULES = Rules()
rule = RULES.rule

_HANDLER = "def handle(event_type, context):\n    print(event_type)\n"


def _gateway(hook: str = "name: log\nevents: [agent:start]\n", handler: str = _HANDLER) -> Example:
    return example(files={"hooks/log/HOOK.yaml": hook, "hooks/log/handler.py": handler})


@rule(
    "HS742", references=("H13", "H14", "H15", "H16"), bad=_gateway("name: log\nevents: agent:start\n"), good=_gateway()
)
def gateway_hook_not_loaded(plugin: Plugin, reader: YamlReader) -> Iterator[Problem]:
    """gateway hook never runs

    The gateway skips it, or loads it for no event that exists. At most, it prints this to standard output.

    Fix: Give the directory a HOOK.yaml with a list of events, and a handler.py with `handle(event_type, context)`.
    """
    for file in plugin.files:
        if file.name.lower() in ("hook.yaml", "hook.yml"):
            yield from _check_hook(plugin, file, reader)
            handler = file.with_name("handler.py")
            for where, problem in _check_handler(plugin, handler):
                yield Problem(problem, plugin.relative(where if where.is_file() else file))


def _check_hook(plugin: Plugin, file: Path, reader: YamlReader) -> Iterator[Problem]:
    path = plugin.relative(file)
    if file.name != "HOOK.yaml":
        yield Problem(f"the gateway reads HOOK.yaml, not {file.name}", path)
        return
    parsed = plugin.parse(file, reader)
    fields = parsed.value
    events = fields.get("events") if isinstance(fields, Mapping) else None
    if fields is None:
        for one in parsed.problems:
            yield Problem(f"the gateway cannot read HOOK.yaml: {one.message}", path, one.line, one.column)
    elif not isinstance(fields, Mapping):
        yield Problem("HOOK.yaml is not a mapping", path)
    elif not events:
        yield Problem("HOOK.yaml declares no events", path)
    elif isinstance(events, str):
        yield Problem(f"the gateway treats each character of '{events}' as an event: write a list", path)


def _check_handler(plugin: Plugin, file: Path) -> Iterator[tuple[Path, str]]:
    source = next((source for source in plugin.sources if source.file == file), None)
    if source is None:
        yield file, "there is no handler.py next to HOOK.yaml"
    elif source.tree:
        names = {name for node in source.tree.body for name in _find_bindings(node)}
        if "handle" not in names:
            yield file, "handler.py has no `handle`"
        for node in source.tree.body:
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and node.name == "handle":
                taken = len(node.args.posonlyargs) + len(node.args.args)
                if node.args.vararg is None and not taken - len(node.args.defaults) <= 2 <= taken:
                    yield file, "`handle` does not take the two arguments event_type and context"


def _find_bindings(node: ast.stmt) -> Iterator[str]:
    """Find the names that a top-level statement of a module may bind."""
    for each in ast.walk(node):
        if isinstance(each, ast.FunctionDef | ast.AsyncFunctionDef):
            yield each.name
        elif isinstance(each, ast.alias):
            yield each.asname or each.name
        elif isinstance(each, ast.Name) and isinstance(each.ctx, ast.Store):
            yield each.id


@rule("HS743", references=("H16", "H18"), bad=_gateway("name: log\nevents: [agent:started]\n"), good=_gateway())
def unknown_gateway_event(plugin: Plugin, contract: Contract) -> Iterator[Problem]:
    """gateway event does not exist

    The gateway loads the hook but never calls it for this event.

    Fix: Use an event of the release, or a whole group such as `agent:*`.
    """
    for file in plugin.files:
        reader = choose_reader(contract.behaviour, in_python=True)
        fields = plugin.read_yaml(file, reader) if file.name == "HOOK.yaml" else None
        events = fields.get("events") if isinstance(fields, Mapping) else None
        for event in events if isinstance(events, list) else ():
            if not _is_fired(str(event), contract):
                message = f"the gateway of Hermes {contract.release} has no event '{event}'"
                yield Problem(message, plugin.relative(file), _find_line(plugin.read(file), str(event)))


def _is_fired(event: str, contract: Contract) -> bool:
    known = list(contract.section("gateway_events"))
    groups = {name.partition(":")[0] for name in known}
    group, _, name = event.partition(":")
    return event in known or (group in groups and name == "*") or (group == "command" and name != "")


def _find_line(text: str, word: str) -> int:
    return next((number for number, line in enumerate(text.splitlines(), 1) if word in line), 1)


_GUARD = "import json\nimport sys\n\ncall = json.load(sys.stdin)\nif 'sudo' in str(call):\n    print('{}')\n"

_DECIDING_HOOKS = frozenset({"pre_tool_call", "pre_verify"})
"""Hooks whose result depends on the call that the command receives."""

_INPUT_PATTERNS = {
    "python": r"stdin|\binput\(|fileinput|open\(0",
    "sh": r"stdin|<&0|\b(?:awk|cat|grep|head|jq|mapfile|node|perl|python3?|read|ruby|sed|tail|tee|xargs)\b",
}
"""Patterns of code that reads standard input, by language."""

_NOT_STARTED = (126, 127)
"""Exit statuses of ``env`` and of shells for a program that is missing or not executable."""

_CLAUDE_CODE = {
    "Bash": "terminal",
    "Edit": "patch",
    "Glob": "search_files",
    "Grep": "search_files",
    "Read": "read_file",
    "WebFetch": "web_extract",
    "WebSearch": "web_search",
    "Write": "write_file",
}
"""Tools of Claude Code, whose hooks look similar, and the corresponding tools of Hermes."""


def _project(
    script: str = _GUARD,
    *,
    event: str = "pre_tool_call",
    command: str = "python3 ${HOME}/.hermes/agent-hooks/guard.py",
    options: str = "",
) -> Example:
    """Return a project with one shell hook."""
    config = f"hooks:\n  {event}:\n    - command: {command}\n{options}"
    return {"config.yaml.example": config, "agent-hooks/guard.py": script}


_BLOCK = """print('{"action": "block", "message": "The guard failed."}')\n"""
_FAILING = "import json\nimport sys\n\njson.load(sys.stdin)\nraise OSError('no rules')\n"


@rule(
    "HS740",
    severity="warning",
    behaviour="not shell_hooks_fail_closed",
    references=("N106",),
    bad=_project(_FAILING, options="      fail_closed: true\n"),
    good=_project(f"{_FAILING[: _FAILING.index('raise')]}{_BLOCK}"),
)
def fail_closed_ignored(plugin: Plugin, contract: Contract) -> Iterator[Problem]:
    """fail_closed has no effect

    These releases ignore the key: when the command fails, the call that it should guard runs.

    Fix: Print `{"action": "block", "message": …}` on every failure, or use Hermes 0.20.1 or later.
    """
    for file, config in find_configurations(plugin, contract):
        entries = [one for listed in config["hooks"].values() if isinstance(listed, list) for one in listed]
        if any(isinstance(one, Mapping) and one.get("fail_closed", one.get("failClosed")) is True for one in entries):
            text = plugin.read(file)
            line = _find_line(text, "fail_closed" if "fail_closed" in text else "failClosed")
            yield Problem(f"Hermes {contract.release} ignores fail_closed", plugin.relative(file), line)


@rule("HS741", severity="warning", references=("I2", "I3"), bad=_project(event="pre_tool_cal"), good=_project())
def invalid_shell_hook(plugin: Plugin, contract: Contract) -> Iterator[Problem]:
    """shell hook entry is not valid

    The host logs a warning and ignores the entry, or the invalid part of it.

    Fix: Write `hooks: {event: [{command: …, matcher: …, timeout: …}]}`, with an event of the release.
    """
    from hermes_sdk.errors import UsageError

    for file, config in find_configurations(plugin, contract):
        from hermes_sdk.hosts.shell_hooks import read_hooks

        try:
            _, problems = read_hooks(config, contract)
        except UsageError as error:
            problems = [error.message]
        lines = plugin.read(file).splitlines()
        line = next((number for number, text in enumerate(lines, 1) if "hooks:" in text), 1)
        yield from (Problem(problem, plugin.relative(file), line) for problem in problems)


@rule(
    "HS744",
    references=("I4", "I7"),
    bad=_project(command="~/.hermes/agent-hooks/guard.py"),
    good=_project(),
)
def script_cannot_start(plugin: Plugin, contract: Contract) -> Iterator[Problem]:
    """script of a shell hook cannot be started

    The host starts the file directly, without a shell, and logs a warning each time that fails. It expands `~` only at
    the start of the command; a program that gets `~/…` finds no such file, and Python then blocks every call.

    Fix: Start the script with a line such as `#!/usr/bin/env python3`, use Unix line endings, and run `chmod +x`.
    """
    # For a plugin, this is only a warning: users may have to make their copy of the script executable.
    severity: Severity = "error" if plugin.located.shell_hook else "warning"
    for configured in find_shell_hooks(plugin, contract):
        script = configured.script
        if path := _find_unexpanded(configured.hook.command):
            message = f"Hermes expands `~` only at the start of a command: the program gets '{path}' unchanged"
            yield Problem(message, *configured.place, fix="Write ${HOME} instead of `~`.")
        problem = _explain_no_start(script, plugin.read(script)) if script and configured.starts_alone else None
        if script and problem:
            yield Problem(problem, plugin.relative(script), severity=severity)


def _find_unexpanded(command: str) -> str | None:
    """Return the script of a command if its path begins with a `~` that neither Hermes nor a shell expands."""
    from hermes_sdk.home.allowlist import script_word

    word, starts_alone = script_word(command)
    return word if word.startswith("~/") and not starts_alone and " -c " not in command else None


def _explain_no_start(script: Path, text: str) -> str | None:
    """Explain why a file cannot be executed directly; None if it can, such as a compiled program."""
    if not os.access(script, os.X_OK):
        return "the script is not executable"
    first = text.partition("\n")[0]
    if not first.startswith("#!") and "\0" not in text:
        return "the first line does not say which program runs the script"
    if first.endswith("\r"):
        return "the first line ends with a carriage return, which counts as part of the program's name"
    return None


@rule(
    "HS745",
    severity="warning",
    references=("I5",),
    bad=_project(_BLOCK),
    good=_project(),
)
def script_reads_nothing(plugin: Plugin, contract: Contract) -> Iterator[Problem]:
    """shell hook decides without reading the call

    The call is JSON on standard input; a hook that does not read it answers every call the same way.

    Fix: Read it with `json.load(sys.stdin)` in Python, or with `jq` in a shell.
    """
    for configured in find_shell_hooks(plugin, contract):
        if configured.script is not None and configured.hook.event in _DECIDING_HOOKS:
            text = plugin.read(configured.script)
            reads = _INPUT_PATTERNS.get(_find_language(configured.script, text))
            if reads and not re.search(reads, text):
                yield Problem("the script never reads standard input", plugin.relative(configured.script))


def _find_language(script: Path, text: str) -> str:
    """Return a key of `_INPUT_PATTERNS`, or an empty text for other languages."""
    first = text.partition("\n")[0]
    if script.suffix in (".py", ".pyw") or (first.startswith("#!") and "python" in first):
        return "python"
    is_shell = script.suffix in (".sh", ".bash", ".zsh") or re.match(r"#!.*\b(?:ba|z|da)?sh\b", first)
    return "sh" if is_shell else ""


@rule(
    "HS746",
    severity="warning",
    references=("I3",),
    bad=_project(options="      matcher: Bash\n"),
    good=_project(options="      matcher: terminal\n"),
)
def matcher_fits_nothing(plugin: Plugin, contract: Contract) -> Iterator[Problem]:
    """matcher of a shell hook matches no tool

    It must match a tool's whole name, case-sensitively; otherwise the command never runs.

    Fix: Name existing tools, such as `terminal|write_file`.
    """
    for configured in find_shell_hooks(plugin, contract):
        matcher = configured.hook.matcher
        if matcher and choose_tool(configured.hook, contract) is None:
            suggestion = _suggest_tool(matcher, contract)
            if suggestion:
                message = f"the matcher {matcher!r} matches no tool of Hermes {contract.release}"
                yield Problem(f"{message}; did you mean {suggestion!r}?", *configured.place)


def _suggest_tool(matcher: str, contract: Contract) -> str | None:
    """Suggest a similar tool of the release; None if there is none, since plugins and MCP servers may have the tool."""
    for part in matcher.split("|"):
        near = sorted(tool for tool in contract.tools if part and part.lower() in tool)
        found = [
            _CLAUDE_CODE.get(part),
            *sorted(near, key=len),
            *find_close(part, contract.tools, 0.75),
        ]
        suggestion = next(filter(None, found), None)
        if suggestion:
            return suggestion
    return None


@rule("HS747", severity="warning", bad=_project(command="python3 ${HOME}/.hermes/agent-hooks/gard.py"), good=_project())
def script_missing(plugin: Plugin, contract: Contract) -> Iterator[Problem]:
    """configured script is not in the project

    Users who follow the example configure a missing command: the host logs a warning for each call.

    Fix: Correct the name, or add the file.
    """
    if plugin.located.shell_hook is None:
        return
    for configured in find_shell_hooks(plugin, contract):
        if configured.script is None and "/" in configured.hook.command:
            yield Problem(f"the project has no file for `{configured.hook.command}`", *configured.place)


@rule("HS748", references=("I6", "I7"), bad=_project(f"{_GUARD}print('fine')\n"), good=_project())
def answer_not_json(trial: Trial) -> Iterator[Problem]:
    """shell hook does not answer with JSON

    The host logs a warning and ignores the output: calls that should be blocked run.

    Fix: Print one JSON object or nothing; write other output to standard error.
    """
    run = trial.run
    if run.error or run.timed_out or run.status in _NOT_STARTED:
        return
    if trial.problem:
        yield Problem(f"a sample call was answered with {run.stdout.strip()[:60]!r}", trial.path)
    elif run.status and not run.stdout.strip():
        last = (run.stderr.strip() or "nothing on standard error").splitlines()[-1]
        problem = f"a sample call ended with exit status {run.status}: {last}"
        fix = "Correct the script; the check runs it without a network and with an empty home."
        yield Problem(problem, trial.path, severity="warning", fix=fix)


@rule(
    "HS749",
    references=("I1", "I7"),
    bad=_project("import sys\nimport time\n\nsys.stdin.read()\ntime.sleep(30)\n", options="      timeout: 1\n"),
    good=_project(options="      timeout: 1\n"),
)
def takes_too_long(trial: Trial) -> Iterator[Problem]:
    """shell hook exceeds its time limit

    The agent waits for it at each call, then continues without an answer.

    Fix: Make the command faster, or raise `timeout` in its entry, up to 300 seconds.
    """
    if trial.run.timed_out:
        # The time limit of the check may be shorter than the host's.
        severity: Severity = "error" if trial.limit == trial.configured.hook.timeout else "warning"
        message = f"a sample call did not end within {trial.limit} s"
        yield Problem(message, *trial.configured.place, severity=severity)
