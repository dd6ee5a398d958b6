"""The rules of the contract suites, as a plugin: a suite puts it into the home beside the plugin under test.

So the same rules run inside of either host, in its process and with its classes. It needs the standard library only.
"""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

COMMAND = "hermes-sdk-contract"
QUESTION = "hermes-sdk-contract.json"
"""The file in the home with the test settings: what `running.run_named_rule` takes, except the code of the rule."""


def register(ctx: Any) -> None:
    """Offer the command by which a suite asks for one rule; its argument is a code, and its answer is JSON."""

    def hold(code: str) -> str:
        from .running import run_named_rule

        asked = json.loads(Path(os.environ["HERMES_HOME"], QUESTION).read_text("utf-8"))
        return json.dumps(run_named_rule(ctx, {**asked, "code": code.strip()}))

    ctx.register_command(COMMAND, hold, description="Test a plugin against a rule")
