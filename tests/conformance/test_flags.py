"""Behaviour flags are read by the code, and each has a case that shows both settings."""

import ast
from collections.abc import Iterator
from pathlib import Path

from conformance.case import all_cases

import hermes_sdk
from hermes_sdk.contract.behaviour import FLAGS, Behaviour

ROOT = Path(__file__).parents[2]


def attributes_read() -> Iterator[str]:
    """Yield the names of all attributes that the package reads from ``behaviour``."""
    for file in Path(hermes_sdk.__file__).parent.rglob("*.py"):
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Attribute):
                holder = node.value
                name = holder.attr if isinstance(holder, ast.Attribute) else getattr(holder, "id", "")
                if name.lstrip("_") == "behaviour":
                    yield node.attr


def test_every_attribute_that_is_read_is_a_flag() -> None:
    assert set(attributes_read()) - set(vars(Behaviour)) == set()


def test_every_flag_is_read() -> None:
    assert set(FLAGS) - set(attributes_read()) == set()


def test_every_flag_has_a_case() -> None:
    shown = {one.id for one in all_cases()}
    shown |= {flag.case for flag in FLAGS.values() if "::" in flag.case and is_test(*flag.case.split("::"))}
    assert {name: flag.case for name, flag in FLAGS.items() if flag.case not in shown} == {}


def is_test(file: str, name: str) -> bool:
    return f"\ndef {name}(" in (ROOT / file).read_text(encoding="utf-8")
