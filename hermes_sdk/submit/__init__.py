"""Prepare the entry of a plugin in the public catalog of Hermes: what admission would check, and what it is given.

`steps` runs the checks on the plugin as it is committed, `entry` renders the file for the catalog, `pull_request` the
text beside it, and `preparation` changes what can be changed in the project. Nothing is pushed or sent.
"""

from __future__ import annotations

from hermes_sdk.submit.preparation import prepare
from hermes_sdk.submit.submission import Policy, Step, Submission, submit

__all__ = ["Policy", "Step", "Submission", "prepare", "submit"]
