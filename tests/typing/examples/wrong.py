"""A plugin full of mistakes; type checkers must report exactly the marked lines."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from argparse import Namespace

    from hermes_sdk.api import (
        AuxiliaryTaskDefaults,
        ClassifyApiError,
        ContinueTurn,
        HandleMessage,
        InjectContext,
        PluginContext,
        PreToolCallResult,
        ToolParameters,
        ToolRequestResult,
        ToolSchema,
    )

WRAPPED: ToolSchema = {"type": "function", "function": {"name": "add"}}  # error
NO_OBJECT: ToolSchema = {"description": "Add.", "parameters": {"note": {"type": "string"}}}  # error
ADD: ToolSchema = {"description": "Add.", "parameters": {"type": "object", "properties": {}}}
EMPTY: ToolParameters = {"type": "object", "properties": {}}
UNANNOTATED = {"desciption": "Add.", "parameters": {"type": "object", "properties": {"note": {"type": "string"}}}}


def add(args: dict[str, Any], **kwargs: Any) -> str:
    return str(args)


def note_close(args: dict[str, Any]) -> str:
    return str(args)


def closed_but_named(args: dict[str, Any], task_id: str | None, session_id: str | None, user_task: str | None) -> str:
    return str((args, task_id, session_id, user_task))


def certain(args: dict[str, Any], task_id: str, **kwargs: Any) -> str:
    return task_id + str(args)


def returns_mapping(args: dict[str, Any], **kwargs: Any) -> dict[str, Any]:
    return args


def returns_nothing(args: dict[str, Any], **kwargs: Any) -> None:
    print(args)


async def later(args: dict[str, Any], **kwargs: Any) -> str:
    return str(args)


def tools(ctx: PluginContext) -> None:
    ctx.register_tool("add", ADD, add)  # error
    ctx.register_tool("add", "notes", None, add)  # error
    ctx.register_tool("add", "notes", {"desciption": "Add.", "parameters": EMPTY}, add)  # error
    ctx.register_tool("add", "notes", {"description": "Add.", "parameters": {"type": "object"}}, add)  # error
    ctx.register_tool("add", "notes", UNANNOTATED, add)  # error
    ctx.register_tool("add", "notes", ADD, note_close)  # error
    ctx.register_tool("add", "notes", ADD, closed_but_named)  # error
    ctx.register_tool("add", "notes", ADD, certain)  # error
    ctx.register_tool("add", "notes", ADD, returns_mapping)  # error
    ctx.register_tool("add", "notes", ADD, returns_nothing)  # error
    ctx.register_tool("add", "notes", ADD, later)  # error
    ctx.register_tool("add", "notes", ADD, add, is_async=True)  # error
    ctx.register_tool("add", "notes", ADD, add, requires_env="NOTES")  # error
    ctx.register_tool("add", "notes", ADD, add, check_fn=True)  # error
    ctx.register_tool("add", "notes", ADD, add, max_result_size_chars=10)  # error


def no_open_end(tool_name: str, result: str | dict[str, Any]) -> None:
    print(tool_name, result)


def no_open_end_but_complete(session_id: str, model: str, platform: str, telemetry_schema_version: str) -> None:
    print(session_id, model, platform, telemetry_schema_version)


def unknown_argument(tool_name: str, params: dict[str, Any], **kwargs: Any) -> None:
    print(tool_name, params)


def wrong_type(duration_ms: str, **kwargs: Any) -> None:
    print(duration_ms)


def not_always_there(reason: str, **kwargs: Any) -> None:
    print(reason)


def by_position(tool_name: str, /, **kwargs: Any) -> None:
    print(tool_name)


async def coroutine(**kwargs: Any) -> None:
    print(kwargs)


async def guard_later(**kwargs: Any) -> PreToolCallResult:
    return {"action": "block", "message": str(kwargs)}


def guard(tool_name: str, **kwargs: Any) -> PreToolCallResult | None:
    if tool_name == "terminal":
        return {"action": "BLOCK", "message": "no"}  # error
    if tool_name == "patch":
        return {"action": "block"}  # error
    return {"decision": "block", "message": "no"}  # error


def recall(**kwargs: Any) -> InjectContext | None:
    return {"text": str(kwargs)}  # error


def verify(**kwargs: Any) -> ContinueTurn | None:
    return {"action": "stop", "message": str(kwargs)}  # error


def classify(**kwargs: Any) -> ClassifyApiError | None:
    return {"retryable": bool(kwargs)}  # error


def answer(**kwargs: Any) -> HandleMessage | None:
    return {"action": "reply", "reply": str(kwargs)}  # error


def no_request_id(request_id: str, **kwargs: Any) -> None:
    print(request_id)


def bare(telemetry_schema_version: str, **kwargs: Any) -> None:
    print(telemetry_schema_version)


def says_no(**kwargs: Any) -> bool:
    return not kwargs


def hooks(ctx: PluginContext, name: str) -> None:
    ctx.register_hook("post_tool_calls", coroutine)  # error
    ctx.register_hook(name, says_no)  # error
    ctx.register_hook("post_tool_call", no_open_end)  # error
    ctx.register_hook("on_session_start", no_open_end_but_complete)  # error
    ctx.register_hook("post_tool_call", unknown_argument)  # error
    ctx.register_hook("post_tool_call", wrong_type)  # error
    ctx.register_hook("on_session_end", not_always_there)  # error
    ctx.register_hook("pre_approval_request", no_request_id)  # error
    ctx.register_hook("gateway_platform_event", bare)  # error
    ctx.register_hook("post_gateway_admission", says_no)  # error
    ctx.register_hook("post_tool_call", by_position)  # error
    ctx.register_hook("post_tool_call", coroutine)  # error
    ctx.register_hook("pre_tool_call", guard_later)  # error
    ctx.register_hook("pre_tool_call", says_no)  # error
    ctx.register_hook("transform_tool_result", says_no)  # error
    ctx.register_hook("post_tool_call")  # error


def change(args: dict[str, Any], **kwargs: Any) -> ToolRequestResult | None:
    return {"arguments": args}  # error


def around(next_call: str, **kwargs: Any) -> Any:
    return next_call


def middleware(ctx: PluginContext) -> None:
    ctx.register_middleware("tool_requests", change)  # error
    ctx.register_middleware("tool_request", no_open_end)  # error
    ctx.register_middleware("tool_request", says_no)  # error
    ctx.register_middleware("tool_execution", around)  # error


def needs_more(text: str, more: str) -> str:
    return text + more


def counts(text: str) -> int:
    return len(text)


def run(options: Namespace) -> None:
    print(options)


SUMMARY: AuxiliaryTaskDefaults = {"timeout": "5"}  # error
TITLE: AuxiliaryTaskDefaults = {"timeout_seconds": 5}  # error


def rest(ctx: PluginContext) -> None:
    ctx.register_command("notes", needs_more)  # error
    ctx.register_command("notes", counts)  # error
    ctx.register_command("notes", help="Show the notes")  # error
    ctx.register_cli_command("notes", "Show the notes", run)  # error
    ctx.register_skill("taking-notes", "skills/taking-notes/SKILL.md")  # error
    ctx.register_auxiliary_task("notes_summary", "Notes", "Sums up")  # error
    ctx.register_platform("pager", "Pager", run, bool, colour="red")  # error
    ctx.register_auxiliary_task("notes_title", display_name="Notes", description="Names", defaults=[5])  # error
    ctx.register_image_gen_provider(run)  # error
    ctx.register_memory_provider(run)  # error
    ctx.dispatch_tool("web_search", query="notes")  # error
    ctx.inject_message({"role": "user", "content": "Hello"})  # error
    ctx.llm.complete("Hello")  # error
    ctx.llm.complete_structured("Count", [])  # error
    ctx.llm.complete_structured(instructions="Count", input=[{"type": "txt", "text": "notes"}])  # error
    print(ctx.llm.complete([]).tokens)  # error
    print(ctx.llm.complete([]).audit["plugin"])  # error
    print(ctx.llm.acomplete([]).text)  # error
    print(ctx.profile_name + 1)  # error
