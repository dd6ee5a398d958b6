"""`hermes-sdk check --fix`: check, repair, and check again until nothing is left that can be repaired."""

from __future__ import annotations

from pathlib import Path

from hermes_sdk.check.engine import check
from hermes_sdk.check.model import Result
from hermes_sdk.check.options import Options
from hermes_sdk.check.repair import repair

_ROUNDS = 10


def fix(path: Path, options: Options, *, unsafe: bool = False) -> tuple[Result, int]:
    """Repair what can be repaired in place.

    Repairs that overlap are made in turn, each after a new check.

    Args:
        path: As for `check`.
        options: As for `check`.
        unsafe: Whether to apply repairs that are not safe, too.

    Returns:
        What is still found, and how many findings were repaired.

    Raises:
        HermesSdkError: As `check` does; UnavailableError also when a file cannot be written.
    """
    count = 0
    result = check(path, options)
    for _ in range(_ROUNDS):
        done = repair(result.findings, result.base, unsafe=unsafe)
        if not done.findings:
            break
        done.write(result.base)
        count += len(done.findings)
        result = check(path, options)
    return result, count
