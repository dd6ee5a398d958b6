"""A trace as one page of HTML that holds everything, needs no network and runs nothing but its own script."""

from __future__ import annotations

import base64
import hashlib
from pathlib import Path
from typing import TYPE_CHECKING

from hermes_sdk import __version__, contract
from hermes_sdk.traces.timeline.rows import format_value, make_timeline, summarize
from hermes_sdk.traces.trace import Trace

if TYPE_CHECKING:
    from jinja2 import Environment

FOLDER = Path(__file__).parent

_STYLES = ("theme.css", "timeline.css", "page.css")
_SCRIPTS = ("timeline.js",)


def make_environment(*folders: Path) -> Environment:
    """Make the environment of templates that may include ``timeline.html``, with all texts escaped.

    Args:
        *folders: Where further templates are.
    """
    from jinja2 import Environment, FileSystemLoader, StrictUndefined

    environment = Environment(
        loader=FileSystemLoader([*folders, FOLDER / "templates"]),
        autoescape=True,
        undefined=StrictUndefined,
    )
    environment.filters["pretty"] = format_value
    environment.filters["summary"] = summarize
    # The order of a schema is its author's.
    environment.policies["json.dumps_kwargs"] = {"sort_keys": False}
    return environment


def render_page(trace: Trace, title: str) -> str:
    """Render the page of a trace.

    Args:
        title: Its name, such as that of its file.
    """
    timeline = make_timeline(trace.events, contract.load_closest(trace.release))
    style, script = ("".join(_read(name) for name in names) for names in (_STYLES, _SCRIPTS))
    return (
        make_environment()
        .get_template("page.html")
        .render(
            title=title,
            trace=trace,
            release=contract.format_release(trace.release, trace.host),
            timeline=timeline,
            style=style,
            script=script,
            policy=(
                f"default-src 'none'; style-src '{_hash(style)}'; script-src '{_hash(script)}'; "
                "base-uri 'none'; form-action 'none'"
            ),
            version=__version__,
        )
    )


def _read(name: str) -> str:
    return (FOLDER / "static" / name).read_text(encoding="utf-8")


def _hash(text: str) -> str:
    return f"sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}"
