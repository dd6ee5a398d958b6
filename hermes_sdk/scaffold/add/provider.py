"""Tools of a memory provider, whose class has to offer them: Hermes ignores the tools that such a plugin registers."""

from __future__ import annotations

import ast
from collections.abc import Iterable

from hermes_sdk.errors import UsageError
from hermes_sdk.scaffold.add.code import Code, first_line, indentation, insert_above, last_line
from hermes_sdk.scaffold.add.imports import ensure_import
from hermes_sdk.scaffold.add.kinds import Tool

_OFFERS, _ANSWERS = "get_tool_schemas", "handle_tool_call"


class ProviderTool(Tool):
    """A tool of a memory provider."""

    must_be_listed = False
    parameter = "tool_name"
    arguments = "args"

    def schema_type(self, code: Code) -> str:
        """Return the type of the schema, a plain mapping for providers."""
        return f"dict[str, {ensure_import(code, 'typing', 'Any')}]"

    def call(self, at: str) -> str:
        """Return the branch that answers a call of the tool."""
        return f"""\
if {self.parameter} == "{self.name}":
    return {at}{self.handler}({self.arguments})
"""

    def test(self, code: Code) -> str:
        """Return a test in which the model calls the tool while the provider is active."""
        pytest, call = ensure_import(code, "pytest"), ensure_import(code, "hermes_sdk.testing", "call")
        return f'''\
@{pytest}.mark.hermes(config={{"memory": {{"provider": "{self.plugin}"}}}})
def test_the_model_calls_{self.identifier}(hermes: Host) -> None:
    hermes.llm.script({call}("{self.name}", text="tea"), "Done.")

    turn = hermes.chat("Go on.")

    assert turn.tool_calls[0].result.json == {{"result": "tea"}}
'''


def offer(codes: Iterable[Code], tool: ProviderTool) -> None:
    """Add a tool to the methods of the provider class that list and answer tools.

    Raises:
        UsageError: There is not exactly one such class, or its methods do not have the expected form.
    """
    found = [
        (code, node.name)
        for code in codes
        for node in code.tree.body
        if isinstance(node, ast.ClassDef) and _is_provider(node)
    ]
    if len(found) != 1:
        raise UsageError(f"expected one class with {_OFFERS} and {_ANSWERS}, found {len(found)}")
    code, name = found[0]
    insert_above(code, name, tool.definitions(code))
    _extend_list(code, _find_method(code, name, _OFFERS), f"dict({tool.handler.upper()})")
    _add_answer(code, _find_method(code, name, _ANSWERS), tool)


def _is_provider(node: ast.ClassDef) -> bool:
    return {inner.name for inner in node.body if isinstance(inner, ast.FunctionDef)} >= {_OFFERS, _ANSWERS}


def _find_method(code: Code, name: str, method: str) -> ast.FunctionDef:
    owner = next(node for node in code.tree.body if isinstance(node, ast.ClassDef) and node.name == name)
    return next(node for node in owner.body if isinstance(node, ast.FunctionDef) and node.name == method)


def _extend_list(code: Code, method: ast.FunctionDef, item: str) -> None:
    """Add an item to the list that a method returns."""
    returned = [node.value for node in ast.walk(method) if isinstance(node, ast.Return)]
    match returned:
        case [ast.List(elts=items, end_lineno=int(last), end_col_offset=int(end)) as found]:
            line = code.lines[last - 1].encode()
            before, after = line[: end - 1].decode(), line[end - 1 :].decode()
        case _:
            raise UsageError(f"{method.name} does not return a list literal", where=f"{code.path}:{method.lineno}")
    if found.lineno == last:
        comma = "" if not items or before.rstrip().endswith(",") else ", "
        code.replace(last, last, f"{before}{comma}{item}{after}")
    elif items and not before.strip() and code.lines[last - 2].rstrip().endswith(","):
        code.insert(last - 1, f"{item},\n", indentation(code.lines[items[-1].lineno - 1]))
    else:
        raise UsageError(f"the list in {method.name} does not have one item per line", where=f"{code.path}:{last}")


def _add_answer(code: Code, method: ast.FunctionDef, tool: ProviderTool) -> None:
    """Insert the branch for the tool at the top of a method."""
    if len(method.args.args) < 3 or method.body[0].lineno == method.lineno:
        raise UsageError(f"{method.name} does not have the expected form", where=f"{code.path}:{method.lineno}")
    tool.parameter, tool.arguments = (one.arg for one in method.args.args[1:3])
    first = method.body[0]
    documented = isinstance(first, ast.Expr) and isinstance(first.value, ast.Constant)
    at = last_line(first) if documented else first_line(first) - 1
    code.insert(at, tool.call(""), indentation(code.lines[first.lineno - 1]))
