"""Registration of a plugin: the function that the host calls, and the place in it for one more call."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from hermes_sdk.errors import UsageError
from hermes_sdk.scaffold.add.code import Code, first_line, indentation, last_line, statements

_MOST_STEPS = 5
_LEAVES = (ast.Return, ast.Raise, ast.Break, ast.Continue)
_SCOPES = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda, ast.ClassDef)


@dataclass(frozen=True)
class Register:
    """The function that the host calls.

    Attributes:
        ctx: What it calls the context.
    """

    code: Code
    function: ast.FunctionDef
    ctx: str


def find_register(entry: Path, read: Callable[[Path], Code]) -> Register:
    """Follow the name ``register`` of a plugin's module to the function behind it.

    Raises:
        UsageError: There is none, or it is not one plain function that is called with the context.
    """
    file, name = entry, "register"
    for _ in range(_MOST_STEPS):
        code = read(file)
        node = _only_binding(code, name)
        match node:
            case ast.FunctionDef():
                return Register(code, node, _context_of(code, node))
            case ast.ImportFrom(level=level) if level and (found := _find_import_source(file, node, name)):
                file, name = found
            case ast.Assign(targets=[ast.Name()], value=ast.Name(id=other)):
                name = other
            case _:
                raise not_understood(code, node, f"`{name}` is not a plain function")
    raise UsageError("`register` is imported through too many modules", where=str(entry))


def insert_call(register: Register, method: str, text: str) -> None:
    """Insert a statement into the function, where it runs whenever the function is called.

    It follows the last call of the same method, else the last registration, else the last statement; without a method
    the last statement. It comes before everything that may leave the function.

    Args:
        method: The method of the context that the statement calls; empty when it calls none.
        text: The statement, as `Code.insert` takes it.

    Raises:
        UsageError: No line of the function is free for it.
    """
    code, function = register.code, _again(register)
    if function.body[0].lineno == function.lineno or not _begins_line(code, function.body[0]):
        _break_before(code, function.body[0])
        function = _again(register)
    groups = list(_lines_of(function.body))
    free = 0
    while free < len(groups) and not any(map(_may_leave, groups[free])):
        free += 1
    at = _chosen(groups[:free], register.ctx, method) if method else free
    indent = indentation(code.lines[groups[0][0].lineno - 1])
    place = last_line(groups[at - 1][-1]) if at else first_line(groups[0][0]) - 1
    code.insert(place, text, indent)


def uses_as_local(register: Register, name: str) -> bool:
    """Return whether a name is bound inside the function, so that it does not mean what it means in the module."""
    return any(
        (isinstance(node, ast.Name) and node.id == name and not isinstance(node.ctx, ast.Load))
        or (isinstance(node, ast.arg) and node.arg == name)
        or (isinstance(node, ast.alias) and (node.asname or node.name.partition(".")[0]) == name)
        or (isinstance(node, (*_SCOPES, ast.ExceptHandler)) and getattr(node, "name", None) == name)
        for node in ast.walk(register.function)
        if node is not register.function
    )


def not_understood(code: Code, node: ast.AST | None, why: str) -> UsageError:
    """The error for a plugin whose registration cannot be told from its text."""
    line = f":{getattr(node, 'lineno', 1)}" if node is not None else ""
    return UsageError(why, where=f"{code.path}{line}")


def _only_binding(code: Code, name: str) -> ast.stmt:
    found = [node for node in statements(code.tree.body) if name in _find_bound_names(node)]
    if not found:
        raise not_understood(code, None, f"`{name}` is not defined")
    if len(found) > 1:
        raise not_understood(code, found[1], f"`{name}` is defined more than once")
    if found[0] not in code.tree.body:
        raise not_understood(code, found[0], f"`{name}` is defined conditionally")
    return found[0]


def _find_bound_names(node: ast.stmt) -> Iterator[str]:
    """The names that a statement binds, without those of statements in it."""
    if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
        yield node.name
    elif isinstance(node, ast.Import | ast.ImportFrom):
        yield from (alias.asname or alias.name.partition(".")[0] for alias in node.names)
    else:
        yield from _find_stored_names(node)


def _find_stored_names(node: ast.AST) -> Iterator[str]:
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.Name) and not isinstance(child.ctx, ast.Load):
            yield child.id
        if not isinstance(child, (ast.stmt, *_SCOPES)):
            yield from _find_stored_names(child)


def _find_import_source(file: Path, node: ast.ImportFrom, name: str) -> tuple[Path, str] | None:
    """The file that a name is imported from, and what it is called there."""
    original = next(alias.name for alias in node.names if (alias.asname or alias.name) == name)
    module = file.parents[node.level - 1].joinpath(*(node.module or "").split("."))
    found = next((path for path in (module.with_suffix(".py"), module / "__init__.py") if path.is_file()), None)
    return (found, original) if found is not None and found != file else None


def _context_of(code: Code, function: ast.FunctionDef) -> str:
    parameters = [*function.args.posonlyargs, *function.args.args]
    if not parameters:
        raise not_understood(code, function, f"`{function.name}` has no parameter `ctx`")
    ctx = parameters[0].arg
    for node in ast.walk(function):
        if isinstance(node, ast.Name) and node.id == ctx and not isinstance(node.ctx, ast.Load):
            raise not_understood(code, node, f"`{function.name}` reassigns `{ctx}`")
    if any(isinstance(node, ast.Yield | ast.YieldFrom) for node in _walk_own_nodes(function)):
        raise not_understood(code, function, f"`{function.name}` is a generator, so calling it runs nothing")
    return ctx


def _walk_own_nodes(node: ast.AST) -> Iterator[ast.AST]:
    """The nodes of a function without those of functions in it."""
    for child in ast.iter_child_nodes(node):
        yield child
        if not isinstance(child, _SCOPES):
            yield from _walk_own_nodes(child)


def _again(register: Register) -> ast.FunctionDef:
    """The function in the current tree: the file may have grown."""
    for node in register.code.tree.body:
        if isinstance(node, ast.FunctionDef) and node.name == register.function.name:
            return node
    raise AssertionError(register.function.name)


def _begins_line(code: Code, node: ast.stmt) -> bool:
    line = code.lines[node.lineno - 1].encode()
    return not line[: node.col_offset].strip() or first_line(node) < node.lineno


def _break_before(code: Code, node: ast.stmt) -> None:
    """Give the body of a function that stands behind its colon lines to itself."""
    line = code.lines[node.lineno - 1].encode()
    head, body = line[: node.col_offset].decode(), line[node.col_offset :].decode()
    code.replace(node.lineno, node.lineno, f"{head.rstrip()}{code.newline}{code.unit}{body}")


def _lines_of(body: list[ast.stmt]) -> Iterator[list[ast.stmt]]:
    """The statements of a block, those together that share a line."""
    group: list[ast.stmt] = []
    for node in body:
        if group and first_line(node) > last_line(group[-1]):
            yield group
            group = []
        group.append(node)
    yield group


def _may_leave(node: ast.stmt) -> bool:
    return isinstance(node, _LEAVES) or any(isinstance(inner, _LEAVES[:2]) for inner in _walk_own_nodes(node))


def _chosen(groups: list[list[ast.stmt]], ctx: str, method: str) -> int:
    """Return how many groups stay before the new statement."""

    def last(beginning: str) -> int:
        return max(
            (n for n, group in enumerate(groups, 1) if any(_calls(node, ctx, beginning) for node in group)), default=0
        )

    return last(method) or last("register_") or len(groups)


def _calls(node: ast.stmt, ctx: str, beginning: str) -> bool:
    match node:
        case ast.Expr(value=ast.Call(func=ast.Attribute(value=ast.Name(id=owner), attr=attr))):
            return owner == ctx and attr.startswith(beginning)
        case _:
            return False


def registrations(register: Register, method: str) -> Iterator[ast.Call]:
    """The calls of a method of the context in the function."""
    for node in ast.walk(register.function):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == method:
            yield node


def sibling_modules(code: Code) -> dict[str, tuple[Path, str]]:
    """The modules of the plugin that a file imports at its top, by name: the file, and the package as it is written."""
    found: dict[str, tuple[Path, str]] = {}
    for node in code.tree.body:
        if isinstance(node, ast.ImportFrom) and node.level:
            parts = (node.module or "").split(".") if node.module else []
            directory = code.path.parents[node.level - 1].joinpath(*parts)
            for alias in node.names:
                if (directory / f"{alias.name}.py").is_file():
                    found[alias.name] = (directory / f"{alias.name}.py", "." * node.level + ".".join(parts))
            if parts and directory.with_suffix(".py").is_file():
                found[parts[-1]] = (directory.with_suffix(".py"), "." * node.level + ".".join(parts[:-1]))
    return found
