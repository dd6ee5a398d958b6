"""Find the function that registers a plugin, and insert calls into it."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from hermes_sdk.errors import UsageError
from hermes_sdk.scaffold.add.code import Code, first_line, indentation, last_line, statements

_MAX_IMPORTS = 5
_EXITS = (ast.Return, ast.Raise, ast.Break, ast.Continue)
_SCOPES = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda, ast.ClassDef)


@dataclass(frozen=True)
class Register:
    """The function that registers the plugin.

    Attributes:
        ctx: The name of its context parameter.
    """

    code: Code
    function: ast.FunctionDef
    ctx: str


def find_register(entry: Path, read: Callable[[Path], Code]) -> Register:
    """Resolve the name ``register`` of a plugin's module to its function, through imports and aliases.

    Raises:
        UsageError: There is no such function, or it is not a single plain function with a context parameter.
    """
    file, name = entry, "register"
    for _ in range(_MAX_IMPORTS):
        code = read(file)
        node = _find_only_binding(code, name)
        match node:
            case ast.FunctionDef():
                return Register(code, node, _find_context(code, node))
            case ast.ImportFrom(level=level) if level and (found := _find_import_source(file, node, name)):
                file, name = found
            case ast.Assign(targets=[ast.Name()], value=ast.Name(id=other)):
                name = other
            case _:
                raise not_understood(code, node, f"`{name}` is not a plain function")
    raise UsageError("`register` is imported through too many modules", where=str(entry))


def insert_call(register: Register, method: str, text: str) -> None:
    """Insert a statement into the function where it always runs.

    It is placed after the last call of the same method, else after the last registration, else at the end; without a
    method, at the end. It always precedes statements that may leave the function.

    Args:
        method: The method of the context that the statement calls; empty if it calls none.
        text: The statement; see `Code.insert`.

    Raises:
        UsageError: The file would not be valid Python with the statement.
    """
    code, function = register.code, _find_again(register)
    if function.body[0].lineno == function.lineno or not _begins_line(code, function.body[0]):
        _move_body_to_new_line(code, function.body[0])
        function = _find_again(register)
    groups = list(_group_by_line(function.body))
    free = 0
    while free < len(groups) and not any(map(_may_exit, groups[free])):
        free += 1
    at = _find_position(groups[:free], register.ctx, method) if method else free
    indent = indentation(code.lines[groups[0][0].lineno - 1])
    place = last_line(groups[at - 1][-1]) if at else first_line(groups[0][0]) - 1
    code.insert(place, text, indent)


def uses_as_local(register: Register, name: str) -> bool:
    """Return whether the function binds a name locally, which hides the module's name."""
    return any(
        (isinstance(node, ast.Name) and node.id == name and not isinstance(node.ctx, ast.Load))
        or (isinstance(node, ast.arg) and node.arg == name)
        or (isinstance(node, ast.alias) and (node.asname or node.name.partition(".")[0]) == name)
        or (isinstance(node, (*_SCOPES, ast.ExceptHandler)) and getattr(node, "name", None) == name)
        for node in ast.walk(register.function)
        if node is not register.function
    )


def not_understood(code: Code, node: ast.AST | None, why: str) -> UsageError:
    """Return the error for a plugin whose registration cannot be determined statically."""
    line = f":{getattr(node, 'lineno', 1)}" if node is not None else ""
    return UsageError(why, where=f"{code.path}{line}")


def _find_only_binding(code: Code, name: str) -> ast.stmt:
    found = [node for node in statements(code.tree.body) if name in _find_bound_names(node)]
    if not found:
        raise not_understood(code, None, f"`{name}` is not defined")
    if len(found) > 1:
        raise not_understood(code, found[1], f"`{name}` is defined more than once")
    if found[0] not in code.tree.body:
        raise not_understood(code, found[0], f"`{name}` is defined conditionally")
    return found[0]


def _find_bound_names(node: ast.stmt) -> Iterator[str]:
    """Yield the names that a statement binds, excluding nested statements."""
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
    """Return the file that defines an imported name, and the name in that file; None if there is no such file."""
    original = next(alias.name for alias in node.names if (alias.asname or alias.name) == name)
    module = file.parents[node.level - 1].joinpath(*(node.module or "").split("."))
    found = next((path for path in (module.with_suffix(".py"), module / "__init__.py") if path.is_file()), None)
    return (found, original) if found is not None and found != file else None


def _find_context(code: Code, function: ast.FunctionDef) -> str:
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
    """Yield the nodes of a function, excluding nested functions."""
    for child in ast.iter_child_nodes(node):
        yield child
        if not isinstance(child, _SCOPES):
            yield from _walk_own_nodes(child)


def _find_again(register: Register) -> ast.FunctionDef:
    """Find the function in the current syntax tree, after lines were inserted."""
    for node in register.code.tree.body:
        if isinstance(node, ast.FunctionDef) and node.name == register.function.name:
            return node
    raise AssertionError(register.function.name)


def _begins_line(code: Code, node: ast.stmt) -> bool:
    line = code.lines[node.lineno - 1].encode()
    return not line[: node.col_offset].strip() or first_line(node) < node.lineno


def _move_body_to_new_line(code: Code, node: ast.stmt) -> None:
    """Move a function body that is on the line of its ``def`` to a new line."""
    line = code.lines[node.lineno - 1].encode()
    head, body = line[: node.col_offset].decode(), line[node.col_offset :].decode()
    code.replace(node.lineno, node.lineno, f"{head.rstrip()}{code.newline}{code.unit}{body}")


def _group_by_line(body: list[ast.stmt]) -> Iterator[list[ast.stmt]]:
    """Yield the statements of a block, grouped with those on the same line."""
    group: list[ast.stmt] = []
    for node in body:
        if group and first_line(node) > last_line(group[-1]):
            yield group
            group = []
        group.append(node)
    yield group


def _may_exit(node: ast.stmt) -> bool:
    return isinstance(node, _EXITS) or any(isinstance(inner, _EXITS[:2]) for inner in _walk_own_nodes(node))


def _find_position(groups: list[list[ast.stmt]], ctx: str, method: str) -> int:
    """Return the number of groups before the new statement."""

    def last(prefix: str) -> int:
        return max(
            (n for n, group in enumerate(groups, 1) if any(_calls(node, ctx, prefix) for node in group)), default=0
        )

    return last(method) or last("register_") or len(groups)


def _calls(node: ast.stmt, ctx: str, prefix: str) -> bool:
    match node:
        case ast.Expr(value=ast.Call(func=ast.Attribute(value=ast.Name(id=owner), attr=attr))):
            return owner == ctx and attr.startswith(prefix)
        case _:
            return False


def registrations(register: Register, method: str) -> Iterator[ast.Call]:
    """Yield the calls of a method of the context in the function."""
    for node in ast.walk(register.function):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == method:
            yield node


def sibling_modules(code: Code) -> dict[str, tuple[Path, str]]:
    """Return the plugin modules that a file imports at its top: their files and packages by module name."""
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
