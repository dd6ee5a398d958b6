"""A plugin that uses every part of ``ctx`` correctly; type checkers must report nothing."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any, Unpack

if TYPE_CHECKING:
    from argparse import ArgumentParser, Namespace
    from collections.abc import Callable

    from hermes_sdk.api import (
        AuxiliaryTaskDefaults,
        BlockToolCall,
        ChangeTranscription,
        ClassifyApiError,
        HandleMessage,
        HookName,
        InjectContext,
        LlmInput,
        MessageEvent,
        ModifyToolCall,
        MultimodalResult,
        NextCall,
        PluginContext,
        PostToolCallArguments,
        PreGatewayDispatchResult,
        PreToolCallResult,
        ToolRequestResult,
        ToolSchema,
    )

ADD: ToolSchema = {
    "name": "notes_add",
    "description": "Save a note.",
    "parameters": {
        "type": "object",
        "properties": {"note": {"type": "string"}, "tags": {"type": "array", "items": {"$ref": "#/$defs/tag"}}},
        "required": ["note"],
        "$defs": {"tag": {"type": "string"}},
    },
}

# Checkers accept schemas of this type.
SHOW: dict[str, Any] = {"description": "Show the notes.", "parameters": {"type": "object", "properties": {}}}

OBSERVED: tuple[HookName, ...] = ("on_session_start", "on_session_end", "post_api_request", "kanban_task_claimed")


def add(args: dict[str, Any], **kwargs: Any) -> str:
    return json.dumps({"saved": args["note"]})


def show(args: dict[str, Any], task_id: str | None = None, **_: object) -> str | MultimodalResult:
    if args:
        return {"_multimodal": True, "content": [{"type": "text", "text": str(task_id)}]}
    return "nothing"


async def fetch(args: dict[str, Any], *, session_id: str | None = None, **kwargs: Any) -> str:
    return json.dumps({"session": session_id})


def available() -> bool:
    return True


def observe(**kwargs: Any) -> None:
    print(kwargs)


def after(tool_name: str, duration_ms: int, error_type: str | None = None, **_: Any) -> None:
    print(tool_name, duration_ms, error_type)


def after_with_all(**kwargs: Unpack[PostToolCallArguments]) -> None:
    print(kwargs["status"].upper(), kwargs["duration_ms"] + 1)


def guard(*, tool_name: str, args: dict[str, Any], **kwargs: Any) -> PreToolCallResult | None:
    if tool_name == "terminal":
        return {"action": "block", "message": "no shell here"}
    return {"action": "approve", "rule_key": "notes"} if args else None


def guard_files(tool_name: str, **kwargs: Any) -> BlockToolCall | None:
    return {"action": "block", "message": "read only"} if tool_name == "write_file" else None


def recall(is_first_turn: bool, user_message: str | list[Any], **_: Any) -> InjectContext | None:
    return {"context": str(user_message)} if is_first_turn else None


def recall_unchecked(is_first_turn: bool = False, **kwargs: Any) -> dict[str, str] | None:
    return {"context": "notes"} if is_first_turn else None


def recall_text(**_: object) -> str:
    return "notes"


def shorten(result: str | dict[str, Any], **_: Any) -> str | None:
    return result[:100] if isinstance(result, str) else None


def note_end(completed: bool, reason: str = "", **_: Any) -> None:
    print(completed, reason)


def admit(event: MessageEvent, **_: Any) -> PreGatewayDispatchResult | None:
    if event.source.is_bot:
        return {"action": "skip", "reason": "a bot"}
    return {"action": "rewrite", "text": event.text.strip()}


def narrow(args: dict[str, Any], **_: Any) -> ModifyToolCall | None:
    return {"action": "modify", "args": {"limit": 10}} if "limit" in args else None


def show_delta(delta: str, kind: str, **_: Any) -> None:
    print(delta, kind)


def classify(status_code: int | None, **_: Any) -> ClassifyApiError | None:
    return {"reason": "billing", "retryable": False} if status_code == 402 else None


def pong(text: str, source: dict[str, Any], **_: Any) -> HandleMessage | None:
    return {"action": "handled", "reply": "pong"} if text == "ping" and source else None


def hint(prompt: str | None, **_: Any) -> ChangeTranscription:
    return {"prompt": f"{prompt or ''} Hermes"}


def note_exit(task_id: str, exit_code: int | None, outcome: str, **_: Any) -> None:
    print(task_id, exit_code, outcome)


def change(args: dict[str, Any], **_: Any) -> ToolRequestResult | None:
    return {"args": {**args, "limit": 10}, "reason": "keep it short"}


def around(next_call: NextCall, args: dict[str, Any], **_: Any) -> Any:
    return next_call({**args, "limit": 10}) if args else next_call()


def slash(arguments: str) -> str | None:
    return arguments or None


async def slash_later(arguments: str) -> str:
    return arguments


def setup(parser: ArgumentParser) -> None:
    parser.add_argument("word")


def run(options: Namespace) -> int:
    return len(options.word)


async def answer_click(ack: Callable[[], Any], body: dict[str, Any], action: dict[str, Any]) -> None:
    await ack()


SUMMARY: AuxiliaryTaskDefaults = {"timeout": 5, "model": "small"}


def register(ctx: PluginContext) -> None:
    ctx.register_tool("notes_add", "notes", ADD, add, check_fn=available, requires_env=["NOTES"], emoji="🗒")
    ctx.register_tool(name="notes_show", toolset="notes", schema=SHOW, handler=show)
    ctx.register_tool("notes_list", "notes", {"description": "List.", "parameters": ADD["parameters"]}, add)
    ctx.register_tool("notes_fetch", "notes", ADD, fetch, is_async=True, override=True)

    for hook in OBSERVED:
        ctx.register_hook(hook, observe)
    ctx.register_hook("post_tool_call", after)
    ctx.register_hook("post_tool_call", after_with_all)
    ctx.register_hook("pre_tool_call", guard)
    ctx.register_hook(hook_name="pre_tool_call", callback=guard_files)
    ctx.register_hook("pre_llm_call", recall)
    ctx.register_hook("pre_llm_call", recall_unchecked)
    ctx.register_hook("pre_llm_call", recall_text)
    ctx.register_hook("transform_tool_result", shorten)
    ctx.register_hook("on_session_end", note_end)
    ctx.register_hook("pre_gateway_dispatch", admit)
    ctx.register_hook("pre_tool_call", narrow)
    ctx.register_hook("on_stream_delta", show_delta)
    ctx.register_hook("transform_api_error_classification", classify)
    ctx.register_hook("post_gateway_admission", pong)
    ctx.register_hook("pre_transcription", hint)
    ctx.register_hook("on_kanban_worker_exited", note_exit)
    ctx.register_middleware("tool_request", change)
    ctx.register_middleware("tool_execution", around)

    ctx.register_command("notes", slash, description="Show the notes", args_hint="[word]")
    ctx.register_command("notes-later", slash_later)
    ctx.register_cli_command("notes", "Show the notes", setup, handler_fn=run)
    ctx.register_skill("taking-notes", Path(__file__).parent / "SKILL.md")
    ctx.register_auxiliary_task("notes_summary", display_name="Notes", description="Sums up", defaults=SUMMARY)
    ctx.register_auxiliary_task("notes_title", display_name="Titles", description="Names", defaults={"limit": 5})
    ctx.register_platform("pager", "Pager", lambda config: config, available, emoji="📟", max_message_length=160)
    ctx.register_slack_action_handler("notes", answer_click)

    print(json.loads(ctx.dispatch_tool("web_search", {"query": "notes"}, depth=1)))
    if ctx.inject_message("Hello", role="system"):
        print(ctx.profile_name.upper(), ctx.manifest.name, ctx.manifest.path or "")
    answer = ctx.llm.complete([{"role": "user", "content": "Hello"}], max_tokens=100, purpose="greeting")
    print(answer.text, answer.usage.total_tokens, answer.audit["plugin_id"], answer.audit.get("schema_name", ""))
    blocks: list[LlmInput] = [
        {"type": "text", "text": "notes"},
        {"type": "image", "data": b"", "mime_type": "image/gif"},
    ]
    print(ctx.llm.complete_structured(instructions="Count", input=blocks, json_schema={"type": "integer"}).parsed)
