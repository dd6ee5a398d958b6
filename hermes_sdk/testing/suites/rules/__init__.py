"""The rules of the contract suites, as a plugin that a suite installs next to the plugin under test.

The same rules run inside both hosts, in their process and with their classes. They need only the standard library.
"""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

COMMAND = "hermes-sdk-contract"
QUESTION = "hermes-sdk-contract.json"
"""File in the home with the arguments of `running.run_named_rule`, except the code of the rule."""


def register(ctx: Any) -> None:
    """Register the command that runs one rule, given by its code, and returns the result as JSON."""

    def run_rule(code: str) -> str:
        from .running import run_named_rule

        asked = json.loads(Path(os.environ["HERMES_HOME"], QUESTION).read_text("utf-8"))
        return json.dumps(run_named_rule(ctx, {**asked, "code": code.strip()}))

    ctx.register_command(COMMAND, run_rule, description="Test a plugin against a rule")
