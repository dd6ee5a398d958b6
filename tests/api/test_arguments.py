"""Arguments, contexts and payloads of callbacks match the contract of each release.

Their docstrings say since when each argument or key exists.
"""

import contextlib
import typing
from typing import Any

import pytest
from api.descriptions import NEWEST, RELEASES, attributes, class_since, exists_in, since

from hermes_sdk import api, contract
from hermes_sdk.api import middleware
from hermes_sdk.contract import Contract
from hermes_sdk.home import Home
from hermes_sdk.hosts import open_host
from hermes_sdk.hosts.interface import HostKind
from hermes_sdk.llm import fail, say


def camel(name: str) -> str:
    return name.title().replace("_", "")


def keys(name: str, release: str) -> set[str]:
    """Return the keys of a TypedDict in a release, according to their docstrings."""
    declared = getattr(api, name)
    texts = attributes(name)
    public = {key for key in declared.__required_keys__ | declared.__optional_keys__ if key.isidentifier()}
    return {key for key in public if exists_in(since(texts[key]), release)}


def certain(name: str) -> set[str]:
    return set(getattr(api, name).__required_keys__)


# Arguments of every call, although the source only shows that each of two branches adds them;
# `test_post_auxiliary_call_gets_every_argument_when_the_call_fails` runs the other branch.
IN_EVERY_BRANCH = {
    "post_auxiliary_call": {
        "assistant_content_chars",
        "assistant_tool_call_count",
        "finish_reason",
        "response",
        "response_model",
        "usage",
    },
}
# Arguments that the host adds on a condition.
CONDITIONAL = {"post_approval_response": {"session_id"}, "pre_approval_request": {"session_id"}}
# Arguments that the host removes before it calls the plugin.
CONSUMED = {"scope", "skip_relay"}
# Keys of an event that the host forwards as a mapping.
FORWARDED_KEYS = {"session:compress": {"runtime", "thread_id", "turn_id"}}
# The hook without the common arguments.
BARE = "gateway_platform_event"


def hook_arguments(of: Contract, name: str) -> tuple[set[str], set[str]]:
    """Return the required and the optional arguments of a hook."""
    fact = of.hooks[name]
    injected = () if name == BARE else of.section("injected_hook_arguments")
    conditional = CONDITIONAL.get(name, set()) & set(fact.always)
    always = {*fact.always, *IN_EVERY_BRANCH.get(name, ()), *injected} - conditional
    return always, {*fact.sometimes, *conditional} - always


def test_hook_and_middleware_names_are_those_of_the_release() -> None:
    assert typing.get_args(api.HookName) == tuple(sorted(NEWEST.hooks))
    assert typing.get_args(api.MiddlewareKind) == NEWEST.middleware_kinds


@pytest.mark.parametrize("release", RELEASES)
@pytest.mark.parametrize("name", sorted(NEWEST.hooks))
def test_hook_arguments_match_the_contract(name: str, release: str) -> None:
    known = contract.load(release)
    declared = f"{camel(name)}Arguments"

    assert (name in known.hooks) == exists_in(class_since(declared), release)
    if name in known.hooks:
        assert keys(declared, release) == set().union(*hook_arguments(known, name))


@pytest.mark.parametrize("name", sorted(NEWEST.hooks))
def test_hook_arguments_are_required_if_every_call_passes_them(name: str) -> None:
    assert certain(f"{camel(name)}Arguments") == hook_arguments(NEWEST, name)[0]


AUXILIARY = """
ctx_of_plugin = None
passed = []


def ask(line):
    return ctx_of_plugin.llm.complete([{"role": "user", "content": "hello"}]).text


def register(ctx):
    global ctx_of_plugin
    ctx_of_plugin = ctx
    ctx.register_hook("post_auxiliary_call", lambda **kwargs: passed.append(kwargs))
    ctx.register_command("ask", ask)
    ctx.register_command("passed", lambda line: " ".join(sorted(passed[-1])))
"""


@pytest.mark.parametrize("kind", ["embedded", pytest.param("real", marks=[pytest.mark.slow, pytest.mark.real_host])])
def test_post_auxiliary_call_gets_every_argument_when_the_call_fails(kind: HostKind) -> None:
    with Home.temporary() as home:
        (plugin := home.plugins_dir / "p").mkdir(parents=True)
        (plugin / "plugin.yaml").write_text("name: p\n", encoding="utf-8")
        (plugin / "__init__.py").write_text(AUXILIARY, encoding="utf-8")
        home.update_config({"plugins": {"enabled": ["p"]}})
        with open_host(kind, NEWEST.release, home) as host:
            host.llm.aux.script(say("fine"), fail(400, "no"))
            passed = []
            for _ in range(2):
                with contextlib.suppress(Exception):
                    host.command("/ask")
                passed.append({*(host.command("/passed") or "").split()})

    assert passed == [certain("PostAuxiliaryCallArguments")] * 2


@pytest.mark.parametrize("release", RELEASES)
def test_middleware_arguments_match_the_contract(release: str) -> None:
    known = contract.load(release)

    assert bool(known.middleware_kinds) == exists_in(since(middleware.__doc__ or ""), release)
    for kind in known.middleware_kinds:
        fact = known.section("middleware")[kind]
        sent = {*fact["always"], *fact["sometimes"]} - CONSUMED
        assert keys(f"{camel(kind)}Arguments", release) == certain(f"{camel(kind)}Arguments") == sent, kind


@pytest.mark.parametrize("release", RELEASES)
def test_tool_handler_arguments_match_the_contract(release: str) -> None:
    calls = contract.load(release).section("host_calls")["tool handler"]

    sent = {name for c in calls for name in (*c["always"], *c["sometimes"])}
    assert keys("ToolHandlerArguments", release) == sent - CONSUMED
    assert not certain("ToolHandlerArguments")


def context_of(event: str) -> str:
    first, _, last = event.partition(":")
    return "CommandContext" if first == "command" else f"{first.title()}{last.title()}Context"


def events(release: str) -> dict[str, Any]:
    found: dict[str, Any] = contract.load(release).section("gateway_events")
    return found


@pytest.mark.parametrize("release", RELEASES)
@pytest.mark.parametrize("event", events(contract.DEFAULT))
def test_gateway_event_context_matches_the_contract(event: str, release: str) -> None:
    known = events(release)
    declared = context_of(event)

    assert (event in known) == exists_in(class_since(declared), release)
    if event in known:
        fact = known[event]
        forwarded = {
            key for key in FORWARDED_KEYS.get(event, ()) if exists_in(since(attributes(declared)[key]), release)
        }
        assert keys(declared, release) == {*fact["always"], *fact["sometimes"], *forwarded}
        assert fact["result_used"] == (declared == "CommandContext")


def test_gateway_events_and_contexts_are_those_of_the_release() -> None:
    known = events(contract.DEFAULT)

    assert typing.get_args(api.GatewayEventName) == tuple(sorted(known.keys() - {"command:<canonical>"}))
    assert set(typing.get_args(api.GatewayEventContext)) == {getattr(api, context_of(event)) for event in known}
    for event, fact in known.items():
        assert certain(context_of(event)) == set(fact["always"]), event


@pytest.mark.parametrize("release", RELEASES)
@pytest.mark.parametrize("name", ["ToolShellHookPayload", "OtherShellHookPayload"])
def test_shell_hook_payload_matches_the_contract(name: str, release: str) -> None:
    assert keys(name, release) == set(contract.load(release).section("shell_hooks")["payload_keys"])


@pytest.mark.parametrize("release", RELEASES)
def test_tool_payload_docstring_lists_hooks_with_tool_arguments(release: str) -> None:
    known = contract.load(release).hooks
    text = api.ToolShellHookPayload.__doc__ or ""

    assert {name for name in known if f"``{name}``" in text} == {
        name for name, fact in known.items() if {"tool_name", "args"} & {*fact.always, *fact.sometimes}
    }


@pytest.mark.parametrize("release", RELEASES)
def test_reason_of_a_blocking_shell_hook_has_a_default_since_the_documented_release(release: str) -> None:
    default = contract.load(release).section("shell_hooks")["default_block_message"]

    assert default == ("Blocked by shell hook." if exists_in("0.15.0", release) else None)
    assert (
        "``Blocked by shell hook.`` when it is missing, from 0.15.0." in attributes("BlockToolCallDecision")["reason"]
    )
