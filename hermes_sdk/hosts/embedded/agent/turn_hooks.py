"""The hooks of a turn: their arguments, and the effects of their results (D8 to D37)."""

from __future__ import annotations

import contextlib
import uuid
from collections.abc import Collection, Mapping
from pathlib import Path
from typing import Any

from hermes_sdk.hosts.embedded.agent.session import Session, TurnIds
from hermes_sdk.hosts.embedded.builtins.tool import to_int
from hermes_sdk.hosts.embedded.state import HostState

_MAX_CHARACTERS = 10_000
_PREVIEW = 500


class TurnHooks:
    """Fires the hooks of one turn; `text` is the user's message."""

    def __init__(self, session: Session, ids: TurnIds, text: str) -> None:
        self._session = session
        self._hooks = session.runtime.hooks
        self._text = text
        # Keep the host's order: Python's error about unexpected arguments names the first argument.
        self._ids = ids._asdict()
        self._place = {"model": session.settings.model, "platform": session.platform}

    def collect_context(self, *, is_first_turn: bool) -> list[str]:
        """Return the additions of ``pre_llm_call`` callbacks to the user's message (D27)."""
        session = self._session
        answers = self._hooks.fire(
            "pre_llm_call",
            **self._ids,
            user_message=self._text,
            conversation_history=list(session.history),
            is_first_turn=is_first_turn,
            **self._place,
            parent_session_id=session.parent_id,
            sender_id=session.origin.sender_id if session.origin else "",
        )
        pieces = [piece for answer in answers if (piece := _read_context(answer))]
        spill = session.settings.section("hooks").get("output_spill")
        settings = spill if isinstance(spill, Mapping) else {}
        return [_spill(piece, settings, session.runtime.state, session.id) for piece in pieces]

    def request_verification(self, reply: str, attempt: int, changed_paths: Collection[str]) -> str | None:
        """Fire ``pre_verify`` at the end of a turn that changed files; return its instruction, or None (D35)."""
        answers = self._hooks.fire(
            "pre_verify",
            session_id=self._session.id,
            platform=self._session.platform,
            model=self._session.settings.model,
            coding=False,
            attempt=attempt,
            final_response=reply,
            changed_paths=sorted(changed_paths),
        )
        return next((text for answer in answers if (text := _read_continuation(answer))), None)

    def transform_reply(self, reply: str) -> str:
        """Apply ``transform_llm_output`` to the reply."""
        answers = self._hooks.fire(
            "transform_llm_output",
            response_text=reply,
            session_id=self._session.id,
            **self._place,
            turn_id=self._ids["turn_id"],
        )
        return next((answer for answer in answers if isinstance(answer, str) and answer), reply)

    def report_reply(self, text: str, reply: str) -> None:
        """Fire ``post_llm_call``; `text` is the user's message with corrections made during the turn."""
        self._hooks.fire(
            "post_llm_call",
            **self._ids,
            user_message=text,
            assistant_response=reply,
            conversation_history=list(self._session.history),
            **self._place,
        )

    def report_end(self, *, completed: bool, interrupted: bool, exit_reason: str) -> None:
        """Fire ``on_session_end``, as the host does at the end of each turn."""
        self._hooks.fire(
            "on_session_end",
            **self._ids,
            completed=completed,
            # A failed request ends the turn without this hook.
            failed=False,
            interrupted=interrupted,
            turn_exit_reason=exit_reason,
            **self._place,
        )


def _read_context(answer: Any) -> str:
    if isinstance(answer, dict) and answer.get("context"):
        return str(answer["context"])
    return answer if isinstance(answer, str) and answer.strip() else ""


def _read_continuation(answer: Any) -> str | None:
    if not isinstance(answer, dict) or not {answer.get("action"), answer.get("decision")} & {"continue", "block"}:
        return None
    texts = (answer.get("message"), answer.get("reason"))
    return next((text.strip() for text in texts if isinstance(text, str) and text.strip()), None)


def _spill(text: str, settings: Mapping[str, Any], state: HostState, session_id: str) -> str:
    """Save a text that is too long to a file, and return its beginning, its end and the path (D29)."""
    enabled = settings.get("enabled")
    limit = _read_number(settings, "max_chars", _MAX_CHARACTERS, least=1)
    if (enabled is not None and not enabled) or len(text) <= limit:
        return text
    directory = settings.get("directory")
    base = (
        Path(directory).expanduser() if isinstance(directory, str) and directory else state.home.path / "hook_outputs"
    )
    segment = session_id.replace("/", "_").replace("\\", "_").replace("..", "_")
    path = base / segment / f"{uuid.uuid4().hex}.txt"
    place = "unavailable — spill write failed"
    with contextlib.suppress(OSError):
        path.parent.mkdir(parents=True, exist_ok=True)
        if state.behaviour.spills_private:
            if path.parent.is_symlink():
                raise NotADirectoryError(path.parent)
            path.parent.chmod(0o700)
            path.touch(0o600)
        path.write_text(text if text.endswith("\n") else f"{text}\n", encoding="utf-8")
        place = f"saved to {path}"
    lines = [f"[plugin hook output truncated — {len(text):,} chars; full content {place}]"]
    if head := text[: _read_number(settings, "preview_head", _PREVIEW, least=0)]:
        lines += ["--- head ---", head]
    tail = _read_number(settings, "preview_tail", _PREVIEW, least=0)
    if tail and len(text) > len(head):
        lines += ["--- tail ---", text[-tail:]]
    return "\n".join(lines)


def _read_number(settings: Mapping[str, Any], key: str, default: int, *, least: int) -> int:
    value = to_int(settings.get(key, default), default)
    return value if value >= least else default
