"""The keyword arguments of hooks and middleware are those of the release."""

import typing

import pytest

from hermes_sdk import api, contract

CONTRACT = contract.load("0.19.0")


def arguments(name: str) -> tuple[set[str], set[str]]:
    """The arguments that a hook or middleware always gets, and those that it sometimes gets."""
    declared = getattr(api, f"{name.title().replace('_', '')}Arguments")
    sometimes = {key for key in declared.__optional_keys__ if not key.startswith("_")}
    return set(declared.__required_keys__), sometimes


def test_the_names_are_those_of_the_release() -> None:
    assert typing.get_args(api.HookName) == tuple(sorted(CONTRACT.hooks))
    assert typing.get_args(api.MiddlewareKind) == CONTRACT.middleware_kinds


@pytest.mark.parametrize("name", sorted(CONTRACT.hooks))
def test_a_hook_gets_the_arguments_of_the_release(name: str) -> None:
    fact = CONTRACT.hooks[name]

    assert arguments(name) == ({*fact.always, *CONTRACT.section("injected_hook_arguments")}, set(fact.sometimes))


@pytest.mark.parametrize("kind", CONTRACT.middleware_kinds)
def test_a_middleware_gets_the_arguments_of_the_release(kind: str) -> None:
    fact = CONTRACT.section("middleware")[kind]

    assert arguments(kind) == (set(fact["always"]), set(fact["sometimes"]))
