"""HS75x: the skills of a plugin can be found and viewed."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from hermes_sdk.check.load import Load
from hermes_sdk.check.plugin import Plugin
from hermes_sdk.check.rule import MANIFEST, Example, Problem, Rules, example
from hermes_sdk.check.rules.loading_code import find_register
from hermes_sdk.check.source import Source
from hermes_sdk.manifest.load import YamlReader, load_yaml, reading_errors

if TYPE_CHECKING:
    from hermes_sdk.hosts.interface import Registration

RULES = Rules()
rule = RULES.rule

_NAMESPACE = r"[a-zA-Z0-9_-]+"
_FRONT_MATTER = r"(?ms)---[ \t]*\r?\n(.*?)^---\s*?$"
_SKILL = "---\nname: notes\ndescription: How to write notes.\n---\n\nWrite them.\n"


def _plugin(*, manifest: str = MANIFEST, path: str = "/ 'SKILL.md'", skill: str = _SKILL) -> Example:
    """Return a plugin with one skill."""
    source = (
        "from pathlib import Path\n\nHERE = Path(__file__).parent\n\n\n"
        f"def register(ctx):\n    ctx.register_skill('notes', HERE / 'notes' {path})\n"
    )
    return example(source, manifest=manifest, files={"notes/SKILL.md": skill})


@rule(
    "HS751",
    call="register_skill",
    references=("F2",),
    bad=_plugin(manifest=MANIFEST.replace("name: example", "name: my.example")),
    good=_plugin(),
)
def skills_cannot_be_reached(registration: Registration, load: Load) -> Iterator[Problem]:
    """skill cannot be reached

    Skills are viewed as plugin:skill, and the part before the colon allows only letters, digits, '_' and '-'.

    Fix: Use only these characters in the plugin's name.
    """
    name = load.plugin.name
    if not re.fullmatch(_NAMESPACE, name):
        message = f"the skill '{registration['name']}' cannot be viewed as '{name}:{registration['name']}'"
        yield Problem(message, *load.call_place(registration))


@rule("HS752", needs=("register_skill",), references=("F1",), bad=_plugin(path=""), good=_plugin())
def skill_is_directory(source: Source) -> Iterator[Problem]:
    """path of a skill is a directory

    The host accepts the directory but fails whenever a model views the skill.

    Fix: Pass the path of SKILL.md.
    """
    for call in source.calls(".register_skill"):
        given = [word.value for word in call.keywords if word.arg == "path"] or call.args[1:2]
        path = _evaluate(source, given[0]) if given else None
        if path is not None and path.is_dir():
            yield Problem(f"'{path.name}' is a directory", *source.place(given[0]))


def _evaluate(source: Source, node: ast.expr, depth: int = 0) -> Path | None:
    """Evaluate an expression for a path; return None if its value is not certain."""
    if depth > 20:
        return None
    match node:
        case ast.Name(id="__file__"):
            return source.file
        case ast.Name():
            values = [one.value for one in source.nodes(ast.Assign) if node.id in map(source.dotted_name, one.targets)]
            return _evaluate(source, values[0], depth + 1) if len(values) == 1 else None
        case ast.Call(func=ast.Name(id="Path"), args=[inner]):
            return _evaluate(source, inner, depth + 1)
        case ast.Call(func=ast.Attribute(value=inner, attr="resolve" | "absolute")):
            return _evaluate(source, inner, depth + 1)
        case ast.Attribute(value=inner, attr="parent"):
            path = _evaluate(source, inner, depth + 1)
            return path.parent if path else None
        case ast.BinOp(left=inner, op=ast.Div(), right=ast.Constant(value=str() as name)):
            path = _evaluate(source, inner, depth + 1)
            return path / name if path and "\0" not in name else None
        case _:
            return None


@rule(
    "HS754",
    severity="info",
    references=("F1",),
    bad=example(files={"notes/SKILL.md": _SKILL}),
    good=_plugin(),
)
def skill_is_not_registered(plugin: Plugin) -> Iterator[Problem]:
    """skill is not registered

    Hermes does not search a plugin's directory for skills: it offers those that the plugin passes to register_skill.

    Fix: Call `ctx.register_skill` with the path, or move a skill for other programs out of the plugin's directory.
    """
    if plugin.portable or not plugin.sources or any("register_skill" in source.text for source in plugin.sources):
        return
    found = find_register(plugin)
    where = "; call it in register at {}:{}".format(*found[0].place(found[1])) if found else ""
    for file in plugin.files:
        if file.name == "SKILL.md":
            yield Problem(f"no register_skill names this skill{where}", plugin.relative(file))


@rule("HS753", severity="warning", references=("F3",), bad=_plugin(skill="Write them.\n"), good=_plugin())
def skill_has_no_front_matter(plugin: Plugin, reader: YamlReader) -> Iterator[Problem]:
    """SKILL.md has no name or description

    Models choose skills by the name and description in the YAML front matter.

    Fix: Start the file with `---`, `name: …`, `description: …`, `---`.
    """
    for file in plugin.files:
        if file.name == "SKILL.md":
            problem = _explain_problem(plugin.read(file), reader)
            if problem:
                yield Problem(problem, plugin.relative(file))


def _explain_problem(text: str, reader: YamlReader) -> str | None:
    block = re.match(_FRONT_MATTER, text)
    if block is None:
        return "there is no front matter"
    try:
        fields = load_yaml(block[1], reader)
    except reading_errors():
        return "the front matter is not YAML"
    missing = [key for key in ("name", "description") if not isinstance(fields, dict) or not fields.get(key)]
    return f"the front matter has no {' and no '.join(missing)}" if missing else None
