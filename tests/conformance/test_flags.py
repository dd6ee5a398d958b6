"""Behaviour flags: every flag is an attribute of `Behaviour`, and the code reads every one."""

import ast
from collections.abc import Iterator
from pathlib import Path

import hermes_sdk
from hermes_sdk.contract import Behaviour
from hermes_sdk.contract.loader import behaviour_flags

FLAGS = {flag["name"]: flag for flag in behaviour_flags()}


def attributes_read() -> Iterator[str]:
    """The name of every attribute that the package reads from something called ``behaviour``."""
    for file in Path(hermes_sdk.__file__).parent.rglob("*.py"):
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Attribute):
                holder = node.value
                name = holder.attr if isinstance(holder, ast.Attribute) else getattr(holder, "id", "")
                if name.lstrip("_") == "behaviour":
                    yield node.attr


def test_every_flag_is_a_typed_attribute() -> None:
    assert sorted(Behaviour.__annotations__) == sorted(FLAGS), "`python docs` writes the class anew"


def test_every_attribute_that_is_read_exists() -> None:
    assert set(attributes_read()) - set(FLAGS) == set()


def test_every_flag_is_read() -> None:
    assert set(FLAGS) - set(attributes_read()) == set()
