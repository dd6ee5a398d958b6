"""``ctx`` has exactly the members in the contract of its release, and matches the typings."""

from __future__ import annotations

import ast
import inspect
import sys
from typing import Any

import pytest

from hermes_sdk import api, contract
from hermes_sdk.contract import Contract
from hermes_sdk.contract.model import Section
from hermes_sdk.hosts.embedded.loading.context import make_context_class

NEWEST = "0.22.2"
"""The newest release whose contract was read from an installed host."""

GIVES_CTX = "given = []\ndef register(ctx): given.append(ctx)\n"


def context(host: Any) -> Any:
    """Return the ``ctx`` of a plugin with the body `GIVES_CTX`."""
    return sys.modules["hermes_plugins.p"].given[0]


@pytest.mark.parametrize("release", contract.modelled_releases())
def test_methods_have_parameters_and_defaults_of_contract(release: str) -> None:
    facts = contract.load(release)
    made = make_context_class(facts)
    for member in facts.context.values():
        if member.kind == "property":
            assert isinstance(vars(made)[member.name], property)
        elif member.kind == "method":
            _, *parameters = inspect.signature(getattr(made, member.name)).parameters.values()
            assert [(one.name, one.kind.name.lower(), _default(one)) for one in parameters] == [
                (one.name, one.kind, None if one.default is None else (ast.literal_eval(one.default),))
                for one in member.parameters
            ], member.name


def _default(parameter: inspect.Parameter) -> Any:
    return None if parameter.default is parameter.empty else (parameter.default,)


@pytest.mark.parametrize("release", contract.modelled_releases())
def test_context_has_only_members_of_contract(release: str, start) -> None:
    with start(GIVES_CTX, release=release) as host:
        ctx = context(host)
        assert {name for name in dir(ctx) if name[0] != "_"} == {
            name for name in contract.load(release).context if name[0] != "_"
        }
        assert ctx.manifest.name == "p"


def test_newest_release_has_all_members_of_typings(start) -> None:
    promised = {name for name in vars(api.PluginContext) if not name.startswith("_")}
    promised |= set(api.PluginContext.__annotations__)
    assert {"register_tool", "manifest"} <= promised
    with start(GIVES_CTX, release=NEWEST) as host:
        missing = {name for name in promised if not hasattr(context(host), name)}
    assert missing == set()


def test_typings_and_class_agree_on_parameters() -> None:
    made = make_context_class(contract.load(NEWEST))
    for name, typed in vars(api.PluginContext).items():
        if inspect.isfunction(typed) and not name.startswith("_"):
            mine = inspect.signature(getattr(made, name)).parameters.values()
            theirs = inspect.signature(typed).parameters.values()
            assert [(one.name, one.kind) for one in mine] == [(one.name, one.kind) for one in theirs], name


@pytest.mark.parametrize(
    ("release", "name"), [("0.19.0", "spawn_task"), ("0.19.0", "on"), ("0.19.0", "register_tools")]
)
def test_access_to_missing_member_raises_error_of_hermes(release: str, name: str, start) -> None:
    host = start(f"def register(ctx): ctx.{name}\n", release=release)
    assert host.report()["error"] == f"'PluginContext' object has no attribute '{name}'"


def test_call_with_missing_argument_raises_error_of_hermes(start) -> None:
    host = start("def register(ctx): ctx.register_hook('post_tool_call')\n")
    expected = "PluginContext.register_hook() missing 1 required positional argument: 'callback'"
    assert host.report()["error"] == expected


def test_observer_is_called_before_registration(start) -> None:
    seen: list[tuple[str, Any]] = []
    start(
        """
        def register(ctx):
            ctx.register_command("first", lambda line: line, description="one")
            ctx.register_skill("bad:name", None)
        """,
        observe=lambda name, arguments: seen.append((name, arguments["name"])),
    )
    assert seen == [("register_command", "first"), ("register_skill", "bad:name")]


def test_context_has_members_of_new_contract_without_new_code() -> None:
    facts = Section({"register_thing": {"kind": "method", "parameters": [{"name": "name"}]}})
    made = make_context_class(Contract("99", "99", ("context",), {"context": facts}.__getitem__, dict))
    assert str(inspect.signature(made.register_thing)) == "(self, name)"


def test_unmodelled_member_of_newest_release_is_not_supported(start) -> None:
    report = start("def register(ctx): ctx.register_terminal_environment_provider(print)\n", release=NEWEST).report()
    what = "ctx.register_terminal_environment_provider"
    assert (report["status"], report["error"]) == ("unsupported", f"uses what the embedded host does not model: {what}")


def test_parameter_of_newer_releases_is_optional(start) -> None:
    report = start("def register(ctx): ctx.register_command('a', print)\n", release="0.23.4").report()
    assert (report["status"], report["commands"]) == ("loaded", ["a"])


@pytest.mark.parametrize("method", ["launch", "status", "wait", "result", "cancel", "reconnect"])
def test_subagents_of_plugins_are_not_supported(method: str, start) -> None:
    report = start(f"def register(ctx): ctx.subagent_lifecycle.{method}(1)\n", release=NEWEST).report()
    assert report["status"] == "unsupported"
    assert report["error"] == "does while it loads what the embedded host does not model: run subagents for plugins"
