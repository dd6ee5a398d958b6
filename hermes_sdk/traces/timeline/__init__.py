"""The timeline of a run as HTML: who did what, in order. `hermes-sdk view` and the inspector show it.

Templates write the rows, so one engine escapes every text and a page can be skimmed without its script. The events
themselves are data of the list, which the script shows on demand: a long trace has megabytes of them, most of them the
same messages again and again.
"""

from __future__ import annotations

from hermes_sdk.traces.timeline.effects import Outcome, find_outcome
from hermes_sdk.traces.timeline.page import (
    FOLDER,
    Row,
    Timeline,
    find_indents,
    make_environment,
    make_timeline,
    render_page,
)

__all__ = [
    "FOLDER",
    "Outcome",
    "Row",
    "Timeline",
    "find_indents",
    "find_outcome",
    "make_environment",
    "make_timeline",
    "render_page",
]
