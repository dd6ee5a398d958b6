"""Behaviour flags: what the hosts ask for exists, and what exists is asked for."""

import ast
from collections.abc import Iterator
from pathlib import Path

import hermes_sdk.hosts
from hermes_sdk.contract.loader import DOCUMENTED, behaviour

FLAGS = {flag["name"]: flag for flag in behaviour()}

LATER = {
    "platforms_deferred": "bundled platforms are left out",
}
"""Flags of real releases that no host asks for yet."""


def asked_for() -> Iterator[str]:
    """The names in every ``flags["name"]`` of the hosts."""
    for file in Path(hermes_sdk.hosts.__file__).parent.rglob("*.py"):
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Subscript) and isinstance(node.slice, ast.Constant):
                holder = node.value
                name = holder.attr if isinstance(holder, ast.Attribute) else getattr(holder, "id", "")
                if name.lstrip("_") == "flags":
                    yield str(node.slice.value)


def test_the_hosts_ask_for_flags_that_exist() -> None:
    assert set(asked_for()) - set(FLAGS) == set()


def test_every_flag_of_a_real_release_is_asked_for_or_waits() -> None:
    real = {name for name, flag in FLAGS.items() if flag["since"] != DOCUMENTED}
    assert sorted(real - set(asked_for())) == sorted(LATER)
