"""The marks ``Since 0.17.0`` in docstrings name the release that first had the member, hook or argument."""

import ast
import inspect
import pkgutil
import re
from collections.abc import Callable
from importlib import import_module

import pytest

from hermes_sdk import api, contract
from hermes_sdk.api import hooks
from hermes_sdk.contract import Contract

NEWEST = contract.load("0.19.0")
OLDEST = contract.releases()[0]


def first(has: Callable[[Contract], bool]) -> str:
    return next(release for release in contract.releases() if has(contract.load(release)))


def mark(text: str) -> str | None:
    found = re.search(r"\bSince (\d+\.\d+\.\d+)\.", text)
    return found and found[1]


def split(docstring: str) -> tuple[str, dict[str, str]]:
    """The summary of a docstring, and the text of each entry of its sections."""
    text = inspect.cleandoc(docstring)
    entries = re.findall(r"^    \**(\w+): ((?:.|\n(?!    \**\w+: |\n))*)", text, re.MULTILINE)
    return text.partition("\n\n")[0], dict(entries)


HOOK_CLASSES = {
    node.name: node
    for module in pkgutil.iter_modules(hooks.__path__, "hermes_sdk.api.hooks.")
    for node in ast.parse(inspect.getsource(import_module(module.name))).body
    if isinstance(node, ast.ClassDef)
}


def documented(name: str) -> dict[str, str]:
    """The entries in the docstring of a class and its bases, which a TypedDict does not remember."""
    if name not in HOOK_CLASSES:
        return {}
    node = HOOK_CLASSES[name]
    entries = split(ast.get_docstring(node) or "")[1]
    for base in node.bases:
        entries = documented(ast.unparse(base)) | entries
    return entries


@pytest.mark.parametrize("name", [name for name in NEWEST.context if not name.startswith("_") and name != "manifest"])
def test_a_member_of_the_context(name: str) -> None:
    summary, entries = split(getattr(api.PluginContext, name).__doc__)
    since = first(lambda release: name in release.context)

    assert (mark(summary) or OLDEST) == since
    for parameter in NEWEST.context[name].parameters:
        assert (mark(entries[parameter.name]) or since) == first(
            lambda release, wanted=parameter.name: (
                name in release.context and wanted in {p.name for p in release.context[name].parameters}
            )
        )


@pytest.mark.parametrize("name", sorted(NEWEST.hooks))
def test_a_hook_and_its_arguments(name: str) -> None:
    declared = f"{name.title().replace('_', '')}Arguments"
    since = first(lambda release: name in release.hooks)
    entries = documented(declared)
    fact = NEWEST.hooks[name]

    assert (mark(split(getattr(api, declared).__doc__)[0]) or OLDEST) == since
    for argument in (*fact.always, *fact.sometimes):
        assert max(mark(entries[argument]) or since, since) == first(
            lambda release, wanted=argument: (
                name in release.hooks and wanted in (*release.hooks[name].always, *release.hooks[name].sometimes)
            )
        ), argument


def test_the_argument_of_all_hooks() -> None:
    assert mark(documented("HookArguments")["telemetry_schema_version"]) == first(
        lambda release: "telemetry_schema_version" in release.section("injected_hook_arguments")
    )


def test_the_keyword_of_a_handler() -> None:
    entries = split(api.ToolHandlerArguments.__doc__ or "")[1]

    for name, text in entries.items():
        assert (mark(text) or OLDEST) == first(
            lambda release, wanted=name: any(
                wanted in (*call["always"], *call["sometimes"])
                for call in release.section("host_calls")["tool handler"]
            )
        )


def test_middleware() -> None:
    from hermes_sdk.api import middleware

    assert mark(split(middleware.__doc__ or "")[0]) == first(lambda release: bool(release.middleware_kinds))
