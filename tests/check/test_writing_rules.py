"""The example rules in the docstring of `hermes_sdk.check.rules` work."""

import inspect
import re

import pytest

from hermes_sdk.check import rule, rules
from hermes_sdk.check.options import Options
from hermes_sdk.check.plugin import Plugin
from hermes_sdk.check.runtime import Runtime
from hermes_sdk.check.static import run_static_rules
from hermes_sdk.contract import load
from hermes_sdk.manifest import locate

TEXT = inspect.getdoc(rules) or ""
SHOWN = {
    re.search(r"^    def (\w+)", block, re.MULTILINE)[1]: block  # type: ignore[index]
    for block in re.findall(r"(?:^    .*\n|^\n)+", TEXT, re.MULTILINE)
    if "@rule" in block
}
PLUGIN = """\
import time as clock

clock.sleep(0)


def register(ctx):
    clock.sleep(0)
    if hasattr(ctx, "register_middleware"):
        ctx.register_middleware("llm_request", print)
    schema = {"name": "roll", "description": "x", "parameters": {"type": "object", "properties": {}}}
    ctx.register_tool(name="roll", toolset="", schema=schema, handler=lambda args, **kwargs: "4")
"""


@pytest.mark.parametrize(
    ("name", "place"),
    [
        ("empty_label", ("plugin.yaml", 4)),
        ("sleep_at_import", ("__init__.py", 3)),
        ("missing_context_method", ("__init__.py", 9)),
        ("missing_toolset", ("__init__.py", 11)),
    ],
)
def test_documented_rule_works(plugin, name, place):
    family = rule.Rules()
    names = {**vars(rule), "rule": family.rule, "_plugin": lambda **_: {}}
    exec(f"from __future__ import annotations\n{inspect.cleandoc(SHOWN[name])}\n", names)
    manifest = "name: example\nkind: standalone\nversion: '1'\nlabel: ''\n"
    directory = plugin({"plugin.yaml": manifest, "__init__.py": PLUGIN})
    subject = Plugin(locate(directory), directory)
    outcomes = list(run_static_rules(subject, family, [load("0.13.0")]))
    outcomes += Runtime([subject], full_isolation=False, time_limit=Options().time_limit, host="embedded").outcomes(
        family, ("0.19.0",)
    )
    assert {(one.path, one.line) for one in outcomes} == {place}


def test_every_documented_rule_is_tested():
    assert set(SHOWN) == {"empty_label", "sleep_at_import", "missing_context_method", "missing_toolset"}
