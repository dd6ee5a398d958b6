"""The repair that adds ``**kwargs`` to a callback or a handler."""

import pytest

from hermes_sdk.check.engine import check
from hermes_sdk.check.fixes import fix
from hermes_sdk.check.options import Options
from hermes_sdk.check.rule import MANIFEST

NARROW = Options(release="0.19.0")
"""Options for a release that passes all keywords to every function."""

REGISTER = '\n\ndef register(ctx):\n    ctx.register_hook("on_session_start", {callback})\n'


def fix_source(plugin, source):
    manifest = f"{MANIFEST}provides_hooks: [on_session_start]\n"
    directory = plugin({"plugin.yaml": manifest, "__init__.py": source})
    result, _ = fix(directory, NARROW)
    return (directory / "__init__.py").read_text(encoding="utf-8"), [one.code for one in result.findings]


@pytest.mark.parametrize(
    ("head", "new"),
    [
        ("def watch():", "def watch(**kwargs):"),
        ("async  def  watch ( ):", "async  def  watch (**kwargs ):"),
        ("def watch(session_id, model=None):", "def watch(session_id, model=None, **kwargs):"),
        ("def watch(\n    session_id,\n    model,\n):", "def watch(\n    session_id,\n    model, **kwargs,\n):"),
        ("def watch(*args, model):", "def watch(*args, model, **kwargs):"),
        ("def watch(*args):", "def watch(*args, **kwargs):"),
        ("def watch(session_id: str) -> None:", "def watch(session_id: str, **kwargs: object) -> None:"),
        ("def watch(kwargs=None):", "def watch(kwargs=None, **further):"),
    ],
)
def test_repair_adds_keywords_to_a_function(head, new, plugin):
    body = "\n    return None\n"
    text, left = fix_source(plugin, f"{head}{body}{REGISTER.format(callback='watch')}")
    assert text == f"{new}{body}{REGISTER.format(callback='watch')}"
    assert "HS402" not in left


@pytest.mark.parametrize(
    ("callback", "new"),
    [("lambda: None", "lambda **kwargs: None"), ("lambda model: None", "lambda model, **kwargs: None")],
)
def test_repair_adds_keywords_to_a_lambda(callback, new, plugin):
    assert fix_source(plugin, REGISTER.format(callback=callback)) == (REGISTER.format(callback=new), [])


@pytest.mark.parametrize("head", ["def watch(model=(None)):", "def watch(model, /):"])
def test_unusual_parameters_have_no_repair(head, plugin):
    source = f"{head}\n    return None\n{REGISTER.format(callback='watch')}"
    manifest = f"{MANIFEST}provides_hooks: [on_session_start]\n"
    found = check(plugin({"plugin.yaml": manifest, "__init__.py": source}), NARROW).findings
    assert [one.repair for one in found if one.code == "HS402"] == [None]


def test_repair_adds_keywords_to_a_tool_handler(plugin):
    source = """def handle(args):
    return "4"


SCHEMA = {"name": "roll", "description": "Roll a die.", "parameters": {"type": "object", "properties": {}}}


def register(ctx):
    ctx.register_tool(name="roll", toolset="example", schema=SCHEMA, handler=handle)
"""
    manifest = f"{MANIFEST}provides_tools: [roll]\n"
    directory = plugin({"plugin.yaml": manifest, "__init__.py": source})
    result, count = fix(directory, NARROW)
    assert ([one.code for one in result.findings], count) == ([], 1)
    assert (directory / "__init__.py").read_text(encoding="utf-8").startswith("def handle(args, **kwargs):\n")
