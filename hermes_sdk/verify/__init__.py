"""Decide whether a plugin can be shipped: one verdict from the check, the types, the tests and the contract suite.

`verification` runs the steps in parallel, `judgement` turns their results into failures in the order of repair,
`verdict` is the result, `types` runs the type checker of the project, `notes` finds placeholders and uncommitted work,
and `report` formats a verdict. The package has no rules of its own: each step does the same as another command.
"""

from __future__ import annotations

from hermes_sdk.verify.verdict import Failure, Step, Verdict
from hermes_sdk.verify.verification import verify

__all__ = ["Failure", "Step", "Verdict", "verify"]
