"""What calls return to a test."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any, Literal


@dataclass(frozen=True)
class ToolResult:
    """What the model would receive for one tool call.

    Attributes:
        value: The result as the host passes it on: text, or the mapping of a multimodal result.
    """

    value: Any

    @property
    def text(self) -> str:
        """The result as text; a value that is not text is shown as JSON."""
        return self.value if isinstance(self.value, str) else json.dumps(self.value, default=repr)

    @property
    def json(self) -> Any:
        """The result parsed as JSON; raises ValueError when it is not JSON."""
        return json.loads(self.text)

    @property
    def error(self) -> str | None:
        """The text under ``error`` when the result is an object that reports one, else None."""
        try:
            parsed = self.json
        except ValueError:
            return None
        found = parsed.get("error") if isinstance(parsed, dict) else None
        return str(found) if found else None

    @property
    def status(self) -> Literal["ok", "error"]:
        """``error`` when the result reports an error, by the host's own rule, else ``ok``."""
        return "error" if self.error else "ok"


@dataclass(frozen=True)
class CliResult:
    """How one ``hermes <command>`` ended."""

    exit_code: int
    stdout: str
    stderr: str
