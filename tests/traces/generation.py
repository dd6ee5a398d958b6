"""Names that the generator of tests can write; any other name must come from a trace."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

_NAMES = {
    *("call", "fail", "float", "hermes", "hermes_gateway", "interrupt", "len", "one", "pytest", "re", "reply", "say"),
    *("sent", "snapshot", "tmp_path", "turn"),
}
_ATTRIBUTES = {
    *("aux", "body", "chat", "chmod", "command", "configure", "dm", "expect_swallowed", "fullmatch", "group", "hermes"),
    *(
        "home",
        "hooks",
        "host",
        "http_problems",
        "json",
        "llm",
        "mark",
        "messages",
        "mkdir",
        "observe_builtins",
        "observe_http",
        "of",
    ),
    *("receives", "reply", "requests", "result", "returned", "script", "system_text", "text", "tool_calls"),
    *("user_text", "write_text"),
}
_KEYWORDS = {
    *("chat", "config", "env", "exist_ok", "finish_reason", "match", "message_id", "name", "parents", "platform"),
    *("plugin", "reasoning", "thread", "toolsets", "until", "usage", "user"),
}
_FOLDERS = {"hermes.home", "hermes_gateway.host.home", "tmp_path"}
_IMPORTS = {"re", "pytest", "hermes_sdk.testing", "inline_snapshot"}
_NODES = (
    *(ast.Module, ast.FunctionDef, ast.arguments, ast.arg, ast.Import, ast.ImportFrom, ast.alias, ast.keyword),
    *(ast.Assign, ast.Assert, ast.Expr, ast.Call, ast.Attribute, ast.Subscript, ast.Name, ast.Constant, ast.List),
    *(ast.Dict, ast.JoinedStr, ast.FormattedValue, ast.UnaryOp, ast.USub, ast.BinOp, ast.Div, ast.ListComp),
    *(ast.comprehension, ast.Compare, ast.Eq, ast.In, ast.Is, ast.Load, ast.Store),
)


def find_foreign(source: str) -> list[str]:
    """Return the code in a generated test that the generator itself does not write."""
    return [found for node in ast.walk(ast.parse(source)) for found in _find(node)]


def _find(node: ast.AST) -> Iterator[str]:
    if not isinstance(node, _NODES):
        yield type(node).__name__
    known = True
    match node:
        case ast.Name(id=name):
            known = name in _NAMES
        case ast.Attribute(attr=name):
            known = name in _ATTRIBUTES
        case ast.Import(names=[ast.alias(name=name, asname=None)]):
            known = name in _IMPORTS
        case ast.ImportFrom(module=str(module), names=names, level=0):
            known = module in _IMPORTS and {one.name for one in names} <= _NAMES
        case ast.FunctionDef(name=name, args=arguments):
            known = re.fullmatch("test_[a-z0-9_]*", name) is not None and ast.get_docstring(node) is None
            known &= {one.arg for one in arguments.args} <= _NAMES
        case ast.Call(func=function, keywords=keywords):
            known = all(_is_known_keyword(one, isinstance(function, ast.Name) and function.id) for one in keywords)
        case ast.FormattedValue(value=value):
            known = isinstance(value, ast.Name) and value.id == "tmp_path"
        case ast.BinOp(left=left, right=right):
            known = ast.unparse(left) in _FOLDERS and isinstance(right, ast.Constant)
        case _:
            pass
    if not known:
        yield ast.unparse(node)


def _is_known_keyword(keyword: ast.keyword, function: str | bool) -> bool:
    if function == "call":
        # Arguments of a tool: plain names, or one mapping.
        return isinstance(keyword.value, ast.Dict) if keyword.arg is None else not keyword.arg.startswith("__")
    return keyword.arg in _KEYWORDS
