"""Generated source code is formatted like ruff does."""

from __future__ import annotations

import random
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from hermes_sdk.traces.plugin_tests import call, call_with, comparison, literal, statement

RUFF = Path(sys.executable).with_name("ruff")
LETTERS = "abcdefgh     '\"\\\n\t\0é中{}%"
SIDES = ("turn.reply", "turn.tool_calls[12].result.json", 'turn.hooks.of("pre_llm_call")[0].returned')


def make_value(chance: random.Random, depth: int = 0) -> Any:
    match chance.choice("ttttnfbx" if depth > 2 else "ttttnfbxlldd"):
        case "t":
            return "".join(chance.choices(LETTERS, k=chance.choice((0, 5, 20, 50, 70, 90, 120))))
        case "n":
            return chance.randint(-1000, 10**9)
        case "f":
            return chance.choice((1.5, 1e-07, 1e22, -0.0))
        case "b":
            return chance.choice((True, False))
        case "l":
            return [make_value(chance, depth + 1) for _ in range(chance.randint(0, 4))]
        case "d":
            keys = ("".join(chance.choices(LETTERS, k=4)) for _ in range(chance.randint(0, 4)))
            return {key: make_value(chance, depth + 1) for key in keys}
        case _:
            return None


def write_lines(chance: random.Random) -> Iterator[str]:
    for _ in range(300):
        value = literal(make_value(chance))
        yield from statement("turn = ", call("hermes.chat", value), 4)
        yield from comparison(chance.choice(SIDES), "==", value, 4)
        yield from comparison(chance.choice(SIDES), "==", call("snapshot", value), 4)
        yield from comparison(str(literal("".join(chance.choices(LETTERS, k=40)))), "in", chance.choice(SIDES), 4)
        calls = [call_with("call", '"x"', keywords={"a": make_value(chance), "b c": 1}), call("say", value)]
        yield from statement("", call("hermes.llm.script", *calls), 4)


@pytest.mark.skipif(not RUFF.exists(), reason="ruff is not installed")
@pytest.mark.parametrize("seed", [1, 2])
def test_ruff_does_not_change_generated_source(seed: int) -> None:
    text = "\n".join(["def test_it(hermes):", *write_lines(random.Random(seed))]) + "\n"
    formatted = subprocess.run(
        [RUFF, "format", "--isolated", "-"], input=text.encode(), capture_output=True, check=True
    ).stdout
    assert formatted.decode() == text


def test_literal_evaluates_to_value() -> None:
    chance = random.Random(0)
    values = [make_value(chance) for _ in range(200)]
    assert eval(str(literal(values))) == values
