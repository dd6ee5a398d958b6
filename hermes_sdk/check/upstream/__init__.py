"""Results of Hermes' own checks of a plugin, as findings and compared with our rules.

`verdicts` runs these checks on an installed Hermes and reads their results; `table` maps each check to our rules and to
advice, and finds the file and line of a message. Must not check the plugin itself.
"""

from __future__ import annotations

from hermes_sdk.check.upstream.verdicts import Shipped, add_verdicts, choose_release, judge

__all__ = ["Shipped", "add_verdicts", "choose_release", "judge"]
