"""Register callbacks for all hooks and middleware of a turn.

The variable WATCHER is a JSON object from hook or middleware to the value that a callback returns, or to a list with
one value for each callback.
"""

import json
import os
from pathlib import Path

HOOKS = (
    "pre_tool_call",
    "post_tool_call",
    "transform_terminal_output",
    "transform_tool_result",
    "transform_llm_output",
    "pre_llm_call",
    "post_llm_call",
    "pre_verify",
    "pre_api_request",
    "post_api_request",
    "api_request_error",
    "transform_api_error_classification",
    "on_session_start",
    "on_session_end",
    "on_session_finalize",
    "on_session_reset",
    "subagent_start",
    "subagent_stop",
    "pre_approval_request",
    "post_approval_response",
)
RETURNS = json.loads(os.environ.get("WATCHER", "{}"))
RESULTS = {
    "dict": {"a": 1},
    "list": [1, 2],
    "int": 7,
    "none": None,
    "plain": "not json",
    "soft": {"error": "soft"},
    "big": "x" * 150_000,
}
TEXT = {"type": "object", "properties": {"text": {"type": "string", "description": "Any text."}}}


def watching(ctx, register, name):
    """Register one callback for each value, or one without a value."""
    values = RETURNS.get(name)
    for value in values if isinstance(values, list) else [values]:
        register(name, callback(name, value))


def callback(name, value):
    def observe(**kwargs):
        if value == "raise":
            raise RuntimeError(f"{name} fails")
        return value

    def wrap(next_call, **kwargs):
        return next_call() if value is None else value

    return wrap if name.endswith("_execution") else observe


def echo(args, **kwargs):
    return json.dumps({"echo": args.get("text", "")})


def fail(args, **kwargs):
    raise ValueError("boom")


def returning(args, **kwargs):
    return RESULTS[args["kind"]]


async def later(args, **kwargs):
    return json.dumps({"later": args.get("text", "")})


def asking(llm):
    def ask(args, **kwargs):
        plain = llm.complete([{"role": "user", "content": "What colour?"}], temperature=0.1, max_tokens=50, purpose="p")
        schema = {"type": "object", "properties": {"colour": {"type": "string"}}, "required": ["colour"]}
        parts = [{"type": "text", "text": "The sky is blue."}]
        structured = llm.complete_structured(
            instructions="Name the colour.", input=parts, json_schema=schema, schema_name="colour", purpose="q"
        )
        try:
            llm.complete([{"role": "user", "content": "x"}], model="another")
        except Exception as error:
            denied = f"{type(error).__name__}: {error}"
        return json.dumps({"text": plain.text, "parsed": structured.parsed, "denied": denied})

    return ask


def register(ctx):
    def tool(name, handler, **more):
        schema = {"name": name, "description": f"The tool {name}.", "parameters": TEXT}
        ctx.register_tool(name, "watcher", schema, handler, **more)

    tool("echo", echo)
    tool("broken", fail)
    tool("returning", returning)
    tool("later", later, is_async=True)
    tool("ask", asking(ctx.llm))
    for name in HOOKS:
        watching(ctx, ctx.register_hook, name)
    if hasattr(ctx, "register_middleware"):
        for kind in ("tool_request", "llm_request", "tool_execution", "llm_execution"):
            watching(ctx, ctx.register_middleware, kind)
    ctx.register_command("watch", lambda text: f"watched {text}", description="Answers.")
    ctx.register_skill("howto", Path(__file__).parent / "skills" / "howto" / "SKILL.md")
