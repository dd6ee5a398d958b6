"""Type annotations as the host's source spells them, and whether two spellings mean the same type."""

from __future__ import annotations

import ast
from typing import Final

_BUILTINS: Final = {name.title(): name for name in ("dict", "list", "set", "tuple", "type")} | {
    "FrozenSet": "frozenset"
}


def is_same_type(one: object, other: object) -> bool:
    """Whether two annotations mean the same type, such as ``Optional[List[str]]`` and ``list[str] | None``."""
    return one == other or (isinstance(one, str) and isinstance(other, str) and _modern(one) == _modern(other))


def _modern(annotation: str) -> str:
    try:
        tree = ast.parse(annotation, mode="eval")
    except SyntaxError:
        return annotation
    return ast.unparse(_Modern().visit(tree.body))


class _Modern(ast.NodeTransformer):
    """Write builtin generics, unions with ``|``, and no quotes."""

    def visit_Constant(self, node: ast.Constant) -> ast.expr:
        if not isinstance(node.value, str):
            return node
        try:
            tree = ast.parse(node.value, mode="eval")
        except SyntaxError:
            return node
        return self.visit(tree.body)  # type: ignore[no-any-return]

    def visit_Attribute(self, node: ast.Attribute) -> ast.expr:
        if isinstance(node.value, ast.Name) and node.value.id == "typing":
            return self.visit_Name(ast.Name(node.attr))
        return node

    def visit_Name(self, node: ast.Name) -> ast.expr:
        return ast.Name(_BUILTINS.get(node.id, node.id))

    def visit_Subscript(self, node: ast.Subscript) -> ast.expr:
        generic, inner = self.visit(node.value), self.visit(node.slice)
        name = generic.id if isinstance(generic, ast.Name) else ""
        if name == "Optional":
            return ast.BinOp(inner, ast.BitOr(), ast.Constant(None))
        if name == "Union" and isinstance(inner, ast.Tuple):
            union, *rest = inner.elts
            for part in rest:
                union = ast.BinOp(union, ast.BitOr(), part)
            return union
        return ast.Subscript(generic, inner)
