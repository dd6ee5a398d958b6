"""The rules of the contract suites, as a plugin: a suite puts it into the home beside the plugin under test.

So the same rules run inside of either host, in its process and with its classes. It needs the standard library only.
"""

from __future__ import annotations

import json
from typing import Any

COMMAND = "hermes-sdk-contract"


def register(ctx: Any) -> None:
    """Offer the command by which a suite asks for one rule; its argument and its answer are JSON."""

    def hold(line: str) -> str:
        from .running import held

        return json.dumps(held(ctx, json.loads(line)))

    ctx.register_command(COMMAND, hold, description="Hold a rule")
