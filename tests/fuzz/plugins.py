"""Strategies for plugins: small source texts assembled from parts, one per registration.

An ordinary plugin behaves like plugins in practice; a *wild* one also returns, raises and declares unusual values; a
*recent* one uses features of 0.20.1 or later.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from textwrap import indent
from typing import Any

from fuzz.features import features
from fuzz.parts import JSON, RETURNS, WORDS, Part, bodies
from hypothesis import strategies as st

from hermes_sdk import contract

MODULES = ("asyncio", "functools", "json", "sys", "threading", "time")
"""Modules that the code of parts can use."""


@dataclass(frozen=True)
class Plugin:
    """A plugin directory, and the features of its parts."""

    name: str
    manifest: str
    parts: tuple[Part, ...]

    @property
    def source(self) -> str:
        """Return the text of ``__init__.py``."""
        code = [part.code for part in self.parts if part.code]
        body = "\n".join(part.register for part in self.parts if part.register) or "pass"
        register = f"def register(ctx):\n{indent(body, '    ')}\n"
        if "Unprintable" in "".join(code):
            code.insert(0, 'class Unprintable(Exception):\n    def __str__(self):\n        raise ValueError("str")\n')
        text = "".join([*code, body])
        imports = [f"import {name}\n" for name in MODULES if re.search(rf"\b{name}\.", text)]
        imports += ["from pathlib import Path\n"] * ("Path(" in text)
        return "".join([*imports, *(["\n\n"] if imports else []), "\n\n".join([*code, register])])

    @property
    def files(self) -> dict[str, str]:
        """Return the files: name -> text."""
        files = {name: text for part in self.parts for name, text in part.files.items()}
        return {"plugin.yaml": self.manifest, "__init__.py": self.source, **files}

    @property
    def tools(self) -> dict[str, Any]:
        """Return the parameters of the tools."""
        return {name: parameters for part in self.parts for name, parameters in part.tools.items()}


def parameters(wild: bool) -> st.SearchStrategy[Any]:
    """Return the strategy for schemas of a tool's arguments."""
    plain = st.sampled_from(["string", "integer", "number", "boolean", "object", "array"])
    properties: st.SearchStrategy[Any] = plain.map(lambda name: {"type": name}) | st.sampled_from(
        [{"type": "string", "enum": ["a", "b"]}, {"type": "array", "items": {"type": "integer"}}]
    )
    if wild:
        properties |= JSON | st.lists(plain, min_size=1, max_size=2).map(lambda names: {"type": names})
        properties |= properties.map(lambda one: {"anyOf": [one, {"type": "null"}]})
    made = st.dictionaries(st.sampled_from(["text", "n", "items"]), properties, max_size=3)
    schema: st.SearchStrategy[Any] = made.map(lambda one: {"type": "object", "properties": one})
    required = schema.map(lambda one: {**one, "required": sorted(one["properties"])})
    return schema | required | JSON if wild else schema | required


@st.composite
def tools(draw: st.DrawFn, number: int, wild: bool) -> Part:
    """Draw a tool; its handler is a function of the module."""
    name = draw(st.sampled_from([f"tool_{number}"] * 4 + (["todo", "Tool-X", "écho", "memory"] if wild else [])))
    toolset = draw(st.sampled_from(["kit"] * 6 + (["browser", "file", "hermes-cli", "", "clarify"] if wild else [])))
    schema = {"name": name, "description": "d", "parameters": draw(parameters(wild))}
    ordinary = [
        'return json.dumps({"got": args})',
        'return json.dumps({"got": args, "session": kwargs.get("session_id")})',
        'return json.dumps({"error": "no luck"})',
        'return "plain"',
        'return "x" * 60_000',
        "return json.dumps(sorted(kwargs))",
    ]
    if wild:
        ordinary += ["args.clear()\nreturn None", 'return {"_multimodal": True, "content": [], "text_summary": "t"}']
    body = draw(bodies(ordinary, wild))
    later = draw(st.sampled_from([False] * 4 + [True]))
    check = draw(st.sampled_from([""] * 5 + ([", check_fn=lambda: 1 / 0"] if wild else [", check_fn=lambda: True"])))
    takes = draw(st.sampled_from(["args, **kwargs"] * 6 + (["args", ""] if wild else [])))
    return Part(
        f'ctx.register_tool("{name}", "{toolset}", {schema!r}, handle_{number}{", is_async=True" * later}{check})',
        f"{'async ' * later}def handle_{number}({takes}):\n{indent(body, '    ')}\n",
        tools={name: schema["parameters"]},
    )


@st.composite
def callbacks(draw: st.DrawFn, number: int, wild: bool, release: str) -> Part:
    """Draw a callback of a hook or of middleware."""
    promised = contract.load(release)
    hooks, kinds = sorted(promised.hooks), sorted(promised.middleware_kinds)
    name = draw(st.sampled_from([*hooks, *kinds, *["pre_tool_call", "post_tool_call", "pre_llm_call"] * 2]))
    takes, returned = "**kwargs", [f"return {one}" for one in RETURNS.get(name, ())]
    if name.endswith("_execution"):
        takes = "next_call, **kwargs"
    else:
        returned += ["return None"] * 2
    # Ordinary execution middleware does not fail, because the host would repeat the wrapped call.
    body = draw(bodies(returned, wild) if wild or takes == "**kwargs" else st.sampled_from(returned))
    later = wild and draw(st.sampled_from([False] * 6 + [True]))
    call = "register_middleware" if name in kinds else "register_hook"
    return Part(
        f'ctx.{call}("{name}", on_{number})',
        f"{'async ' * later}def on_{number}({takes}):\n{indent(body, '    ')}\n",
    )


@st.composite
def commands(draw: st.DrawFn, number: int, wild: bool) -> Part:
    """Draw a slash command or a CLI command."""
    if draw(st.booleans()):
        name = draw(st.sampled_from([f"cmd{number}"] * 4 + (["new", "Upper", "a_b"] if wild else [])))
        body = draw(bodies(['return f"said {text}"', "return None", 'return "done"'], wild))
        code = f"def command_{number}(text):\n    {body}\n"
        return Part(f'ctx.register_command("{name}", command_{number})', code, commands=(name,))
    body = draw(bodies(['print("ran")', "return 0", "return 2"], wild))
    code = f"def run_{number}(namespace):\n    {body}\n"
    register = f'ctx.register_cli_command("prog{number}", "h", lambda parser: None, run_{number})'
    return Part(register, code, cli=(f"prog{number}",))


def _provider(number: int, methods: Mapping[str, str], kind: str) -> Part:
    """Return a memory provider or context engine with these methods."""
    base, module, call = {
        "exclusive": ("MemoryProvider", "memory_provider", "memory_provider"),
        "standalone": ("ContextEngine", "context_engine", "context_engine"),
    }[kind]
    lines = "".join(f"    def {name}:\n{indent(body, '        ')}\n" for name, body in methods.items())
    code = f'from agent.{module} import {base}\n\n\nclass Provider{number}({base}):\n    name = "p"\n{lines}'
    config = {"memory": {"provider": "p"}} if kind == "exclusive" else {"context": {"engine": "p"}}
    return Part(f"ctx.register_{call}(Provider{number}())", code, config=config, kind=kind)


@st.composite
def memory_providers(draw: st.DrawFn, number: int, wild: bool) -> Part:
    """Draw a memory provider of the plugin ``p``."""
    methods = {
        "is_available(self)": "return True",
        "initialize(self, session_id, **kwargs)": "pass",
        "get_tool_schemas(self)": "return []",
    }
    optional = {
        "system_prompt_block(self)": ['return "remember"', 'return ""'],
        'prefetch(self, query, *, session_id="")': ['return "recalled"', 'return ""'],
        'sync_turn(self, user_content, assistant_content, *, session_id="", **kwargs)': ["pass"],
        "on_turn_start(self, turn_number, message, **kwargs)": ["pass"],
        "on_session_end(self, messages)": ["pass"],
        "shutdown(self)": ["pass"],
    }
    for name in draw(st.lists(st.sampled_from(sorted(optional)), unique=True, max_size=3)):
        methods[name] = draw(bodies(optional[name], wild))
    return _provider(number, methods, "exclusive")


@st.composite
def context_engines(draw: st.DrawFn, number: int, wild: bool) -> Part:
    """Draw a context engine of the plugin ``p``."""
    methods = {
        "update_from_response(self, usage)": draw(bodies(["pass"], wild)) if wild else "pass",
        "should_compress(self, prompt_tokens=None)": "return False",
        "compress(self, messages, current_tokens=None, **kwargs)": "return messages",
    }
    if draw(st.booleans()):
        methods["on_session_start(self, session_id, **kwargs)"] = draw(bodies(["pass"], wild)) if wild else "pass"
    return _provider(number, methods, "standalone")


PLATFORM = Part(
    'ctx.register_platform(name="pigeon", label="Pigeon", adapter_factory=Adapter, check_fn=lambda: True)',
    """\
from gateway.config import Platform
from gateway.platforms.base import BasePlatformAdapter, SendResult


class Adapter(BasePlatformAdapter):
    def __init__(self, config):
        super().__init__(config, Platform("pigeon"))
        self.count = 0

    async def connect(self, **more):
        self._mark_connected()
        return True

    async def disconnect(self):
        self._mark_disconnected()

    async def send(self, chat_id, content, reply_to=None, metadata=None):
        self.count += 1
        return SendResult(success=True, message_id=f"out{self.count}")

    async def get_chat_info(self, chat_id):
        return {"name": chat_id, "type": "dm"}
""",
    kind="platform",
)


@st.composite
def manifests(draw: st.DrawFn, name: str, parts: Sequence[Part], wild: bool) -> str:
    """Draw the text of ``plugin.yaml``; a wild one has fields of any type."""
    kinds = {part.kind for part in parts if part.kind} - {"standalone"}
    fields: dict[str, Any] = {"name": name, "kind": min(kinds, default="standalone")}
    known = {
        "version": st.just("1.0"),
        "description": WORDS,
        "provides_tools": st.just(sorted({name for part in parts for name in part.tools})),
        "requires_env": st.just(["SOME_KEY"]),
    }
    for key in draw(st.lists(st.sampled_from(sorted(known)), unique=True, max_size=2)):
        fields[key] = draw(known[key] | JSON) if wild else draw(known[key])
    if wild and draw(st.sampled_from([False] * 5 + [True])):
        fields[draw(st.sampled_from(["kind", "name", "provides_hooks", "hooks", "x"]))] = draw(JSON)
    for part in parts:
        fields.update(part.manifest)
    return "".join(f"{key}: {json.dumps(value)}\n" for key, value in fields.items())


@st.composite
def plugins(draw: st.DrawFn, name: str, release: str, nature: str, *, always: tuple[Part, ...] = ()) -> Plugin:
    """Draw a plugin with these and a few more parts."""
    wild, recent = nature == "wild", nature == "recent"
    parts = [*always]
    if recent:
        parts += [draw(features(number, wild, release)) for number in range(10, draw(st.integers(11, 13)))]
    known = ["tool"] * 4 + ["callback"] * 5 + ["command"] + ["provider"] * (name == "p") + ["feature"] * (not recent)
    for number in range(draw(st.integers(0 if recent else 1, 2 if recent else 4))):
        what = draw(st.sampled_from(known))
        if what == "tool":
            parts.append(draw(tools(number, wild)))
        elif what == "callback":
            parts.append(draw(callbacks(number, wild, release)))
        elif what == "command":
            parts.append(draw(commands(number, wild)))
        elif what == "feature":
            parts.append(draw(features(number, wild, release)))
        elif not any(part.kind for part in parts):
            parts.append(draw(memory_providers(number, wild) | context_engines(number, wild)))
    # Slow parts last: registrations after the deadline are recorded only if the run lasts long enough.
    parts.sort(key=lambda part: "time.sleep" in part.register)
    return Plugin(name, draw(manifests(name, parts, wild)), tuple(parts))
