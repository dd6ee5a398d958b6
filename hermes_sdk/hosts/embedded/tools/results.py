"""Results of tool calls: validation, failures and error texts."""

from __future__ import annotations

import contextlib
import json
import re
from typing import Any, NamedTuple

from hermes_sdk.contract import Behaviour

# Role-like tags, code fences at either edge of a line, CDATA sections; compiled when the first tool fails.
_MARKUP = (
    r"(?i)</?(?:assistant|function_call|input|output|response|result|system|tool_call|user)>",
    r"(?m)^\s*```(?:html|json|markdown|xml)?\s*",
    r"(?m)\s*```\s*$",
    r"(?s)<!\[CDATA\[.*?\]\]>",
)
_MAX_ERROR = 2000
_MAX_BOUNDED_ERROR = 2048
_MAX_FAILURE = 48


class Outcome(NamedTuple):
    """Outcome of a tool call, as hooks receive it."""

    status: str
    error_type: str | None
    error_message: str | None


def outcome(tool: str, result: object, behaviour: Behaviour) -> Outcome:
    """Return the outcome of a call; a JSON object with a truthy ``error`` is an error (D19)."""
    # Middleware can return any object; results that cannot be parsed are not errors.
    with contextlib.suppress(Exception):
        parsed = json.loads(result) if isinstance(result, str) else result
        if isinstance(parsed, dict) and parsed.get("error"):
            return Outcome("error", "tool_error", str(parsed["error"]))
    failure = find_failure(tool, result, behaviour) if behaviour.failures_reported else None
    return Outcome("ok", None, None) if failure is None else Outcome("error", "tool_error", failure or None)


def find_failure(tool: str, result: object, behaviour: Behaviour) -> str | None:
    """Return a short description of the failure that the agent loop finds in a result, or None."""
    if not isinstance(result, str) or is_file_change(tool, result):
        return None
    fields = _parse_object(result)
    if behaviour.refusals_are_no_failures and fields.get("guardrail_refusal") is True:
        return None
    error = fields.get("error")
    if tool == "terminal":
        code = fields.get("exit_code")
        return None if code in (None, 0) else _shorten(error) if error else f"exit {code}"
    if tool == "memory" and fields.get("success") is False and "exceed the limit" in str(error):
        return "full"
    reason = error or fields.get("message")
    if reason and (fields.get("success") is False or "error" in fields):
        return _shorten(reason)
    start = result[:500].lower()
    return "error" if '"error"' in start or '"failed"' in start or result.startswith("Error") else None


def is_file_change(tool: str, result: object) -> bool:
    """Return whether a result reports a changed file."""
    if tool not in ("write_file", "patch") or not isinstance(result, str):
        return False
    fields = _parse_object(result)
    if fields.get("error"):
        return False
    return "bytes_written" in fields if tool == "write_file" else fields.get("success") is True


def _parse_object(text: str) -> dict[str, Any]:
    try:
        parsed = json.loads(text)
    except ValueError:
        return {}
    return parsed if isinstance(parsed, dict) else {}


def _shorten(error: object) -> str:
    text = str(error).strip()
    _, label, path = text.partition("File not found:")
    if label and "/" in path:
        text = f"File not found: {path.strip().rsplit('/', 1)[-1]}"
    if len(text) > _MAX_FAILURE:
        text = f"{text[: _MAX_FAILURE - 3]}..."
    return text.strip("[]")


def sanitise_error(message: str, *, bounded: bool) -> str:
    """Remove markup that a model could mistake for conversation structure from an error message, and mark it.

    Removes role-like tags, then code fences at the edges of lines, then CDATA sections. Truncates the rest to 2000
    characters, or slightly more if all errors are `bounded` (C24).
    """
    for frame in _MARKUP:
        message = re.sub(frame, "", message)
    limit = _MAX_BOUNDED_ERROR if bounded else _MAX_ERROR
    if len(message) > limit:
        message = message[: limit - 3] + "..."
    return f"[TOOL_ERROR] {message}"


def bound_error(message: str) -> str:
    """Truncate an error message to the maximum length for a model."""
    return message if len(message) <= _MAX_BOUNDED_ERROR else f"{message[:_MAX_BOUNDED_ERROR]}… [truncated]"


def bound_result(result: str) -> str:
    """Truncate the error in a result that is a JSON object."""
    if len(result) <= _MAX_BOUNDED_ERROR or '"error"' not in result:
        return result
    try:
        parsed = json.loads(result)
    except ValueError:
        return result
    error = parsed.get("error") if isinstance(parsed, dict) else None
    if not isinstance(error, str) or len(error) <= _MAX_BOUNDED_ERROR:
        return result
    return json.dumps({**parsed, "error": bound_error(error)}, ensure_ascii=False)


def keeps_contract(result: object) -> bool:
    """Return whether the host accepts a handler's result: text, or a multimodal mapping (C23)."""
    if isinstance(result, str):
        return True
    return isinstance(result, dict) and result.get("_multimodal") is True and isinstance(result.get("content"), list)


def contract_error(tool: str, result: object) -> str:
    """Build the error result that replaces a result of an unsupported type."""
    kind = type(result).__name__
    answer: dict[str, Any] = {
        "error": f"Tool handler returned unsupported result type: {kind}",
        "error_type": "tool_result_contract",
        "tool": tool,
        "result_type": kind,
    }
    return json.dumps(answer, ensure_ascii=False)


def tool_error(message: Any, **extra: Any) -> str:
    """Serialise an error result."""
    return json.dumps({"error": str(message), **extra}, ensure_ascii=False)


def tool_result(data: Any = None, **kwargs: Any) -> str:
    """Serialise a result."""
    return json.dumps(kwargs if data is None else data, ensure_ascii=False)
