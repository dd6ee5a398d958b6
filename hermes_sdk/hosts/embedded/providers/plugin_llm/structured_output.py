"""Requests for JSON: their messages, and the JSON in an answer (E8 to E11)."""

from __future__ import annotations

import base64
import json
import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from hermes_sdk.hosts.embedded.host_classes import of_module

DIRECTIVE = "Answer with one JSON object of the requested shape and nothing else."
_FENCED = re.compile(r"```(?:json)?\s*(.+?)```", re.DOTALL | re.IGNORECASE)


@of_module("agent.plugin_llm")
@dataclass
class PluginLlmTextInput:
    """A piece of text."""

    text: str
    type: str = "text"


@of_module("agent.plugin_llm")
@dataclass
class PluginLlmImageInput:
    """An image as bytes or as a URL."""

    data: bytes | None = None
    url: str | None = None
    mime_type: str = "image/png"
    file_name: str = ""
    type: str = "image"


@dataclass(frozen=True)
class AnswerFormat:
    """Requested format of an answer: JSON with a named JSON Schema, JSON without a schema, or text."""

    schema: Any
    schema_name: str | None
    json_mode: bool

    @property
    def is_json(self) -> bool:
        """Return whether the answer must be JSON."""
        return self.json_mode or self.schema is not None

    @property
    def response_format(self) -> dict[str, Any]:
        """The fields of the request body for this format."""
        if self.schema is not None:
            described = {"name": "plugin_structured_output", "schema": self.schema, "strict": False}
            return {"response_format": {"type": "json_schema", "json_schema": described}}
        return {"response_format": {"type": "json_object"}} if self.json_mode else {}


def check(method: str, instructions: str, blocks: Any) -> None:
    """Reject a request without instructions or input.

    Raises:
        ValueError: Instructions or input are missing.
    """
    if not instructions or not instructions.strip():
        raise ValueError(f"{method} requires non-empty instructions")
    if not blocks:
        raise ValueError(f"{method} requires at least one input block")


def build_messages(
    instructions: str, blocks: Iterable[Any], wanted: AnswerFormat, system_prompt: str | None
) -> list[dict[str, Any]]:
    """Build the messages of a request.

    Raises:
        ValueError: A block is neither text nor an image.
    """
    system = [*([system_prompt.strip()] if system_prompt else []), *([DIRECTIVE] if wanted.is_json else [])]
    header = instructions.strip()
    if wanted.schema_name:
        header += f"\n\nSchema name: {wanted.schema_name}"
    if wanted.schema is not None:
        header += f"\n\nJSON schema:\n{_format_schema(wanted.schema)}"
    parts = [{"type": "text", "text": header}, *map(_format_part, blocks)]
    head = [{"role": "system", "content": "\n\n".join(system)}] if system else []
    return [*head, {"role": "user", "content": parts}]


def _format_schema(schema: Any) -> str:
    try:
        return json.dumps(schema, ensure_ascii=False, sort_keys=True)
    except (TypeError, ValueError):
        return str(schema)


def _format_part(block: Any) -> dict[str, Any]:
    if isinstance(block, PluginLlmTextInput):
        return {"type": "text", "text": block.text}
    if isinstance(block, PluginLlmImageInput):
        return _format_image(block.data, block.url, block.mime_type)
    if not isinstance(block, dict):
        raise ValueError(f"Unsupported input block: {type(block).__name__}")
    kind = block.get("type")
    if kind == "text":
        if not isinstance(block.get("text"), str):
            raise ValueError("text input block requires 'text' string")
        return {"type": "text", "text": block["text"]}
    if kind == "image":
        if "data" not in block and not block.get("url"):
            raise ValueError("image input block requires 'data' bytes or 'url'")
        return _format_image(block.get("data"), block.get("url"), block.get("mime_type"))
    raise ValueError(f"Unknown input block type: {kind!r}")


def _format_image(data: Any, url: str | None, mime_type: str | None) -> dict[str, Any]:
    if not url:
        content = data or b""
        if not isinstance(content, (bytes, bytearray)):
            raise ValueError("image input 'data' must be bytes")
        url = f"data:{mime_type or 'image/png'};base64,{base64.b64encode(content).decode('ascii')}"
    return {"type": "image_url", "image_url": {"url": url}}


def parse_value(text: str, wanted: AnswerFormat, *, validates: bool) -> tuple[Any, str]:
    """Parse the JSON value in an answer; `validates` says whether Hermes can import ``jsonschema``.

    Returns:
        The value and ``json``, or None and ``text`` if there is no value or none was requested.

    Raises:
        ValueError: The value does not match the schema.
        jsonschema.SchemaError: The schema is invalid.
    """
    if not wanted.is_json or not text:
        return None, "text"
    fenced = _FENCED.search(text)
    try:
        value = json.loads((fenced[1] if fenced else text).strip())
    except ValueError:
        return None, "text"
    if wanted.schema is not None and validates:
        _validate(value, wanted.schema)
    return value, "json"


def _validate(value: Any, schema: Any) -> None:
    import jsonschema

    try:
        jsonschema.validate(value, schema)
    except jsonschema.ValidationError as error:
        raise ValueError(f"Plugin LLM structured output did not match schema: {error.message}") from error
