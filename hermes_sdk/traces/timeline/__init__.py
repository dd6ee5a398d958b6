"""Timeline of a run as HTML, for `hermes-sdk view` and the inspector.

Templates write the rows, so that one engine escapes all texts, and pages are readable without JavaScript. The script
shows the data of events on demand, because long traces have megabytes of mostly repeated messages.
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
