"""``python -m hermes_sdk``: the same as ``hermes-sdk``, for environments whose scripts are not on PATH."""

from __future__ import annotations

from hermes_sdk.cli.main import run

if __name__ == "__main__":
    run()
