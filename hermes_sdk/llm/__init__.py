"""A scripted model: it answers what a test says, and keeps what it was asked.

    answers.py   answers, and how a test writes them
    bodies.py    the bodies of requests, as it stores them
    script.py    the model that gives them in order, and what it was asked
    wire.py      answers as an OpenAI-compatible API puts them
    server.py    such an API on loopback, for a host in another process

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
