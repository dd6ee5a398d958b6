"""Fingerprints of functions in small modules."""

import textwrap

import pytest

from hermes_sdk.contract.probe.fingerprints import sections
from hermes_sdk.contract.probe.source import Source

CODE = """
    LIMIT = 3

    def stop(text):
        '''Stop.'''
        return shorten(text)

    def shorten(text):  # of any length
        return text[:LIMIT]

    def other():
        return 1

    class Runner:
        def start(self):
            return self._prepare()

        def _prepare(self):
            return other()
"""


@pytest.fixture
def fingerprints(tmp_path):
    def take(*listed, **modules):
        files = {}
        for name, text in modules.items():
            module = name.removesuffix("__init__").rstrip("_")
            files[module] = tmp_path / name / "__init__.py" if module != name else tmp_path / f"{name}.py"
            files[module].parent.mkdir(exist_ok=True)
            files[module].write_text(textwrap.dedent(text))
        return sections(Source(files), listed)["fingerprints"]

    return take


def test_docstrings_comments_and_layout_do_not_change_fingerprints(fingerprints):
    before = fingerprints("m:stop", m=CODE)
    written_otherwise = CODE.replace("'''Stop.'''", "").replace("  # of any length", "\n")
    assert fingerprints("m:stop", m=written_otherwise) == before


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("return shorten(text)", "return shorten(text) or None"),
        ("text[:LIMIT]", "text[1:LIMIT]"),
        ("LIMIT = 3", "LIMIT = 4"),
    ],
    ids=["itself", "a function that it calls", "a constant that this uses"],
)
def test_changes_of_code_and_used_names_change_the_fingerprint(fingerprints, old, new):
    assert fingerprints("m:stop", m=CODE.replace(old, new)) != fingerprints("m:stop", m=CODE)


def test_changes_of_unused_code_do_not_change_the_fingerprint(fingerprints):
    assert fingerprints("m:stop", m=CODE.replace("return 1", "return 2")) == fingerprints("m:stop", m=CODE)


def test_changes_of_called_methods_change_the_fingerprint(fingerprints):
    before = fingerprints("m:Runner.start", m=CODE)
    assert fingerprints("m:Runner.start", m=CODE.replace("return 1", "return 2")) != before
    assert fingerprints("m:Runner.start", m=CODE.replace("text[:LIMIT]", "text")) == before


def test_change_of_a_listed_function_changes_only_its_own_fingerprint(fingerprints):
    before = fingerprints("m:stop", "m:shorten", m=CODE)
    after = fingerprints("m:stop", "m:shorten", m=CODE.replace("text[:LIMIT]", "text"))
    assert after["m:stop"] == before["m:stop"]
    assert after["m:shorten"] != before["m:shorten"]


def test_missing_function_has_no_fingerprint(fingerprints):
    assert fingerprints("m:absent", "absent:stop", "m:Runner.absent", "m:LIMIT", m=CODE) == {}


def test_moved_function_is_found_through_imports_and_bases(fingerprints):
    plain = fingerprints("m:shorten", m=CODE)["m:shorten"]
    moved = "from n import shorten as cut\nfrom n import Runner\nclass Fast(Runner): pass\n"
    found = fingerprints("m:cut", "m:Fast.start", m=moved, n=CODE)
    assert found["m:cut"] == f"{plain} n:shorten"
    assert found["m:Fast.start"].endswith(" n:Runner.start")


def test_relative_imports_are_followed(fingerprints):
    found = fingerprints("m:stop", m__init__="from .parts import stop", **{"m.parts": CODE})
    assert found["m:stop"].endswith(" m.parts:stop")


def test_split_f_strings_have_the_same_fingerprint(fingerprints):
    joined = fingerprints("m:f", m="def f(x): return f'a b {x:>{x}} c'")
    assert fingerprints("m:f", m="def f(x): return 'a ' f'b {x:>{x}} ' 'c'") == joined
    assert fingerprints("m:f", m="def f(x): return f'a b {x:<{x}} c'") != joined
