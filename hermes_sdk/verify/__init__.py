"""Decide whether a plugin can be shipped: one verdict from the check, the types, the tests and the contract suite.

`verification` runs the steps side by side, `verdict` is their result in the order in which to fix it, `types` runs the
type checker that the project configures, and `report` shows a verdict. It has no rules: each step is what another
command does.
"""

from __future__ import annotations

from hermes_sdk.verify.verdict import Failure, Step, Verdict
from hermes_sdk.verify.verification import verify

__all__ = ["Failure", "Step", "Verdict", "verify"]
