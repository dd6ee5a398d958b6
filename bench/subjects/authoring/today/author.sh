#!/bin/sh
set -eu
hermes-sdk new plugin --no-input --bare --name "Today"
cd today
hermes-sdk contract show hook pre_llm_call
hermes-sdk add hook pre_llm_call

cat > today/__init__.py <<'END'
"""Today, a plugin for Hermes Agent. Hermes calls `register`."""

from __future__ import annotations

from datetime import date
from typing import TYPE_CHECKING, Unpack

if TYPE_CHECKING:
    from hermes_sdk.api import PluginContext, PreLlmCallArguments, PreLlmCallResult


def pre_llm_call(**kwargs: Unpack[PreLlmCallArguments]) -> PreLlmCallResult | None:
    """Add the date to the first message of a session."""
    return {"context": f"Today is {date.today().isoformat()}."} if kwargs["is_first_turn"] else None


def register(ctx: PluginContext) -> None:
    """Register the hook. Hermes calls it once, when it loads the plugin."""
    ctx.register_hook("pre_llm_call", pre_llm_call)
END
sed -i '/on_session_start/d' today/plugin.yaml
cat > tests/test_hooks.py <<'END'
"""The hook, in the host of hermes-sdk."""

from __future__ import annotations

from datetime import date
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from hermes_sdk.testing import Host


def test_the_first_message_has_the_date(hermes: Host) -> None:
    hermes.llm.script("Hi.", "Hi again.")
    hermes.chat("Hello")
    hermes.chat("Hello again")

    first, second = (request.user_text for request in hermes.llm.requests)
    assert date.today().isoformat() in first
    assert second == "Hello again"
END
hermes-sdk verify
