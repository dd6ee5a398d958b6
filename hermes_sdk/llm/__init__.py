"""A scripted model, which returns the answers of a test and stores the requests.

    answers.py   answers, and functions with which tests create them
    bodies.py    bodies of requests, stored with shared messages
    script.py    the scripted model, and the requests that it received
    wire.py      answers in the format of an OpenAI-compatible API
    server.py    an OpenAI-compatible API on loopback, for a host in another process

Must not import `hosts` or anything above.
"""

from __future__ import annotations

from hermes_sdk.llm.answers import Answer, ToolCall, call, fail, interrupt, say
from hermes_sdk.llm.script import CONTEXT_LENGTH, MODEL, Lane, LaneName, Request, ScriptedModel, Step

__all__ = [
    "CONTEXT_LENGTH",
    "MODEL",
    "Answer",
    "Lane",
    "LaneName",
    "Request",
    "ScriptedModel",
    "Step",
    "ToolCall",
    "call",
    "fail",
    "interrupt",
    "say",
]
