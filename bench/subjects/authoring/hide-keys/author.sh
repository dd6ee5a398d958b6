#!/bin/sh
set -eu
hermes-sdk new plugin --no-input --bare --name "Hide Keys"
cd hide-keys
hermes-sdk contract show hook transform_tool_result
hermes-sdk add hook transform_tool_result

cat > hide_keys/__init__.py <<'END'
"""Hide Keys, a plugin for Hermes Agent. Hermes calls `register`."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Unpack

if TYPE_CHECKING:
    from hermes_sdk.api import PluginContext, TransformToolResultArguments

_TOKEN = re.compile(r"acme_[A-Za-z0-9]{24}")


def transform_tool_result(**kwargs: Unpack[TransformToolResultArguments]) -> str | None:
    """Replace tokens in the result of a tool."""
    result = kwargs["result"]
    text = result if isinstance(result, str) else json.dumps(result)
    return _TOKEN.sub("[hidden]", text) if _TOKEN.search(text) else None


def register(ctx: PluginContext) -> None:
    """Register the hook. Hermes calls it once, when it loads the plugin."""
    ctx.register_hook("transform_tool_result", transform_tool_result)
END
sed -i '/on_session_start/d' hide_keys/plugin.yaml
cat > tests/test_hooks.py <<'END'
"""The hook, in the host of hermes-sdk."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from hermes_sdk.testing import Host

TOKEN = "acme_" + "a1B2" * 6


def test_a_token_is_hidden(hermes: Host) -> None:
    assert hermes.fire("transform_tool_result", result=f"key={TOKEN};") == ["key=[hidden];"]


def test_other_results_stay(hermes: Host) -> None:
    assert hermes.fire("transform_tool_result", result="acme_ is ours") == []
END
hermes-sdk verify
