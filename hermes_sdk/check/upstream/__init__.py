"""Answers of an installed host's judges about a plugin, as findings and beside our rules.

`verdicts` asks them and turns each answer into checks that passed or not; `table` knows which of our rules decide
the same, and how to fix what a check found; `places` finds the file and line. Must not decide anything by itself.
"""

from __future__ import annotations

from hermes_sdk.check.upstream.verdicts import Shipped, add_verdicts, choose_release, judge

__all__ = ["Shipped", "add_verdicts", "choose_release", "judge"]
