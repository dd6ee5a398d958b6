"""The hooks around a wait for a person: ``on_human_input_request`` and ``on_human_input_resolved`` (N57)."""

from __future__ import annotations

import os
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass

from hermes_sdk.hosts.embedded.hooks import Hooks


@dataclass
class HumanInput:
    """A wait for a person; how it ended is an error unless `outcome` is set."""

    outcome: str = "error"


@contextmanager
def wait_for_person(
    hooks: Hooks, prompt: str, *, session_id: str, session_key: str, platform: str = ""
) -> Generator[HumanInput]:
    """Fire the hooks around the wait for an approval; the default platform is that of the environment."""
    wait = HumanInput()
    about = {
        "kind": "approval",
        "request_id": os.urandom(16).hex(),
        "session_id": session_id,
        "session_key": session_key,
        "platform": platform or os.environ.get("HERMES_PLATFORM") or os.environ.get("HERMES_SESSION_PLATFORM") or "cli",
        "prompt": prompt,
    }
    hooks.fire("on_human_input_request", **about)
    try:
        yield wait
    finally:
        hooks.fire("on_human_input_resolved", **about, outcome=wait.outcome)
