"""The timeline of a run as HTML: who did what, in order. `hermes-sdk view` and the inspector show it.

Templates write all of its HTML, so one engine escapes every text, and the page can be read without its script: that
searches, filters and moves the focus.
"""

from __future__ import annotations

from hermes_sdk.traces.timeline.hook_outcomes import Outcome, find_outcome
from hermes_sdk.traces.timeline.page import FOLDER, make_environment, render_page
from hermes_sdk.traces.timeline.rows import Row, Timeline, indents, make_timeline

__all__ = [
    "FOLDER",
    "Outcome",
    "Row",
    "Timeline",
    "find_outcome",
    "indents",
    "make_environment",
    "make_timeline",
    "render_page",
]
