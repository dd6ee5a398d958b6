"""Rules for names and docstrings that a program can check."""

import ast
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]

RIDDLES = {"What", "Whether", "How", "Where", "That", "Of"}

PARTICIPLES = re.compile(
    r"(?!un|(?:em)?bed|embedded|exceed|feed|installed|need|proceed|red|seed|shed|speed|succeed)[a-z]+ed"
    r"|begun|bent|bitten|blown|borne|bound|broken|brought|built|caught|chosen|done|drawn|driven|eaten|fallen|fed|felt"
    r"|forgotten|fought|found|frozen|given|gone|grown|had|heard|held|hidden|hung|kept|known|laid|led|left|lent|lost"
    r"|made|meant|met|paid|proven|ridden|risen|said|seen|sent|shaken|shown|sold|sought|spent|spoken|stolen|stood|stuck"
    r"|sworn|taken|taught|thought|thrown|told|torn|understood|woken|won|worn|woven|written"
)
"""Single participles, which are unclear as names of functions and modules."""

Function = ast.FunctionDef | ast.AsyncFunctionDef


@pytest.fixture(scope="module")
def files() -> list[Path]:
    """Return all Python files of the project."""
    folders = ("hermes_sdk", "tests", "docs", "bench", "nix", ".ci")
    return sorted(path for folder in folders for path in (ROOT / folder).rglob("*.py"))


@pytest.fixture(scope="module")
def functions(files: list[Path]) -> list[tuple[str, Function]]:
    """Return all functions of the project with their locations."""
    return [
        (f"{path.relative_to(ROOT)}:{node.lineno}", node)
        for path in files
        for tree in [ast.parse(path.read_bytes())]
        for node in ast.walk(tree)
        if isinstance(node, Function)
    ]


def is_property(function: Function) -> bool:
    """Return whether a function is a property, whose name may be a participle."""
    return any("property" in ast.unparse(one) or ".setter" in ast.unparse(one) for one in function.decorator_list)


def test_docstring_of_function_begins_with_a_verb(functions):
    riddles = [
        f"{place}: {function.name}: {text.splitlines()[0]}"
        for place, function in functions
        if (text := ast.get_docstring(function)) and text.split()[0] in RIDDLES
    ]
    assert not riddles, 'begin the docstring with a verb, such as "Return whether …", and name the thing'


def test_name_of_function_is_not_a_participle(functions):
    participles = [
        f"{place}: {function.name}"
        for place, function in functions
        if PARTICIPLES.fullmatch(function.name.strip("_")) and not is_property(function)
    ]
    assert not participles, "name the function by a verb and its object, or by what it returns"


def test_name_of_module_is_not_a_participle(files):
    participles = [path for path in files if PARTICIPLES.fullmatch(path.stem.strip("_"))]
    assert not participles, "name the module by a noun"
