"""HS801 to HS812, HS816, HS817, and HS949 to HS951: requirements on all plugins. Most drive the host from the test."""

from __future__ import annotations

import copy
import inspect
import json
import os
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from . import lab, loading
from .base import Blocked, Broken, NotApplicable, SuiteRules, demand, demand_nothing_swallowed
from .places import format_call_place
from .tools import demand_json, demand_names, demand_parameters
from .values import TEXTS, format_arguments, hostile, valid
from .watching import demand_no_secret, list_files, record_variables

_LISTS = ("tools", "hooks", "middleware", "commands", "cli_commands", "skills", "platforms", "providers")
_OTHERS = (
    *("mcp_servers", "context_engine", "memory_provider", "model_providers"),
    *("auxiliary_tasks", "slack_action_handlers", "gateway_hooks"),
)
_LATER = "from_a_later_release"
_NETWORK_OFF = "network is off:"
_CALLS_PER_SESSION = 10
"""Calls by each of two concurrent sessions."""
_ANSWERS = "HS806"
"""The rule about tools that hang on valid arguments; it blocks the other rules that call tools."""

RULES = SuiteRules()


class Lab(lab.Lab):
    """A plugin under test."""

    registration = "HS801"

    def register(self, module: Any) -> loading.Collector:
        """Call ``register`` with the ctx of ordinary plugins; memory providers get a different ctx."""
        try:
            return super().register(module)
        except Blocked as blocked:
            raise NotApplicable(str(blocked)) from blocked


def _rule(code: str, host: str) -> Callable[[Callable[[Any], None]], Callable[[Any], None]]:
    return RULES.rule(code, host, outside=True)


def _report(test: Any) -> Any:
    return test.host.report(test.settings["key"])


def _get_loaded_report(test: Any) -> Any:
    """Return the report on a loaded plugin; raise `Blocked` if it is not loaded."""
    report = _report(test)
    if report["status"] != "loaded":
        raise Blocked("HS801", f"the plugin is {report['status']}")
    return report


def _definitions(test: Any) -> list[dict[str, Any]]:
    found = [one["function"] for one in test.host.definitions()]
    if not found and _report(test)["tools"]:
        raise Blocked("HS816", "the host offers none of the plugin's tools")
    if not found:
        raise NotApplicable("it offers no tools")
    return found


def _results(test: Any) -> Iterator[tuple[str, dict[str, Any], str]]:
    """Call each tool with valid arguments."""
    for one in _definitions(test):
        arguments = valid({**(one.get("parameters") or {}), "type": "object"})
        _demand_no_hang(test)
        test.call, test.step = f"{one['name']}({format_arguments(arguments)})", _ANSWERS
        text = test.host.call_tool(one["name"], arguments).text
        test.call = test.step = ""
        yield one["name"], arguments, text


def _use_tools(test: Any) -> None:
    """Call the plugin's tools, if there are any, so that the plugin has data."""
    if test.host.definitions():
        list(_results(test))


def _demand_no_hang(test: Any) -> None:
    """Raise `Blocked` if a tool hung before."""
    if reason := test.settings["failed"].get(_ANSWERS):
        raise Blocked(_ANSWERS, reason)


@_rule("HS801", "`hermes plugins list` shows the plugin with an error, and none of it works.")
def it_loads(test: Any) -> None:
    """A plugin is imported and registers each time Hermes is started."""
    report = _report(test)
    exclusive = report["plugin"]["kind"] == "exclusive" and report["memory_provider"]
    right = report["status"] in ("loaded", "deferred") or exclusive
    demand(right, f"its status is {report['status']}: {report['error'] or 'the host gives no reason'}")


@_rule("HS817", "The plugin is loaded, and does nothing.")
def it_registers_something(test: Any) -> None:
    """A plugin takes effect only through its registrations: tools, hooks, commands, providers and more."""
    report = _get_loaded_report(test)
    offered = [report[name] for name in (*_LISTS, *_OTHERS) if name != "providers"]
    demand(any([*offered, *report["providers"].values()]), "register(ctx) registers nothing")


@_rule("HS802", "Part of what the plugin registers is ignored, with a warning in the log.")
def it_loads_without_a_warning(test: Any) -> None:
    """Users read the log first if something is wrong."""
    warnings = _get_loaded_report(test)["warnings"]
    demand(not warnings, "; ".join(warnings))


@_rule("HS803", "After a forced rescan, such as when another plugin is installed, the plugin is missing or incomplete.")
def it_can_be_loaded_again(test: Any) -> None:
    """The host registers a plugin again in the same process."""
    before = _get_loaded_report(test)
    test.host.rescan()
    after = _report(test)
    demand(after["status"] == "loaded", f"after the second load its status is {after['status']}: {after['error']}")
    lost = [name for name in _LISTS if before[name] != after[name]]
    demand(not lost, f"after the second load these differ: {', '.join(lost)}")


@_rule("HS804", "Files end up where backups, other profiles and containers do not find them.")
def it_writes_only_into_the_home(test: Any) -> None:
    """Files belong in the directory that get_hermes_home returns; ~/.hermes is the home of only one profile."""
    if _report(test)["status"] == "loaded":
        _use_tools(test)
    written = sorted(set(list_files([Path(one) for one in test.settings["elsewhere"]])) - set(test.settings["files"]))
    demand(not written, f"it wrote {written[:5]}")


@_rule("HS805", "Model APIs reject the whole request, so no turn of any session works.")
def its_tools_can_be_offered(test: Any) -> None:
    """A tool has a name, a description, and parameters that are a JSON Schema of the type object."""
    definitions = _definitions(test)
    directory = Path(test.settings["directory"])
    demand_names(definitions, directory)
    demand_parameters(definitions, directory)


@RULES.rule("HS816", "The model does not see the tool. The other rules do not test hidden tools.")
def its_tools_are_visible(test: Lab) -> None:
    """The host hides a tool whose check_fn does not return true, such as one that has no API key."""
    for one in test.collect().bind_calls("register_tool", ("name", "toolset", "schema", "handler", "check_fn")):
        if check := one.get("check_fn"):
            with record_variables(test.directory) as read:
                answer = _ask(check)
            unset = [name for name in read if not os.environ.get(name)]
            reason = f"check_fn at {_format_place(check)} {answer}. {_explain_hidden_tool(unset)}"
            demand(answer == "returned True", f"the tool {one.get('name')!r} is hidden, because its {reason}")


def _ask(check: Callable[[], Any]) -> str:
    try:
        answer = check()
    except Exception as error:
        return f"raised {type(error).__name__}: {error}"
    return "returned True" if answer else f"returned {answer!r}"


def _format_place(check: Any) -> str:
    code = getattr(inspect.unwrap(getattr(check, "__func__", check)), "__code__", None)
    return f"{code.co_filename}:{code.co_firstlineno}" if code else repr(check)


def _explain_hidden_tool(unset: list[str]) -> str:
    if unset:
        values = ", ".join(f'"{name}": "…"' for name in unset)
        return f"It reads environment variables that are not set. Set them in the suite: environment = {{{values}}}"
    return (
        "Give the tool what check_fn looks for: set environment or config in the suite, or put it in place in an "
        "autouse fixture of the class"
    )


@_rule("HS806", "The model reads the error tool_result_contract, or the text of a Python error.")
def its_tools_answer_in_json(test: Any) -> None:
    """The result of a tool is JSON text, including errors."""
    for name, arguments, text in _results(test):
        demand_json(name, arguments, text)
        demand("tool_result_contract" not in text, f"{name}({format_arguments(arguments)}) returned no text")
        demand_nothing_swallowed(test.host, f"{name}({format_arguments(arguments)}): ")


@_rule("HS807", "The model reads the text of a Python error, and repeats the call.")
def its_tools_answer_any_arguments(test: Any) -> None:
    """Models omit arguments, invent others, and send values of the wrong type; the host does not reject them."""
    _demand_no_hang(test)
    for one in _definitions(test):
        for arguments in hostile(one.get("parameters") or {}, test.settings["seed"]):
            # Use only arguments that survive JSON, since a model cannot send others.
            sent = json.loads(json.dumps(arguments))
            test.call = f"{one['name']}({format_arguments(sent)})"
            demand_json(one["name"], sent, test.host.call_tool(one["name"], sent).text)
            demand_nothing_swallowed(test.host, f"{test.call}: ")


@_rule("HS808", "It swallows the TypeError; the hook does nothing on that release.")
def its_hooks_accept_arguments_of_later_releases(test: Any) -> None:
    """Releases add arguments to hooks, and pass them as keywords."""
    hooks = [name for name in test.host.hooks if name in test.settings["hooks"]]
    if not hooks:
        raise NotApplicable("it has no hooks that the release fires")
    for hook in hooks:
        test.host.fire(hook, **{_LATER: True})
    # Ignore other exceptions: they may be caused by arguments that are None because the test does not pass them.
    refused = [f"{one.where}: {one.error}" for one in test.host.swallowed if _LATER in one.error]
    demand(not refused, "; ".join(refused))


@_rule("HS809", "The user reads 'Plugin command error' with the text of a Python error.")
def its_commands_answer_any_text(test: Any) -> None:
    """The text after a slash command is passed unchanged, including an empty text."""
    for command in _list_commands(test):
        for text in ("", "help", *(text for text in TEXTS if text.isprintable())):
            test.call = f"/{command} {text[:40]}".strip()
            test.host.command(f"/{command} {text}".strip())
            demand_nothing_swallowed(test.host, f"/{command} {text[:40]}: ")


def _list_commands(test: Any) -> list[str]:
    commands = [one for one in test.host.commands if one in _report(test)["commands"]]
    if not commands:
        raise NotApplicable("it has no slash commands")
    return commands


@_rule("HS951", "The user types the command and sees no answer.")
def its_commands_answer(test: Any) -> None:
    """The host shows the text that the handler of a slash command returns."""
    lines = [line for command in _list_commands(test) for line in (f"/{command}", f"/{command} help")]
    before = {line: test.host.command(line) for line in lines}
    for line in lines[::2]:
        demand(before[line] or before[f"{line} help"], f"{line} returned no text, neither alone nor with 'help'")
    _use_tools(test)
    for line in filter(before.get, lines):
        demand(test.host.command(line), f"{line} answered, but returned no text after the plugin's tools were called")


@_rule("HS950", "The user reads a Python traceback.")
def its_cli_commands_run(test: Any) -> None:
    """`hermes NAME` parses its arguments as setup_fn declares them, and calls handler_fn."""
    commands = _report(test)["cli_commands"]
    if not commands:
        raise NotApplicable("it has no CLI commands")
    place = format_call_place(Path(test.settings["directory"]), "register_cli_command")
    demand(all(map(str.strip, commands)), f"a CLI command{place} has no name")
    for command in commands:
        _run_cli_command(test, command, "--help")
        _run_cli_command(test, command)
    _use_tools(test)
    for command in commands if not test.host.swallowed else ():  # HS806 fails when a tool raises.
        _run_cli_command(test, command)


def _run_cli_command(test: Any, *line: str) -> None:
    test.call = f"hermes {' '.join(line)}"
    done = test.host.cli(*line)
    if "Traceback" in done.stderr:
        raise Broken(f"{test.call} raised {done.stderr.strip().splitlines()[-1]}", done.stderr)
    demand_nothing_swallowed(test.host, f"{test.call}: ")
    is_general = "usage: hermes" in done.stdout and f"usage: hermes {line[0]}" not in done.stdout
    place = format_call_place(Path(test.settings["directory"]), "register_cli_command")
    demand(not is_general, f"{test.call}{place} runs no handler: setup_fn raised, or there is no handler_fn")
    demand("<coroutine object " not in done.stdout, f"{test.call} printed a coroutine, which is not awaited")
    fails = len(line) > 1 and done.exit_code
    demand(not fails, f"{test.call} ended with exit code {done.exit_code}: {done.stderr.strip()[-300:]}")


@_rule("HS949", "The key is exposed: many people read logs, and users share them to get help.")
def it_logs_no_secret(test: Any) -> None:
    """No log line contains the value of a variable of the suite's environment that is named a key, password,
    secret or token."""
    secrets = test.settings["secrets"]
    if not secrets:
        return
    _use_tools(test)
    test.host.llm.script("one")
    test.host.chat("Hello")
    test.host.finish()
    demand_no_secret(secrets, [one.message for one in test.host.log])


@_rule("HS810", "It swallows the exception; the plugin does nothing in the session.")
def a_session_has_no_hidden_error(test: Any) -> None:
    """In a session of two turns, the host calls the registered functions of the plugin."""
    _get_loaded_report(test)
    test.host.llm.script("one", "two")
    for text in ("Hello", TEXTS[3]):
        turn = test.host.chat(text)
        if turn.error:
            raise Broken(f"the turn ended with {turn.error}")
    test.host.finish()
    demand_nothing_swallowed(test.host)


@_rule("HS811", "The user's messages are sent to another machine.")
def it_uses_no_network(test: Any) -> None:
    """Plugins that work on this machine need no network; for others, set network = True in the suite."""
    if test.settings["network"]:
        raise NotApplicable("the suite sets network = True")
    texts = [text for _, _, text in _results(test)] if test.host.definitions() else []
    texts += [one.error for one in test.host.swallowed]
    texts += [one.message for one in test.host.log]
    asked = [text for text in texts if _NETWORK_OFF in text]
    demand(not asked, f"{asked[:3]}")


@RULES.rule("HS812", "One of two concurrent chats gets the text of a Python error, or the other chat's answer.")
def two_sessions_can_call_its_tools_at_once(test: Lab) -> None:
    """The gateway serves all chats in one process, so two of them can call a tool at the same time."""
    _demand_no_hang(test)
    for name, parameters in _iter_registered_tools(test):
        arguments = valid({**parameters, "type": "object"})
        call = _make_call(test, name, arguments)
        # A tool that returns an error even alone shows nothing about concurrent sessions.
        if "error" not in demand_json(name, arguments, call()):
            for result in _call_concurrently(call):
                said = demand_json(name, arguments, result)
                demand(
                    "error" not in said,
                    f"{name}({format_arguments(arguments)}), called twice concurrently, returned {result:.200}",
                )


def _iter_registered_tools(test: Lab) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield the names and parameters of the plugin's tools."""
    found = test.collect().bind_calls("register_tool", ("name", "toolset", "schema"))
    if not found:
        raise NotApplicable("it offers no tools")
    for one in found:
        schema = one["schema"] if isinstance(one.get("schema"), dict) else {}
        yield one["name"], schema.get("parameters") or {}


def _make_call(test: Lab, name: str, arguments: dict[str, Any]) -> Callable[[], Any]:
    return lambda: test.ctx.dispatch_tool(name, copy.deepcopy(arguments))


def _call_concurrently(call: Callable[[], Any]) -> list[Any]:
    """Return the results of calls by two concurrent sessions."""
    results: list[Any] = []
    start = threading.Barrier(2)

    def session() -> None:
        start.wait()
        results.extend(call() for _ in range(_CALLS_PER_SESSION))

    threads = [threading.Thread(target=session, daemon=True) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return results
