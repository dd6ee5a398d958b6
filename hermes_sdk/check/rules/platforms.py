"""HS52x: the gateway can use the platforms, and does not start them until they are configured."""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterator
from typing import TYPE_CHECKING

from hermes_sdk.check.load import Load
from hermes_sdk.check.plugin import Plugin
from hermes_sdk.check.rule import Example, Problem, Rules, example
from hermes_sdk.check.source import Source
from hermes_sdk.contract.suggestions import suggest

if TYPE_CHECKING:
    from hermes_sdk.contract import Contract
    from hermes_sdk.hosts.interface import Registration

RULES = Rules()
rule = RULES.rule


def _plugin(*, name: str = "echo", options: str = "is_connected=configured") -> Example:
    """Return a plugin with a platform."""
    call = f'ctx.register_platform("{name}", "Echo", make, usable, {options})'
    source = (
        "def make(config):\n    return None\n\n\ndef usable():\n    return True\n\n\n"
        "def configured(config):\n    return False\n\n\n"
        f"def register(ctx):\n    {call}\n"
    )
    return example(source, manifest="name: echo\nkind: platform\nversion: '1.0.0'\ndescription: Echo.\n")


@rule(
    "HS521",
    severity="warning",
    needs=("register_platform",),
    references=("H5", "H6"),
    bad=_plugin(options="install_hint=''"),
    good=_plugin(),
)
def platform_starts_unconfigured(source: Source) -> Iterator[Problem]:
    """platform has no is_connected

    Without it, every gateway starts a platform whose check_fn returns true, even unconfigured.

    Fix: Pass is_connected=…, a function of the platform's configuration that returns whether the user set it up.
    """
    for call in source.calls(".register_platform"):
        words = {word.arg for word in call.keywords}
        if not words & {"is_connected", None}:
            yield Problem("register_platform is called without is_connected", *source.place(call))


@rule("HS522", references=("H1", "H2"), bad=_plugin(options="is_connected=configured, colour='red'"), good=_plugin())
def unknown_platform_keyword(plugin: Plugin, contract: Contract) -> Iterator[Problem]:
    """register_platform does not accept the keyword

    The call raises TypeError, and the plugin does not load on that release.

    Fix: Omit the keyword, or pass it only on releases that have it.
    """
    for source in plugin.sources:
        for call in source.calls(".register_platform") if "register_platform" in source.text else ():
            fields = {one["name"] for one in contract.section("dataclasses")["PlatformEntry"]["fields"]}
            guarded = any(isinstance(around, ast.Try) for around in source.ancestors(call))
            for word in [] if guarded else call.keywords:
                if word.arg and word.arg not in fields:
                    message = f"register_platform of Hermes {contract.release} does not take '{word.arg}'"
                    yield Problem(message, *source.place(word.value))


@rule("HS523", call="register_platform", references=("H3",), bad=_plugin(name="Echo"), good=_plugin())
def platform_name_has_capitals(registration: Registration, load: Load) -> Iterator[Problem]:
    """platform name is not in lower case

    The host registers the name unchanged but looks it up in lower case: the gateway cannot create the adapter.

    Fix: Use lower case; the label may have capitals.
    """
    if registration["name"] != registration["name"].lower():
        message = f"the platform is called '{registration['name']}', which is not in lower case"
        yield Problem(message, *load.call_place(registration))


def _names_platform(value: str) -> Example:
    """Return a plugin that refers to a platform of the host."""
    source = (
        f"from gateway.config import Platform\n\n\ndef place(line):\n    return {value}.value\n\n\n"
        "def register(ctx):\n    ctx.register_command('place', place)\n"
    )
    return example(source)


@rule(
    "HS524",
    references=("H3", "H8"),
    bad=_names_platform("Platform('telegramm')"),
    good=_names_platform("Platform('telegram')"),
)
def unknown_platform(plugin: Plugin, contract: Contract) -> Iterator[Problem]:
    """platform does not exist

    The call raises ValueError, the attribute AttributeError: the plugin does not load, or fails at that point.

    Fix: Use a platform of the release, or register it first.
    """
    for source, node, name in find_unknown_platforms(plugin, contract):
        list_names = _list_members if isinstance(node, ast.Attribute) else _list_values
        hint = suggest(name, contract, list_names)
        yield Problem(f"Hermes {contract.release} has no platform '{name}'{hint}", *source.place(node))


def find_unknown_platforms(plugin: Plugin, contract: Contract) -> Iterator[tuple[Source, ast.expr, str]]:
    """Find references outside of ``try`` to platforms that neither the release nor the plugin has."""
    sources = [source for source in plugin.sources if source.tree and "Platform" in source.text]
    own = _find_own_platforms(plugin)
    if not sources or own is None:
        return
    members, known = _list_members(contract), {*_list_values(contract), *own}
    for source in sources:
        for node, name in _find_platforms(source):
            is_known = name in members if isinstance(node, ast.Attribute) else name.strip().lower() in known
            if not is_known and not any(isinstance(around, ast.Try) for around in source.ancestors(node)):
                yield source, node, name


def _find_own_platforms(plugin: Plugin) -> set[str] | None:
    """Find the names of the platforms that a plugin registers; None if one of them is not a literal."""
    found: set[str] = set()
    for source in plugin.sources:
        for call in source.calls(".register_platform") if "register_platform" in source.text else ():
            given = [*call.args[:1], *(word.value for word in call.keywords if word.arg == "name")]
            if not given or not isinstance(given[0], ast.Constant):
                return None
            found.add(str(given[0].value).lower())
    return found


def _find_platforms(source: Source) -> Iterator[tuple[ast.expr, str]]:
    """Find the calls ``Platform("name")`` and the attributes ``Platform.NAME`` of the host's class."""
    for call in source.calls(".Platform"):
        given = call.args[0] if call.args else None
        if _is_platform_class(source, call.func) and isinstance(given, ast.Constant) and isinstance(given.value, str):
            yield call, given.value
    for node in source.nodes(ast.Attribute):
        if node.attr.isupper() and _is_platform_class(source, node.value):
            yield node, node.attr


def _is_platform_class(source: Source, node: ast.expr) -> bool:
    name = source.dotted_name(node)
    return name.startswith("gateway.") and name.endswith(".Platform")


def _list_members(contract: Contract) -> Collection[str]:
    return set(contract.section("enums")["Platform"]["values"])


def _list_values(contract: Contract) -> Collection[str]:
    values = set(contract.section("enums")["Platform"]["values"].values())
    return values | {
        path.rpartition("/")[2] for path in contract.section("bundled_plugins") if path.startswith("platforms/")
    }
