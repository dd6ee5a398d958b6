"""A plugin with a tool, a hook, a slash command and a CLI command."""

from __future__ import annotations

import json
from typing import Any

SCHEMA = {
    "name": "word_count",
    "description": "Counts the words of a text.",
    "parameters": {"type": "object", "properties": {"text": {"type": "string"}}, "required": ["text"]},
}


def count(args: dict[str, Any], **kwargs: Any) -> str:
    text = args.get("text")
    if not isinstance(text, str):
        return json.dumps({"error": "word_count needs a text."})
    return json.dumps({"words": len(text.split())})


def register(ctx: Any) -> None:
    said = {"words": 0}

    def listen(*, user_message: str = "", **kwargs: Any) -> None:
        said["words"] += len(user_message.split())

    def answer(line: str) -> str:
        return f"{len(line.split())} words here, {said['words']} said."

    ctx.register_tool("word_count", "word_count", SCHEMA, count)
    ctx.register_hook("pre_llm_call", listen)
    ctx.register_command("wordcount", answer, description="Count words")
    ctx.register_cli_command("wordcount", "Count words", lambda parser: None, run)


def run(args: Any) -> None:
    print(f"hermes {args.command} counts words in sessions")
