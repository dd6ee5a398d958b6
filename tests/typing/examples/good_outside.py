"""Correct handlers of gateway events, and a correct shell hook."""

from __future__ import annotations

import json
import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from hermes_sdk.api import (
        AgentEndContext,
        CommandContext,
        CommandDecision,
        GatewayEventContext,
        GatewayEventHandler,
        GatewayEventName,
        PreLlmCallShellOutput,
        PreToolCallShellOutput,
        PreVerifyShellOutput,
        SessionCompressContext,
        ShellHookPayload,
        ToolShellHookPayload,
    )

EVENTS: list[GatewayEventName] = ["agent:start", "session:compress"]


def log(event_type: str, context: GatewayEventContext) -> None:
    print(event_type, context.get("platform"))


def note_end(event_type: str, context: AgentEndContext) -> None:
    print(context["response"].upper(), context["thread_id"])


def note_compression(event_type: str, context: SessionCompressContext) -> None:
    print(context["compression_count"] + 1, context.get("runtime"))


async def guard(event_type: str, context: CommandContext) -> CommandDecision | None:
    if context["command"] == "model":
        return {"decision": "deny", "message": f"Not for {context['user_id']}."}
    if context["command"] == "n":
        return {"decision": "rewrite", "command_name": "notes", "raw_args": context["raw_args"]}
    return {"decision": "handled"} if context["args"] else None


HANDLERS: list[GatewayEventHandler] = [log, note_end, note_compression, guard]


def block(payload: ToolShellHookPayload) -> PreToolCallShellOutput | None:
    if payload["tool_input"].get("path") == payload["cwd"]:
        return {"action": "block", "message": f"{payload['tool_name']} must not."}
    return {"decision": "block", "reason": "no"} if payload["extra"].get("task_id") else {"decision": "block"}


def go_on(payload: ShellHookPayload) -> PreVerifyShellOutput:
    return {"decision": "block", "reason": f"Run the tests of {payload['session_id']}."}


def recall(payload: ShellHookPayload) -> PreLlmCallShellOutput:
    if payload["tool_input"] is not None:
        print(payload["tool_input"].keys())
    return {"context": payload["hook_event_name"]}


print(json.dumps(recall(json.load(sys.stdin))))
