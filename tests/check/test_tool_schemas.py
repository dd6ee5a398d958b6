"""Findings of the rules about tools in many schemas, all in one plugin."""

import pytest

from hermes_sdk.check.engine import check
from hermes_sdk.check.options import Options
from hermes_sdk.check.rule import example

NO_PARAMETERS = {"type": "object", "properties": {}}


def parameters(**properties) -> dict:
    return {"description": "x", "parameters": {"type": "object", "properties": properties}}


SCHEMAS = {
    "good": (parameters(sides={"type": "integer", "minimum": 1}), []),
    "nullable": (parameters(sides={"type": ["integer", "null"], "default": None}), []),
    "no_type": ({"description": "x", "parameters": {"properties": {}}}, []),
    "wrapped": ({"type": "function", "function": {"name": "wrapped"}}, [("HS303", "error")]),
    "bare": ({"description": "x", **NO_PARAMETERS}, [("HS304", "error")]),
    "anthropic": ({"description": "x", "input_schema": NO_PARAMETERS}, [("HS304", "error")]),
    "mcp": ({"description": "x", "inputSchema": NO_PARAMETERS}, [("HS304", "error")]),
    "missing": ({"description": "x"}, [("HS304", "warning")]),
    "null": ({"description": "x", "parameters": None}, [("HS304", "error")]),
    "listed": ({"description": "x", "parameters": []}, [("HS304", "error")]),
    "not_object": ({"description": "x", "parameters": {"type": "array"}}, [("HS304", "error")]),
    "python_type": (parameters(sides={"type": "int"}), [("HS305", "error")]),
    "type_name": (parameters(sides="integer"), [("HS305", "warning")]),
    "no_schema": (parameters(sides="whole number"), [("HS305", "error")]),
    "required": (parameters(sides={"type": "string", "required": True}), [("HS305", "error")]),
    "twice": (parameters(a={"type": "str"}, b={"items": {"enum": "x"}}), [("HS305", "error"), ("HS305", "error")]),
    "renamed": ({"name": "other", **parameters()}, [("HS306", "warning")]),
    "odd_name": ({"name": {"a": 1}, **parameters()}, [("HS306", "warning")]),
    "blank": ({"description": "  ", "parameters": NO_PARAMETERS}, [("HS307", "warning")]),
    "odd_description": ({"description": 5, "parameters": NO_PARAMETERS}, [("HS307", "warning")]),
}


@pytest.fixture(scope="module")
def findings_by_tool(tmp_path_factory) -> dict[str, list[tuple[str, str]]]:
    """Return the code and the severity of the findings, by tool."""
    source = f"""\
SCHEMAS = { ({name: schema for name, (schema, _) in SCHEMAS.items()})!r}


def register(ctx):
    for name, schema in SCHEMAS.items():
        ctx.register_tool(name=name, toolset="t", schema=schema, handler=lambda args, **kwargs: "")
"""
    directory = tmp_path_factory.mktemp("example")
    for name, content in example(source).items():
        (directory / name).write_text(str(content), encoding="utf-8")
    findings = [
        finding for finding in check(directory, Options(release="0.19.0")).findings if finding.code.startswith("HS3")
    ]
    return {
        name: [(finding.code, finding.severity) for finding in findings if f"'{name}'" in finding.message]
        for name in SCHEMAS
    }


@pytest.mark.parametrize("name", SCHEMAS)
def test_tool_schemas_have_the_expected_findings(name, findings_by_tool):
    assert findings_by_tool[name] == SCHEMAS[name][1]
