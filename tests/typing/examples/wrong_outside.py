"""Handlers of gateway events and shell hooks with mistakes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from hermes_sdk.api import (
        AgentStartContext,
        CommandContext,
        CommandDecision,
        GatewayEventHandler,
        GatewayEventName,
        PreLlmCallShellOutput,
        PreToolCallShellOutput,
        PreVerifyShellOutput,
        SessionCompressContext,
        SessionEndContext,
        ToolShellHookPayload,
    )

EVENT: GatewayEventName = "agent:stop"  # error


def note_start(event_type: str, context: AgentStartContext) -> None:
    print(context["text"])  # error
    print(context["message"] + 1)  # error


def note_end(event_type: str, context: SessionEndContext) -> None:
    print(context["session_id"])  # error


def note_compression(event_type: str, context: SessionCompressContext) -> None:
    print(context["compression_count"].upper())  # error


def guard(event_type: str, context: CommandContext) -> CommandDecision | None:
    if context["command"] == "a":
        return {"decision": "block"}  # error
    if context["command"] == "b":
        return {"decision": "rewrite", "raw_args": "x"}  # error
    if context["command"] == "c":
        return {"decision": "deny", "reason": "no"}  # error
    return "deny"  # error


def context_only(context: dict[str, Any]) -> None:
    print(context)


def says_no(event_type: str, context: dict[str, Any]) -> bool:
    return not context


FIRST: GatewayEventHandler = context_only  # error
SECOND: GatewayEventHandler = says_no  # error


def block(payload: ToolShellHookPayload) -> PreToolCallShellOutput:
    print(payload["args"])  # error
    print(payload["tool_input"].upper())  # error
    if payload["tool_name"] == "a":
        return {"action": "ask"}  # error
    return {"decision": "deny", "reason": "no"}  # error


def go_on() -> PreVerifyShellOutput:
    return {"decision": "block"}  # error


def recall() -> PreLlmCallShellOutput:
    return {"text": "notes"}  # error
