"""HS4xx: callbacks read only arguments that the host passes."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import TYPE_CHECKING

from hermes_sdk import contract
from hermes_sdk.check.load import Load
from hermes_sdk.check.model import Repair
from hermes_sdk.check.repair import set_in_manifest
from hermes_sdk.check.rule import MANIFEST, Example, Problem, Rules, example
from hermes_sdk.check.rules.callables import Definition, find_definition, list_hooks
from hermes_sdk.contract.ordering import Supported, raise_floor
from hermes_sdk.contract.suggestions import suggest_name

if TYPE_CHECKING:
    from hermes_sdk.contract import Contract
    from hermes_sdk.hosts.interface import Registration

RULES = Rules()
rule = RULES.rule


def _plugin(callback: str) -> Example:
    """Return a plugin with a callback for the output of the terminal."""
    source = f'{callback}\n\n\ndef register(ctx):\n    ctx.register_hook("transform_terminal_output", callback)\n'
    return example(source, manifest=f"{MANIFEST}provides_hooks: [transform_terminal_output]\n")


@rule(
    "HS404",
    call="register_hook",
    references=("D13", "D21", "https://github.com/clawnchdev/clawmes/issues/52"),
    bad=_plugin("def callback(text, **kwargs):\n    return text.strip()"),
    good=_plugin("def callback(output, **kwargs):\n    return output.strip()"),
)
def argument_never_passed(registration: Registration, load: Load) -> Iterator[Problem]:
    """callback reads an argument that the hook does not pass

    The host passes keywords and swallows the error: every call fails or receives nothing.

    Fix: Use the keywords that `hermes-sdk contract show` lists for each hook.
    """
    hook = registration["name"]
    found = find_definition(load, registration)
    if found is None or hook not in load.contract.hooks:
        return
    passed, hooks = _list_passed(load.contract, hook), list_hooks(load, registration)
    for one in found.node.args.posonlyargs:
        if one.arg in found.required & passed:
            message = f"the callback of '{hook}' takes '{one.arg}' by its position only, and hooks pass keywords"
            yield Problem(message, *found.source.place(one))
    for name in found.parameters:
        if name in passed or name == found.keywords or name == _get_var_positional(found):
            continue
        if name in found.required:
            message = f"'{hook}' passes no '{name}', and the callback requires it{_make_hint(name, passed)}"
            yield Problem(message, *found.place(name))
        elif not _is_passed_somewhere(hooks, name):
            message = f"'{hook}' never passes '{name}'{_make_hint(name, passed)}"
            yield Problem(message, *found.place(name), severity="warning")
    yield from _check_defaults(found, hook, load)
    yield from _check_reads(found, hook, hooks, passed)


def _check_defaults(found: Definition, hook: str, load: Load) -> Iterator[Problem]:
    for name in sorted(found.required.intersection(load.contract.hooks[hook].sometimes)):
        message = f"only some calls of '{hook}' pass '{name}': give it a default"
        yield Problem(message, *found.place(name), severity="warning")


def _check_reads(found: Definition, hook: str, hooks: set[str], passed: set[str]) -> Iterator[Problem]:
    nodes = list(found.nodes())
    probed = {_text(node.left) for node in nodes if isinstance(node, ast.Compare)}
    for node in nodes:
        if name := _read_item(node, found):
            if name not in passed | probed and not _is_tried(node, found):
                message = f"'{hook}' passes no '{name}': the callback raises KeyError{_make_hint(name, passed)}"
                yield Problem(message, *found.source.place(node))
        elif isinstance(node, ast.Call) and not _is_alternative(node, found):
            name = _read_keyword(node, found)
            if name and name not in passed and not _is_passed_somewhere(hooks, name):
                message = f"'{hook}' never passes '{name}'{_make_hint(name, passed)}"
                yield Problem(message, *found.source.place(node), severity="warning")


@rule(
    "HS406",
    severity="warning",
    call="register_hook register_tool register_middleware",
    references=("D3", "https://github.com/joshuaswarren/remnic/pull/831"),
    bad=_plugin("def callback(**kwargs):\n    print(dict(event='terminal', **kwargs))"),
    good=_plugin("def callback(**kwargs):\n    print({**kwargs, 'event': 'terminal'})"),
)
def keywords_forwarded_beside_literals(registration: Registration, load: Load) -> Iterator[Problem]:
    """forwarded keywords may repeat explicit ones

    When a release adds one of these keywords, every call raises TypeError.

    Fix: Name the parameter in the callback, or build one mapping: {**kwargs, 'name': value}.
    """
    found = find_definition(load, registration)
    if found is None or found.keywords is None:
        return
    forwarding = [node for node in found.nodes() if isinstance(node, ast.Call) and _is_forwarding(node, found)]
    if not forwarding:
        return
    passed = _list_passed(load.contract, registration["name"]) if registration["call"] == "register_hook" else set()
    taken = set(map(_read_pop, found.nodes()))
    for call in forwarding:
        literal = {one.arg for one in call.keywords if one.arg} - {*found.parameters} - taken
        yield from _check_forwarding(call, sorted(literal), passed, found)


def _is_forwarding(call: ast.Call, found: Definition) -> bool:
    """Return whether a call forwards the ``**kwargs`` of the callback."""
    return any(one.arg is None and _is_keywords(one.value, found) for one in call.keywords)


def _check_forwarding(call: ast.Call, names: list[str], passed: set[str], found: Definition) -> Iterator[Problem]:
    clash = [name for name in names if name in passed]
    place = found.source.place(call)
    if clash:
        message = f"'{clash[0]}' is also among the forwarded keywords: passing it twice raises TypeError"
        yield Problem(message, *place, severity="error")
    elif names:
        yield Problem(f"'{names[0]}' is passed alongside forwarded keywords", *place)


def _newer_plugin(requires_hermes: str) -> Example:
    """Return a plugin with a callback that needs an argument of Hermes 0.20.1."""
    source = (
        "def callback(system_prompt, **kwargs):\n    print(len(system_prompt or ''))\n\n\n"
        'def register(ctx):\n    ctx.register_hook("pre_api_request", callback)\n'
    )
    return example(
        source, manifest=f"{MANIFEST}requires_hermes: '{requires_hermes}'\nprovides_hooks: [pre_api_request]\n"
    )


@rule(
    "HS410",
    severity="warning",
    call="register_hook",
    references=("D13", "D21"),
    bad=_newer_plugin(">=0.19"),
    good=_newer_plugin(">=0.20.1"),
)
def argument_of_newer_hosts(registration: Registration, load: Load) -> Iterator[Problem]:
    """callback needs an argument that older releases do not pass

    requires_hermes admits a release whose hook lacks the argument: every call fails there, and the error is hidden.

    Fix: Give the parameter a default, use `kwargs.get`, or raise requires_hermes.
    """
    hook, found = registration["name"], find_definition(load, registration)
    supported = load.plugin.supported
    if found is None or supported is None:
        return
    passed = _list_passed(load.contract, hook)
    for name, place in _list_needed(found):
        if name in passed and (release := _find_lacking(supported, hook, name)):
            message = f"'{hook}' passes no '{name}' in Hermes {release}, which requires_hermes admits"
            yield Problem(message, *place, repair=_exclude(release, load))


def _exclude(release: str, load: Load) -> Repair | None:
    """Create a repair that raises the lower bound of requires_hermes above a release; None for the last release."""
    written = load.plugin.fields["requires_hermes"]
    newer = contract.api_releases()[contract.api_releases().index(release) + 1 :]
    if not newer:
        return None
    return set_in_manifest(load.plugin, ["requires_hermes"], raise_floor(written, newer[0]), safe=False)


def _list_needed(found: Definition) -> Iterator[tuple[str, tuple[str, int, int]]]:
    """List the arguments that a callback requires, with their places."""
    yield from ((name, found.place(name)) for name in found.parameters if name in found.required)
    nodes = list(found.nodes())
    probed = {_text(node.left) for node in nodes if isinstance(node, ast.Compare)}
    for node in nodes:
        name = _read_item(node, found)
        if name and name not in probed and not _is_tried(node, found):
            yield name, found.source.place(node)


def _find_lacking(supported: Supported, hook: str, name: str) -> str | None:
    """Find the newest release of a range with a hook that does not pass an argument."""
    known = [contract.load(release) for release in contract.api_releases() if supported.admits(release)]
    lacking = [one.release for one in known if hook in one.hooks and name not in _list_passed(one, hook)]
    return lacking[-1] if lacking else None


def _list_passed(target: Contract, hook: str) -> set[str]:
    """List the arguments that a release passes to the callbacks of a hook."""
    fact = target.hooks.get(hook)
    if fact is None:
        return set()
    return {*fact.arguments, *target.injected_hook_arguments}


def _is_passed_somewhere(hooks: set[str], name: str) -> bool:
    """Return whether any release passes an argument to any of the hooks, which may share a callback."""
    contracts = [contract.load(release) for release in contract.api_releases()]
    return any(name in _list_passed(one, hook) for one in contracts for hook in hooks)


def _make_hint(name: str, passed: set[str]) -> str:
    return suggest_name(name, passed) or f"; it passes {', '.join(sorted(passed))}"


def _get_var_positional(found: Definition) -> str | None:
    return found.node.args.vararg.arg if found.node.args.vararg else None


def _text(node: ast.expr) -> str | None:
    return node.value if isinstance(node, ast.Constant) and isinstance(node.value, str) else None


def _is_keywords(node: ast.expr, found: Definition) -> bool:
    return isinstance(node, ast.Name) and node.id == found.keywords


def _read_item(node: ast.AST, found: Definition) -> str | None:
    """Return the literal key of ``kwargs["name"]``; None for other nodes."""
    reads = isinstance(node, ast.Subscript) and isinstance(node.ctx, ast.Load) and _is_keywords(node.value, found)
    return _text(node.slice) if isinstance(node, ast.Subscript) and reads else None


def _read_keyword(node: ast.Call, found: Definition) -> str | None:
    """Return the literal key of ``kwargs.get("name")``; None for other calls."""
    function = node.func
    reads = isinstance(function, ast.Attribute) and function.attr == "get" and _is_keywords(function.value, found)
    return _text(node.args[0]) if reads and node.args else None


def _is_alternative(node: ast.Call, found: Definition) -> bool:
    """Return whether a lookup is one of several alternatives, as in ``kwargs.get("a") or kwargs.get("b")``."""
    around = found.source.parent(node)
    if isinstance(around, ast.BoolOp) or (isinstance(around, ast.Call) and _read_keyword(around, found)):
        return True
    return any(isinstance(each, ast.Call) for each in node.args[1:])


def _is_tried(node: ast.AST, found: Definition) -> bool:
    return any(isinstance(around, ast.Try) for around in found.source.ancestors(node))


def _read_pop(node: ast.AST) -> str | None:
    """Return the literal key of ``kwargs.pop("name")``; None for other nodes."""
    pops = isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "pop"
    return _text(node.args[0]) if isinstance(node, ast.Call) and pops and node.args else None
