"""`PluginContext` and what hangs on it have exactly the members, parameters and defaults of the release."""

import inspect
import typing
from typing import Any

import pytest

from hermes_sdk import api, contract
from hermes_sdk.api import hooks, middleware
from hermes_sdk.api.provider_registration import ProviderRegistration
from hermes_sdk.contract import Member, Parameter
from hermes_sdk.contract.model import member

CONTRACT = contract.load("0.19.0")
CONTEXT = {name: fact for name, fact in CONTRACT.context.items() if not name.startswith("_")}
PROVIDERS = [
    "BrowserProvider",
    "ContextEngine",
    "DashboardAuthProvider",
    "ImageGenProvider",
    "SecretSource",
    "TTSProvider",
    "TranscriptionProvider",
    "VideoGenProvider",
    "WebSearchProvider",
]


def parameters(function: Any) -> list[tuple[str, str, str | None]]:
    """Name, kind and source text of the default of each parameter but ``self``."""
    found = list(inspect.signature(function).parameters.values())[1:]
    return [(p.name, p.kind.name.lower(), None if p.default is p.empty else repr(p.default)) for p in found]


def facts(of: tuple[Parameter, ...]) -> list[tuple[str, str, str | None]]:
    return [(p.name, p.kind, p.default) for p in of]


def members(cls: type) -> dict[str, Any]:
    """What a protocol asks for: its own functions and properties, and its annotated attributes."""
    own = {name: value for name, value in vars(cls).items() if not name.startswith("_")}
    return own | dict.fromkeys(inspect.get_annotations(cls))


def class_facts(name: str) -> dict[str, Member]:
    return {key: member(key, fact) for key, fact in CONTRACT.section("classes")[name]["members"].items()}


def test_the_context_has_the_members_of_the_release() -> None:
    assert (members(ProviderRegistration) | members(api.PluginContext)).keys() == CONTEXT.keys()


@pytest.mark.parametrize("name", [name for name, fact in CONTEXT.items() if fact.kind == "method"])
def test_a_method_has_the_parameters_of_the_release(name: str) -> None:
    assert parameters(getattr(api.PluginContext, name)) == facts(CONTEXT[name].parameters)


def test_properties_are_properties_and_the_rest_attributes() -> None:
    kinds = {name: type(value) for name, value in members(api.PluginContext).items() if not inspect.isfunction(value)}

    assert kinds == {
        name: property if fact.kind == "property" else type(None)
        for name, fact in CONTEXT.items()
        if fact.kind != "method"
    }


def overloads(method: Any) -> dict[str, Any]:
    """What each overload takes first, and the callback that it then wants."""
    names = {**vars(typing), "hooks": hooks, "middleware": middleware}
    hints = [list(typing.get_type_hints(one, names).values()) for one in typing.get_overloads(method)]
    return {typing.get_args(name)[0]: callback for name, callback, _ in hints}


def camel(name: str) -> str:
    return name.title().replace("_", "")


def test_each_hook_has_an_overload_of_its_own() -> None:
    callbacks = {name: getattr(api, f"{camel(name)}Callback") for name in CONTRACT.hooks}

    assert overloads(api.PluginContext.register_hook) == callbacks


def test_each_middleware_has_an_overload_of_its_own() -> None:
    callbacks = {kind: getattr(api, f"{camel(kind)}Middleware") for kind in CONTRACT.middleware_kinds}

    assert overloads(api.PluginContext.register_middleware) == callbacks


def test_the_overloads_of_a_tool_differ_in_nothing_but_async() -> None:
    plain, coroutine = (
        dict(inspect.signature(one).parameters) for one in typing.get_overloads(api.PluginContext.register_tool)
    )
    whole = inspect.signature(api.PluginContext.register_tool).parameters

    assert list(plain) == list(coroutine) == list(whole)
    assert {name for name in whole if plain[name].annotation != coroutine[name].annotation} == {"handler", "is_async"}


def test_platform_options_are_those_that_the_host_leaves_to_the_plugin() -> None:
    entry = {field["name"] for field in CONTRACT.section("dataclasses")["PlatformEntry"]["fields"]}
    own = {p.name for p in CONTEXT["register_platform"].parameters}

    assert api.PlatformOptions.__annotations__.keys() == entry - own - {"source"}


def test_a_handler_gets_the_keywords_of_the_release() -> None:
    calls = CONTRACT.section("host_calls")["tool handler"]
    sent = {name for call in calls for name in (*call["always"], *call["sometimes"])}

    assert public(api.ToolHandlerArguments.__annotations__) == sent
    assert not api.ToolHandlerArguments.__required_keys__


def public(names: typing.Iterable[str]) -> set[str]:
    return {name for name in names if not name.startswith("_")}


def test_the_model_has_the_methods_of_the_release() -> None:
    known = class_facts("PluginLlm")
    methods = members(api.PluginLlm)

    assert methods.keys() == {name for name in known if not name.startswith("_")}
    for name, method in methods.items():
        assert parameters(method) == facts(known[name].parameters)
        assert inspect.iscoroutinefunction(method) == name.startswith("a")


@pytest.mark.parametrize(
    "name", ["PluginLlmCompleteResult", "PluginLlmStructuredResult", "PluginLlmUsage", "PluginManifest"]
)
def test_a_value_has_the_fields_of_the_release(name: str) -> None:
    fields = [field["name"] for field in CONTRACT.section("dataclasses")[name]["fields"]]

    assert list(inspect.get_annotations(getattr(api, name))) == fields


@pytest.mark.parametrize("name", PROVIDERS)
def test_a_provider_must_have_what_the_host_demands(name: str) -> None:
    known = class_facts(name)
    asked = members(getattr(api, name))

    assert set(CONTRACT.section("classes")[name]["abstract"]) <= asked.keys() <= known.keys()
    for method, function in asked.items():
        if inspect.isfunction(function):
            assert set(parameters(function)) <= set(facts(known[method].parameters)), method
