"""Strategies for plugin features since 0.20.1: handles, settings, state, events, grants, narrow callbacks and more.

An ordinary part uses features as authors do. An *odd* one uses other values or durations.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from textwrap import indent
from typing import Any

from fuzz.parts import RETURNS, Part, bodies
from hypothesis import strategies as st

from hermes_sdk import contract

SECRET = "zzkey-ABCD1234EFGH5678"
"""A text that matches the redaction patterns."""

KEYS = ["count", "last.seen", "a-b_c"]
ODD_KEYS = ["", "a/b", "ä", "a..b", " a", "a" * 129, "model", "security.x", 5, None]
VALUES = ["1", "'text'", "[1, {'a': None}]", "{'n': 2.5, 'ok': True}", "None"]
ODD_VALUES = ["object()", "(1, 2)", "{1: 2}", "float('nan')", "b'x'", "'\\ud800'", "{'a', 'b'}", "10**30"]
CAPABILITIES = ["tools.override", "gateway.platform_actions", "llm.model_override", "llm.task_override"]


def expressions(values: Sequence[str], odd: Sequence[str], is_odd: bool) -> st.SearchStrategy[str]:
    """Return the strategy for source texts of expressions: `values`, and `odd` ones for an odd part."""
    return st.sampled_from([*values, *odd] if is_odd else [*values])


def keys(is_odd: bool) -> st.SearchStrategy[str]:
    """Return the strategy for keys of settings and of the state."""
    return expressions([repr(one) for one in KEYS], [repr(one) for one in ODD_KEYS], is_odd)


@st.composite
def acting(draw: st.DrawFn, number: int, lines: str, **more: Any) -> Part:
    """Draw a part that runs these lines, which end with a return statement, in ``register`` or in a call."""
    act = f"def act_{number}():\n{indent(lines, '    ')}\n"
    code = {
        "register": f"shown_{number} = repr(act_{number}())\n"
        f'ctx.register_command("act{number}", lambda text: shown_{number})',
        "command": f'ctx.register_command("act{number}", lambda text: repr(act_{number}()))',
        "hook": f'ctx.register_hook("pre_llm_call", lambda **kwargs: {{"context": repr(act_{number}())}})',
        "late hook": f'ctx.register_hook("post_tool_call", lambda **kwargs: act_{number}() and None)\n'
        f'ctx.register_command("act{number}", lambda text: repr(act_{number}()))',
        "tool": f'ctx.register_tool("act_{number}", "kit", {{"name": "act_{number}", "description": "d", '
        f'"parameters": {{"type": "object", "properties": {{}}}}}}, lambda args, **kwargs: repr(act_{number}()))',
    }
    when = draw(st.sampled_from([*code]))
    if when == "tool":
        more["tools"] = {f"act_{number}": {"type": "object", "properties": {}}}
    elif when != "hook":
        more["commands"] = (f"act{number}",)
    return Part(f"{act}{code[when]}", **more)


@st.composite
def handles(draw: st.DrawFn, number: int, is_odd: bool, release: str) -> Part:
    """Draw a registration that is undone immediately, later, or when the plugin is unloaded."""
    name = f"held_{number}"
    schema = f'{{"name": "{name}", "description": "d", "parameters": {{"type": "object", "properties": {{}}}}}}'
    made = {
        "tool": f'ctx.register_tool("{name}", "kit", {schema}, lambda args, **kwargs: "held")',
        "hook": 'ctx.register_hook("pre_llm_call", lambda **kwargs: "held")',
        "policy": 'ctx.register_hook("pre_tool_call", lambda **kwargs: {"action": "block", "message": "held"})',
        "middleware": 'ctx.register_middleware("tool_request", lambda **kwargs: {"args": {"held": 1}})',
        "command": f'ctx.register_command("{name}", lambda text: "held")',
        "builtin": f'ctx.register_tool("todo", "kit", {schema}, lambda args, **kwargs: "held")',
        "reserved": 'ctx.register_command("new", lambda text: "held")',
        "section": f'ctx.register_system_prompt_section("{name}", "held")',
    }
    what = draw(st.sampled_from([*made][: None if is_odd else 5]))
    handle = f"handle_{number}"
    dispose = f"{handle} and {handle}.dispose()"
    if is_odd:
        dispose = draw(st.sampled_from([dispose, f"{handle}.dispose()", f"[{handle}.dispose() for _ in 'ab']"]))
    shown = f"[{handle} and ({handle}.kind, {handle}.key, {handle}.active), {dispose}]"
    undo = {
        "now": dispose,
        "conditional": f'if not ctx.get_config("keep", {draw(st.sampled_from(["True", "False"]))}): {dispose}',
        "command": f'ctx.register_command("drop{number}", lambda text: repr({shown}))',
        "call": f'ctx.register_hook("post_tool_call", lambda **kwargs: {dispose})',
        "first": f'ctx.register_hook("on_session_start", lambda **kwargs: {dispose})',
        "inside": f'ctx.register_hook("pre_llm_call", lambda **kwargs: {dispose})',
        "unload": f"ctx.on_unload(lambda: {dispose})",
    }
    when = draw(st.sampled_from([*undo]))
    commands = ((f"drop{number}",) if when == "command" else ()) + ((name,) if what == "command" else ())
    tools = {name: {"type": "object", "properties": {}}} if what == "tool" else {}
    return Part(f"{handle} = {made[what]}\n{undo[when]}", commands=commands, tools=tools)


@st.composite
def settings(draw: st.DrawFn, number: int, is_odd: bool, release: str) -> Part:
    """Draw a plugin that reads or changes its settings, with or without a schema."""
    values: list[Any] = [1, "fast", True, 2.5, ["a"], {"b": 1}]
    kinds = ["string", "integer", "number", "boolean", "list", "object", "str", "int", "float", "bool"]
    schema = {
        name: {
            "type": draw(st.sampled_from([*kinds, *(["secret", "any", 5] if is_odd else [])])),
            **draw(st.sampled_from([{}, {"required": True}, {"default": 5}, {"description": "d"}])),
        }
        for name in draw(st.lists(st.sampled_from(["count", "mode", "last"]), unique=True, max_size=2))
    }
    if is_odd and draw(st.booleans()):
        schema[draw(st.sampled_from(["mode", "a b"]))] = draw(st.sampled_from([None, [], "string", {}]))  # type: ignore[assignment]
    given = draw(st.dictionaries(st.sampled_from(["count", "mode", "last"]), st.sampled_from(values), max_size=2))
    place = draw(st.sampled_from(["settings"] * 3 + ["config"]))
    key = draw(keys(is_odd) | st.sampled_from(["'count'", "'mode'"]))
    lines = draw(
        st.sampled_from(
            [
                f"return ctx.get_config({key})",
                f'return [ctx.get_config({key}, "none"), ctx.get_config("mode")]',
                f"return ctx.set_config({key}, {draw(expressions(VALUES, ODD_VALUES, is_odd))}), ctx.get_config({key})",
            ]
        )
    )
    config = {"plugins": {"entries": {"p": {place: given}}}} if given else {}
    manifest: dict[str, Any] = {"config_schema": schema} if schema else {}
    return draw(acting(number, lines, config=config, manifest=manifest))


@st.composite
def states(draw: st.DrawFn, number: int, is_odd: bool, release: str) -> Part:
    """Draw a plugin that stores state."""
    key, value = draw(keys(is_odd)), draw(expressions(VALUES, ODD_VALUES, is_odd))
    lines = [
        'ctx.state.set("count", ctx.state.get("count", 0) + 1)\nreturn ctx.state.get("count")',
        f"ctx.state.set({key}, {value})\nreturn ctx.state.get({key}), ctx.state.get('other')",
        f"return ctx.state.get({key}, {value})",
    ]
    if is_odd:
        lines += [
            "ctx.state.path.write_text('{')\nreturn ctx.state.get('count')",
            "return [ctx.state.path.name, ctx.state.data_dir.is_dir(), ctx.state.quota_bytes]",
        ]
    part: Part = draw(acting(number, draw(st.sampled_from(lines))))
    if draw(st.booleans()):
        unload = "ctx.on_unload(lambda: ctx.state.set('count', 100))"
        return replace(part, register=f"{part.register}\n{unload}")
    return part


@st.composite
def events(draw: st.DrawFn, number: int, is_odd: bool, release: str) -> Part:
    """Draw a plugin that subscribes to events, or one that emits them."""
    takes = draw(
        st.sampled_from(["**payload", "n=0, **more", "n", *(["", "*args", "other, **more"] if is_odd else [])])
    )
    does = draw(st.sampled_from(["pass", "return 1", "raise ValueError('boom')"]))
    later = draw(st.sampled_from(["", "", "async "]))
    name = draw(expressions(['"changed"'], ['""', '"p:changed"', "None", '"hermes:x"', '"a b"', "5"], is_odd))
    heard = draw(expressions(['"p:changed"'], ['"changed"', '"q:changed"', '""', "None", '"hermes:x"'], is_odd))
    payload = draw(expressions(['{"n": 1}', "None", '{"n": {"deep": [1]}}'], ["[]", "'n'", "{1: 2}", "{}"], is_odd))
    # The last subscriber sends a message that a chat can wait for.
    register = f"""\
seen_{number} = []
done_{number} = threading.Event()
{later}def on_{number}({takes}):
    seen_{number}.append("called")
    {does}
ctx.subscribe({heard}, on_{number})
ctx.subscribe("p:changed", lambda **payload: done_{number}.set())
"""
    lines = f"""\
done_{number}.clear()
sent = ctx.emit({name}, {payload})
done_{number}.wait(2) if sent else None
return sent, seen_{number}
"""
    part: Part = draw(acting(number, lines))
    return replace(part, register=f"{register}{part.register}")


@st.composite
def grants(draw: st.DrawFn, number: int, is_odd: bool, release: str) -> Part:
    """Draw a plugin that checks its grants, or uses a feature that needs one."""
    one = draw(expressions([repr(name) for name in CAPABILITIES], ["'unknown'", "''", "None"], is_odd))
    tool = '{"name": "todo", "description": "d", "parameters": {}}, lambda args, **kwargs: "mine"'
    lines = [
        f"return ctx.has_capability({one})",
        'return ctx.plugin_id, ctx.has_plugin("p"), ctx.has_plugin("q")',
        'return ctx.call_mcp("files", "read", {"path": "a"})',
        'return ctx.inject_message("hello", session_key="agent:main:x")',
        f'handle = ctx.register_tool("todo", "kit", {tool}, override=True)\nreturn handle and handle.kind',
        'import asyncio\nreturn asyncio.run(ctx.platform_actions.add_reaction("pigeon", "u1", "m1", "x"))',
    ]
    given = draw(st.lists(st.sampled_from(CAPABILITIES), max_size=2, unique=True))
    entry: dict[str, Any] = {"granted_capabilities": given} if given else {}
    if is_odd:
        entry |= draw(
            st.sampled_from(
                [
                    {},
                    {"granted_capabilities": "tools.override"},
                    {"allow_tool_override": True},
                    {"mcp_allowlist": ["files"]},
                ]
            )
        )
    manifest = {"capabilities": given} if draw(st.booleans()) else {}
    config = {"plugins": {"entries": {"p": entry}}} if entry else {}
    return draw(acting(number, draw(st.sampled_from(lines)), config=config, manifest=manifest))


@st.composite
def narrow_callbacks(draw: st.DrawFn, number: int, is_odd: bool, release: str) -> Part:
    """Draw a callback that accepts only some arguments, is asynchronous, or is a callable object."""
    promised = contract.load(release).hooks
    names = [*RETURNS.keys() & promised.keys(), "post_tool_call", "on_session_start", "on_session_end", "post_llm_call"]
    names += [one for one in ("post_api_request", "pre_command", "on_stream_end", "subagent_stop") if one in promised]
    hook = draw(st.sampled_from(sorted(set(names)) + ["pre_tool_call"] * 3))
    known = promised[hook].always
    taken = draw(st.lists(st.sampled_from(known), unique=True, max_size=2)) if known else []
    takes = draw(
        st.sampled_from(
            [
                ", ".join(taken),
                ", ".join(f"{name}=None" for name in taken),
                ", ".join(["*", *taken]) if taken else "**kwargs",
                ", ".join([*taken, "more=5"]),
                ", ".join([*taken, "**kwargs"]),
            ]
            + (["unknown", ", ".join([*taken, "/"]) if taken else "*args", "*args", "self"] if is_odd else [])
        )
    )
    returned = [f"return {one}" for one in RETURNS.get(hook, ())] + ["return None"]
    body = draw(bodies(returned, is_odd) if draw(st.sampled_from([False] * 3 + [True])) else st.sampled_from(returned))
    later = draw(st.sampled_from(["", "", "async "]))
    function = f"{later}def narrow_{number}({takes}):\n{indent(body, '    ')}\n"
    forms = {
        "function": (function, f"narrow_{number}"),
        "method": (
            f"class Kept_{number}:\n" + indent(function.replace("(", "(self, ", 1).replace(", )", ")"), "    "),
            f"Kept_{number}().narrow_{number}",
        ),
        "partial": (function.replace("(", "(first, ", 1).replace(", )", ")"), f"functools.partial(narrow_{number}, 1)"),
    }
    code, callback = forms[draw(st.sampled_from([*forms] if "/" not in takes and takes != "self" else ["function"]))]
    return Part(f'ctx.register_hook("{hook}", {callback})', code)


@st.composite
def policies(draw: st.DrawFn, number: int, is_odd: bool, release: str) -> Part:
    """Draw several directives of `pre_tool_call`, in Python or by shell hooks."""
    ordinary = [
        '{"action": "modify", "args": {"text": "changed", "n": 2}}',
        '{"action": "block", "message": "not now"}',
        '{"action": "approve", "message": "sure?"}',
        "None",
        "1 / 0",
    ]
    odd = [
        '{"action": "modify", "args": []}',
        '{"action": "modify", "args": {}}',
        '{"action": "modify", "args": {"x": object()}}',
        '{"action": "modify"}',
        '{"action": "block", "message": ""}',
        '{"action": "block", "message": 5}',
        '{"action": "Block", "message": "m"}',
        '[{"action": "block", "message": "m"}]',
        "(_ for _ in ()).throw(SystemExit(2))",
    ]
    given = draw(st.lists(expressions(ordinary, odd, is_odd), min_size=1, max_size=3))
    return Part("\n".join(f'ctx.register_hook("pre_tool_call", lambda **kwargs: {one})' for one in given))


@st.composite
def shell_policies(draw: st.DrawFn, number: int, is_odd: bool, release: str) -> Part:
    """Draw a shell hook that answers or fails."""
    commands = [
        """printf %s '{"action": "block", "message": "shell"}'""",
        """printf %s '{"action": "modify", "args": {"text": "shell"}}'""",
        """printf %s '{"context": "shell"}'""",
        "false",
        "sh -c 'exit 2'",
        "printf %s nothing",
        "true",
    ]
    if is_odd:
        commands += ["/nowhere/to/be/found", "sh -c 'echo no >&2; exit 2'", "printf %s '[]'", "sleep 3"]
    entry: dict[str, Any] = {"command": draw(st.sampled_from(commands)), "timeout": 1}
    if draw(st.booleans()):
        key = draw(st.sampled_from(["fail_closed", "fail_closed", "failClosed"]))
        entry[key] = draw(st.sampled_from([True, True, False, *(["yes", 1] if is_odd else [])]))
    event = draw(st.sampled_from(["pre_tool_call"] * 4 + ["post_tool_call", "pre_llm_call"]))
    return Part("", config={"hooks": {event: [entry]}}, content={"accept_hooks": True})


@st.composite
def deadlines(draw: st.DrawFn, number: int, is_odd: bool, release: str) -> Part:
    """Draw a callback that exceeds its deadline."""
    hook = draw(st.sampled_from(["pre_tool_call", "post_tool_call", "pre_llm_call", "transform_tool_result"]))
    limit = draw(st.sampled_from([0.2, 0.2, 0.2, 30, *([0, "0.2", -1, None, True, "soon"] if is_odd else [])]))
    result = draw(st.sampled_from(["None", '"late"', '{"context": "late"}', '{"action": "block", "message": "late"}']))
    code = f"def slow_{number}(**kwargs):\n    time.sleep(0.7)\n    return {result}\n"
    return Part(
        f'ctx.register_hook("{hook}", slow_{number})', code, config={"plugins": {"hook_callback_timeout": limit}}
    )


@st.composite
def slow_plugins(draw: st.DrawFn, number: int, is_odd: bool, release: str) -> Part:
    """Draw a plugin with a slow ``register``."""
    limit = draw(st.sampled_from([0.3, 10, *([0, "0.3", -1, True] if is_odd else [])]))
    return Part("time.sleep(0.7)", config={"plugins": {"load_timeout_seconds": limit}})


@st.composite
def redactions(draw: st.DrawFn, number: int, is_odd: bool, release: str) -> Part:
    """Draw redaction patterns."""
    patterns = draw(
        expressions(['["zzkey-[A-Z0-9]{8,}"]', '["zzkey-[A-Z0-9]{8,}", "yy[0-9]+"]'], ['["["]', '"zz"', "None"], is_odd)
    )
    return Part(f"ctx.register_redaction_patterns({patterns})", texts=(f"it is {SECRET}",))


@st.composite
def sections(draw: st.DrawFn, number: int, is_odd: bool, release: str) -> Part:
    """Draw a section of the system prompt."""
    ordinary = ['"Be brief."', "lambda info: info['platform']", "lambda info: str(len(info['session_id']) > 0)"]
    odd = ['""', "lambda info: 5", "lambda info: 1 / 0", "lambda: 'x'", "'x' * 5000", "5", "'a\\u2028b'"]
    content = draw(expressions(ordinary, odd, is_odd))
    name = draw(expressions([f'"notes.{number}"'], ['"Upper"', '""', '"notes.0"'], is_odd))
    more = draw(expressions(["", ", max_chars=100"], [", position='first'", ", max_chars=1", ", max_chars=0"], is_odd))
    return Part(f"ctx.register_system_prompt_section({name}, {content}{more})")


@st.composite
def registrations(draw: st.DrawFn, number: int, is_odd: bool, release: str) -> Part:
    """Draw one registration of a feature since 0.20.1."""
    name = f"new{number}"
    calls = {
        "register_auxiliary_task": [
            f'"{name}", display_name="N", description="d"',
            '"vision", display_name="N", description="d"',
        ],
        "register_automation_blueprint": [
            f'"{name}", title="T", description="d", schedule_template="0 9 * * *", prompt_template="do it"'
        ],
        "register_locale": ['"pl", {"a.b": "x"}', '"pl", {"a.b": "x"}, surface="tui"', '"??", {}'],
        "register_approval_transport": [f'"{name}", lambda request: None', '"builtin", print', f'"{name}", None'],
        "register_platform_handler": ['"pigeon", lambda native, adapter: None', '"", print'],
        "register_telegram_handler": ["lambda native, adapter: None", "None"],
        "register_slack_action_handler": [f'"{name}", lambda *args: None', '"", None'],
        "register_memory_provider": ["object()"],
        "register_context_reference": ["object()"],
        "spawn_task": ["None"],
        "on_unload": ["lambda: None", "lambda: 1 / 0", "None"],
        "register_command": [f'"{name}", lambda text: "n", argument_mode="mixed"'],
        "register_skill": [
            f'"{name}", "nowhere"',
            f'"{name}", str(Path(__file__).parent / "SKILL.md"), frontmatter={{}}',
        ],
        "subscribe": ['"q:x", print'],
        "register_terminal_environment_provider": ["object()"],
    }
    offered = contract.load(release).context
    call = draw(st.sampled_from([one for one in calls if is_odd or one in offered]))
    chosen = draw(st.sampled_from(calls[call] if is_odd else calls[call][:1]))
    lines = f'handle = ctx.{call}({chosen})\nreturn getattr(handle, "kind", handle)'
    return draw(acting(number, lines, files={"SKILL.md": "---\nname: s\ndescription: d\n---\nText.\n"}))


@st.composite
def manifest_fields(draw: st.DrawFn, number: int, is_odd: bool, release: str) -> Part:
    """Draw fields of a manifest that later releases added."""
    fields: Mapping[str, tuple[list[Any], list[Any]]] = {
        "manifest_version": ([1, 2], [3, "x", True]),
        "requires_hermes": ([">=0.19", "<99"], [">=99", "soon", 5, "==0.22.2"]),
        "requires_plugins": ([["q"], [{"id": "q", "version_range": ">=1"}]], [["p"], "q", [5]]),
        "python_dependencies": ([["packaging"]], ["x", [5]]),
        "capabilities": ([["tools.override"]], [["unknown"], [5], "tools.override"]),
        "author": (["A", {"name": "A", "email": "a@example.org"}], [5, []]),
        "tags": ([["a"]], ["a", [5]]),
        "api_version": ([1], ["1", "x"]),
        "hooks": ([["pre_llm_call"]], ["x", {"a": 1}]),
        "provides_locales": ([["pl"]], [["??"], "pl"]),
        "unknown_field": ([1], []),
    }
    chosen = draw(st.lists(st.sampled_from([*fields]), unique=True, min_size=1, max_size=3))
    manifest = {name: draw(st.sampled_from(fields[name][0] + fields[name][1] * is_odd)) for name in chosen}
    return Part("", manifest=manifest)


@st.composite
def late_hooks(draw: st.DrawFn, number: int, is_odd: bool, release: str) -> Part:
    """Draw callbacks of hooks that later releases added, with their allowed results."""
    returns = {
        "post_gateway_admission": [
            '{"action": "handled"}',
            '{"action": "handled", "reply": "no"}',
            '{"action": "allow"}',
        ],
        "transform_api_error_classification": ['{"reason": "billing"}', '{"reason": "x"}', '{"retryable": False}'],
        "pre_command": ['"text"'],
        "on_stream_delta": ["None"],
        "on_stream_end": ["None"],
        "on_interim_message": ["None"],
        "on_skill_lifecycle": ["None"],
        "pre_auxiliary_call": ["None"],
        "on_human_input_request": ["None"],
    }
    promised = contract.load(release).hooks
    hook = draw(st.sampled_from([one for one in returns if is_odd or one in promised] or ["pre_llm_call"]))
    ordinary = [f"return {one}" for one in [*returns.get(hook, ()), "None"]]
    body = draw(bodies(ordinary, is_odd))
    return Part(
        f'ctx.register_hook("{hook}", late_{number})', f"def late_{number}(**kwargs):\n{indent(body, '    ')}\n"
    )


@st.composite
def isolations(draw: st.DrawFn, number: int, is_odd: bool, release: str) -> Part:
    """Draw a plugin that runs in its own process."""
    return Part("", config={"plugins": {"isolation": draw(st.sampled_from(["in_process", "host"]))}})


Make = Callable[[int, bool, str], st.SearchStrategy[Part]]

FEATURES: Mapping[str, tuple[Make, str, int]] = {
    "handles": (handles, "on_unload", 3),
    "settings": (settings, "get_config", 3),
    "states": (states, "state", 3),
    "events": (events, "emit", 3),
    "grants": (grants, "has_capability", 2),
    "narrow_callbacks": (narrow_callbacks, "", 5),
    "policies": (policies, "", 3),
    "shell_policies": (shell_policies, "", 1),
    "deadlines": (deadlines, "", 1),
    "slow_plugins": (slow_plugins, "", 1),
    "redactions": (redactions, "register_redaction_patterns", 2),
    "sections": (sections, "register_system_prompt_section", 2),
    "registrations": (registrations, "", 2),
    "manifest_fields": (manifest_fields, "", 2),
    "late_hooks": (late_hooks, "", 2),
    "isolations": (isolations, "", 1),
}
"""Name -> the strategy, the member of ``ctx`` that it needs, and its weight."""


@st.composite
def features(draw: st.DrawFn, number: int, wild: bool, release: str) -> Part:
    """Draw one feature of the release; a wild part may use a feature of a later release."""
    offered = contract.load(release).context
    has_all = wild and draw(st.sampled_from([False] * 5 + [True]))
    known = {name: one for name, one in FEATURES.items() if has_all or not one[1] or one[1] in offered}
    make = known[draw(st.sampled_from([name for name, one in known.items() for _ in range(one[2])]))][0]
    is_odd = wild or draw(st.sampled_from([False] * 3 + [True]))
    return draw(make(number, is_odd, release))
