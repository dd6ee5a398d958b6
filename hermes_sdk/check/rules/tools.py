"""HS3xx: the host can call the tools, a model can understand them, and their names are free."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING, Any

from hermes_sdk.check.load import Load
from hermes_sdk.check.rule import MANIFEST, Example, Problem, Rules, example
from hermes_sdk.check.rules.callables import check_keywords, find_call
from hermes_sdk.check.rules.loading_code import is_bundled
from hermes_sdk.check.source import Source

if TYPE_CHECKING:
    from jsonschema import ValidationError

    from hermes_sdk.hosts.interface import Registration


RULES = Rules()
rule = RULES.rule

MISPLACED_PARAMETERS = ("args", "arguments", "input_schema", "inputSchema", "params", "properties")
"""Wrong keys that authors use in place of ``parameters``."""

SCHEMA = '{"name": "roll", "description": "Roll a die.", "parameters": {"type": "object", "properties": {}}}'
HANDLER = 'def handle(args, **kwargs):\n    return "4"'


def _plugin(*, schema: str = SCHEMA, handler: str = HANDLER, options: str = "") -> Example:
    """Return a plugin with the tool ``roll``."""
    call = f'ctx.register_tool(name="roll", toolset="example", schema=SCHEMA, handler=handle{options})'
    source = f"SCHEMA = {schema}\n\n\n{handler}\n\n\ndef register(ctx):\n    {call}\n"
    return example(source, manifest=f"{MANIFEST}provides_tools: [roll]\n")


@rule(
    "HS301",
    call="register_tool",
    behaviour="not handlers_narrowed",
    references=("C19",),
    bad=_plugin(handler='def handle(args):\n    return "4"'),
    good=_plugin(),
)
def handler_refuses_keywords(registration: Registration, load: Load) -> Iterator[Problem]:
    """handler does not accept the host's keywords

    These releases pass more than the arguments, and every call raises TypeError. Later ones pass only the keywords that
    the handler takes.

    Fix: Write the handler as `def handler(args, **kwargs)`.
    """
    passed = ["task_id", "user_task"]
    if "session_id" in load.contract.host_call_arguments("tool handler"):
        passed.append("session_id")
    yield from check_keywords("handler of tool", passed, registration, load)


@rule(
    "HS302",
    call="register_tool",
    references=("C22",),
    bad=_plugin(handler=f"async {HANDLER}"),
    good=_plugin(handler=f"async {HANDLER}", options=", is_async=True"),
)
def async_handler_not_flagged(registration: Registration, load: Load) -> Iterator[Problem]:
    """async handler without is_async=True

    The host does not await it: the model gets an error or the text of a coroutine object.

    Fix: Pass is_async=True to ctx.register_tool.
    """
    # A plain function with is_async=True is fine: it may return an awaitable.
    handler = registration["callable"]
    if handler is not None and handler["is_coroutine"] and not registration["is_async"]:
        path, line, _ = load.callable_place(registration)
        message = f"tool '{registration['name']}' has an async handler at {path}:{line}, but is_async is not set"
        yield Problem(message, *load.call_place(registration))


@rule(
    "HS303",
    call="register_tool",
    references=("C9",),
    bad=_plugin(schema=f'{{"type": "function", "function": {SCHEMA}}}'),
    good=_plugin(),
)
def schema_is_wrapped(registration: Registration, load: Load) -> Iterator[Problem]:
    """schema is wrapped in a function envelope

    The host adds the envelope itself: the model sees a tool without description or parameters.

    Fix: Pass only the value of "function".
    """
    if _is_wrapped(registration["schema"]):
        message = f'the schema of tool \'{registration["name"]}\' is wrapped in {{"type": "function", …}}'
        yield Problem(message, *load.call_place(registration))


@rule(
    "HS304",
    call="register_tool",
    references=("C9", "C14"),
    bad=_plugin(schema='{"type": "object", "properties": {"sides": {"type": "integer"}}}'),
    good=_plugin(),
)
def parameters_not_found(registration: Registration, load: Load) -> Iterator[Problem]:
    """schema has no object under parameters

    The host reads only `parameters`: the model sees a tool without arguments.

    Fix: Give the schema "parameters": {"type": "object", "properties": {…}}.
    """
    # The host repairs the schema of a tool that takes no arguments.
    schema, name = registration["schema"], registration["name"]
    if not isinstance(schema, Mapping) or _is_wrapped(schema):
        return
    place = load.call_place(registration)
    if "parameters" in schema:
        problem = _explain_problem(schema["parameters"])
        if problem:
            yield Problem(f"`parameters` of tool '{name}' {problem}", *place)
        return
    misplaced = [key for key in MISPLACED_PARAMETERS if key in schema]
    if misplaced:
        message = f"the schema of tool '{name}' has `{misplaced[0]}` and no `parameters`"
        yield Problem(message, *place)
    else:
        yield Problem(f"the schema of tool '{name}' has no `parameters`", *place, severity="warning")


@rule(
    "HS305",
    call="register_tool",
    bad=_plugin(
        schema='{"name": "roll", "description": "Roll a die.",\n'
        '          "parameters": {"type": "object", "properties": {"sides": {"type": "int"}}}}'
    ),
    good=_plugin(
        schema='{"name": "roll", "description": "Roll a die.",\n'
        '          "parameters": {"type": "object", "properties": {"sides": {"type": "integer"}}}}'
    ),
)
def parameters_not_valid(registration: Registration, load: Load) -> Iterator[Problem]:
    """parameters are not a valid JSON Schema

    The host passes it on almost unchanged: model providers reject the request, with all other plugins' tools.

    Fix: Use JSON Schema; its types are string, number, integer, boolean, array, object and null.
    """
    schema = registration["schema"]
    parameters = schema.get("parameters") if isinstance(schema, Mapping) else None
    if not isinstance(parameters, Mapping) or _explain_problem(parameters) or is_plain(parameters):
        return
    from jsonschema import Draft202012Validator
    from jsonschema.exceptions import best_match

    place = load.call_place(registration)
    metaschema = Draft202012Validator(Draft202012Validator.META_SCHEMA)
    for error in sorted(metaschema.iter_errors(parameters), key=lambda error: error.json_path):
        cause = best_match([error]) or error
        where = cause.json_path.replace("$", "parameters", 1)
        message = f"tool '{registration['name']}': {where} is not valid: {cause.message}"
        yield Problem(message, *place, severity="warning" if _is_repaired(cause) else None)


@rule(
    "HS306",
    severity="warning",
    call="register_tool",
    references=("C9",),
    bad=_plugin(schema=SCHEMA.replace("roll", "throw")),
    good=_plugin(),
)
def schema_name_differs(registration: Registration, load: Load) -> Iterator[Problem]:
    """schema names another tool

    The host uses the registered name; searches for the other name find nothing.

    Fix: Set schema["name"] to the registered name, or omit it.
    """
    schema, name = registration["schema"], registration["name"]
    other = schema.get("name", name) if isinstance(schema, Mapping) and not _is_wrapped(schema) else name
    if other != name:
        message = f"tool '{name}' has a schema with the name {other!r}"
        yield Problem(message, *load.call_place(registration))


@rule(
    "HS307",
    severity="warning",
    call="register_tool",
    references=("C9",),
    bad=_plugin(schema='{"name": "roll", "parameters": {"type": "object", "properties": {}}}'),
    good=_plugin(),
)
def no_description(registration: Registration, load: Load) -> Iterator[Problem]:
    """tool has no description

    The model chooses tools by the schema's `description`; `register_tool(description=…)` is only for listings.

    Fix: Describe in schema["description"] what the tool does and when to use it.
    """
    schema = registration["schema"]
    if not isinstance(schema, Mapping) or _is_wrapped(schema):
        return
    description = schema.get("description")
    if not isinstance(description, str) or not description.strip():
        message = f"the schema of tool '{registration['name']}' has no description"
        yield Problem(message, *load.call_place(registration))


def _is_wrapped(schema: Any) -> bool:
    return (
        isinstance(schema, Mapping) and schema.get("type") == "function" and isinstance(schema.get("function"), Mapping)
    )


def _is_repaired(error: ValidationError) -> bool:
    """Return whether a type name is used in place of a schema, the only error that the host repairs (statement C14)."""
    takes_schema = error.validator == "type" and error.validator_value == ["object", "boolean"]
    return takes_schema and isinstance(error.instance, str) and error.instance in TYPE_NAMES


def _explain_problem(parameters: Any) -> str | None:
    """Explain why a value cannot be the parameters of a tool; return None if it can."""
    if not isinstance(parameters, Mapping):
        return f"is of type {type(parameters).__name__}, not a mapping"
    kind = parameters.get("type", "object")
    return None if kind == "object" else f"has the type {kind!r}, not 'object'"


TYPE_NAMES = frozenset({"array", "boolean", "integer", "null", "number", "object", "string"})


def is_plain(schema: Any) -> bool:
    """Return whether a schema is valid and uses only common keywords; False means that it has to be validated.

    This avoids the slow import of jsonschema for most plugins.
    """
    if not isinstance(schema, Mapping):
        return isinstance(schema, bool)
    return all(key in _KEYWORDS and _KEYWORDS[key](value) for key, value in schema.items())


def _is_text(value: Any) -> bool:
    return isinstance(value, str)


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _is_size(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value >= 0


def _is_name_list(value: Any) -> bool:
    return isinstance(value, list) and all(map(_is_text, value)) and len(set(value)) == len(value)


_KEYWORDS: Mapping[str, Callable[[Any], bool]] = {
    "type": lambda value: isinstance(value, str) and value in TYPE_NAMES,
    "title": _is_text,
    "description": _is_text,
    "properties": lambda value: isinstance(value, Mapping) and all(map(is_plain, value.values())),
    "required": _is_name_list,
    "additionalProperties": is_plain,
    "items": is_plain,
    "enum": lambda value: isinstance(value, list),
    "default": lambda _: True,
    "minimum": _is_number,
    "maximum": _is_number,
    "minLength": _is_size,
    "maxLength": _is_size,
    "minItems": _is_size,
    "maxItems": _is_size,
}


def _plugin_named(name: str = "roll", *, toolset: str = "example", options: str = "") -> Example:
    """Return a plugin with a tool of a given name."""
    schema = '{"description": "Roll a die.", "parameters": {"type": "object", "properties": {}}}'
    call = f'    ctx.register_tool(name="{name}", toolset="{toolset}", schema=SCHEMA, handler=handle{options})\n'
    source = f'SCHEMA = {schema}\n\n\ndef handle(args, **kwargs):\n    return "4"\n\n\ndef register(ctx):\n{call}'
    return example(source, manifest=f"{MANIFEST}provides_tools: [{name}]\n")


@rule(
    "HS308", call="register_tool", references=("C3", "C4", "C5"), bad=_plugin_named("web_extract"), good=_plugin_named()
)
def tool_is_built_in(registration: Registration, load: Load) -> Iterator[Problem]:
    """tool has the name of a built-in tool

    Import order decides which tool the model gets; the host only logs the conflict.

    Fix: Choose another name, for example with the plugin's name as a prefix.
    """
    name, release = registration["name"], load.contract.release
    toolset = load.contract.tools.get(name)
    if toolset is None or is_bundled(load.plugin) or _overrides(registration, load):
        return
    if toolset == registration["toolset"]:
        message = f"tool '{name}' silently replaces the one of Hermes {release}: it has the same toolset"
    else:
        message = f"tool '{name}' is also a tool of Hermes {release}, in the toolset '{toolset}'"
    yield Problem(message, *load.call_place(registration))


def _overrides(registration: Registration, load: Load) -> bool:
    """Return whether a call passes ``override=True``; HS309 reports those calls."""
    found = find_call(load, registration)
    words = {one.arg: one.value for one in found[1].keywords} if found else {}
    value = words.get("override")
    return isinstance(value, ast.Constant) and value.value is True


@rule(
    "HS309",
    severity="warning",
    needs=("override",),
    since="0.18.0",
    references=("C6",),
    bad=_plugin_named(options=", override=True"),
    good=_plugin_named(),
)
def override_needs_consent(source: Source) -> Iterator[Problem]:
    """override=True needs the user's consent

    Unless the configuration sets allow_tool_override, the call raises, whether or not the tool is built in, and
    `register` ends there.

    Fix: Register this tool last and catch PermissionError, so that the rest works without consent.
    """
    for call in source.calls(".register_tool"):
        given = (one.value for one in call.keywords if one.arg == "override")
        is_tried = any(isinstance(around, ast.Try) for around in source.ancestors(call))
        if not is_tried and any(isinstance(value, ast.Constant) and value.value for value in given):
            yield Problem("register_tool(override=True) raises without the user's consent", *source.place(call))


@rule(
    "HS310",
    severity="info",
    call="register_tool",
    references=("C2", "C11"),
    bad=_plugin_named(toolset="web"),
    good=_plugin_named(),
)
def toolset_is_built_in(registration: Registration, load: Load) -> Iterator[Problem]:
    """tool joins a built-in toolset

    The toolset's switch controls this tool too, and some built-in toolsets are off by default.

    Fix: Use a toolset of your own, unless the tool belongs there.
    """
    toolset, name = registration["toolset"], registration["name"]
    if toolset in load.contract.toolsets and name not in load.contract.tools:
        message = f"tool '{name}' is in the toolset '{toolset}' of Hermes {load.contract.release}"
        yield Problem(message, *load.call_place(registration))


_TWO_HANDLERS = """\
SCHEMA = {"description": "Roll dice.", "parameters": {"type": "object", "properties": {}}}


def handle(args, **kwargs):
    return "4"


def handle_two(args, **kwargs):
    return "4 6"


def register(ctx):
    ctx.register_tool(name="roll", toolset="example", schema=SCHEMA, handler=handle)
    ctx.register_tool(name="roll", toolset="example", schema=SCHEMA, handler=handle_two)
"""


@rule(
    "HS311",
    severity="warning",
    call="register_tool",
    references=("C3", "C4"),
    bad=example(_TWO_HANDLERS, manifest=f"{MANIFEST}provides_tools: [roll]\n"),
    good=example(
        'roll_two"'.join(_TWO_HANDLERS.rsplit('roll"', 1)), manifest=f"{MANIFEST}provides_tools: [roll, roll_two]\n"
    ),
)
def registered_twice(load: Load) -> Iterator[Problem]:
    """tool is registered twice

    Tool names are unique: the later call silently replaces the first or is rejected.

    Fix: Register each tool once, under a unique name.
    """
    seen: set[str] = set()
    for registration in load.registrations("register_tool"):
        name = registration["name"]
        if name in seen:
            yield Problem(f"tool '{name}' was registered before", *load.call_place(registration))
        seen.add(name)
