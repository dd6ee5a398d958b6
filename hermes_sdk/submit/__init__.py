"""Preparation of a plugin's entry in the public catalog of Hermes: admission checks, the entry, and the pull request.

`submission` runs the checks on the committed plugin, `entry` renders the file for the catalog, `pull_request` the text
of the pull request, and `preparation` applies fixes to the project. Nothing is pushed or sent.
"""

from __future__ import annotations

from hermes_sdk.submit.preparation import prepare
from hermes_sdk.submit.submission import Policy, Step, Submission, submit

__all__ = ["Policy", "Step", "Submission", "prepare", "submit"]
