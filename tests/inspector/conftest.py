"""Plugins for the inspector, and a browser."""

from __future__ import annotations

from collections.abc import Generator
from pathlib import Path

import pytest
from chromium import launch, open_page
from inspector.serving import Inspector, serve
from playwright.sync_api import Browser, Page

BODY = """
import json

SCHEMA = {
    "name": "total",
    "description": "Adds numbers.",
    "parameters": {"type": "object", "properties": {"numbers": {"type": "array", "items": {"type": "integer"}}}},
}


def total(args, **more):
    return json.dumps({"total": sum(args["numbers"])})


def remind(user_message=None, **more):
    return {"context": f"They said {user_message.upper()}"}


def register(ctx):
    ctx.register_tool("total", "sums", SCHEMA, total)
    ctx.register_hook("pre_llm_call", remind)
    ctx.register_command("echo", lambda line: f"echo {line}", "Echo.")
"""


def write(folder: Path, body: str, provides: str = "") -> Path:
    folder.mkdir()
    (folder / "plugin.yaml").write_text(f"name: {folder.name}\nversion: 1.0.0\nkind: standalone\n{provides}")
    (folder / "__init__.py").write_text(body)
    return folder


def write_plugin(parent: Path) -> Path:
    return write(parent / "sums", BODY)


@pytest.fixture
def plugin(tmp_path: Path) -> Path:
    return write_plugin(tmp_path)


RESERVE = """
import json
import logging

LOG = logging.getLogger(__name__)
GUEST = {
    "type": "object",
    "properties": {"name": {"type": "string"}, "age": {"type": "integer", "nullable": True}},
    "required": ["name", "age"],
}
ITEM = {"type": "object", "properties": {"what": {"type": "string"}, "price": {"type": "number"}}, "required": ["what"]}
CARD = {"title": "Card", "type": "object", "properties": {"number": {"type": "string"}}, "required": ["number"]}
INVOICE = {"title": "Invoice", "type": "object", "properties": {"company": {"type": "string"}}, "required": ["company"]}
SCHEMA = {
    "name": "reserve",
    "description": "Reserves a room.",
    "parameters": {
        "type": "object",
        "properties": {
            "guest": GUEST,
            "room": {"enum": ["single", "double"]},
            "extras": {"type": "array", "items": ITEM},
            "payment": {"anyOf": [CARD, INVOICE]},
            "late": {"type": "boolean"},
        },
        "required": ["guest", "room", "extras", "payment"],
    },
}


def reserve(args, **more):
    LOG.info("reserving")
    return json.dumps({"reserved": args})


def remind(user_message=None, **more):
    return {"context": f"The guest said {user_message.upper()}"}


def register(ctx):
    ctx.register_tool("reserve", "hotel", SCHEMA, reserve)
    ctx.register_hook("pre_llm_call", remind)
    ctx.register_command("rooms", lambda line: f"{line or 'all'} rooms are free", "List free rooms.")
"""


def write_hotel(parent: Path) -> Path:
    """Write a plugin with a tool whose schema is nested."""
    return write(parent / "hotel", RESERVE, "provides_tools: [reserve]\nprovides_hooks: [pre_llm_call]\n")


@pytest.fixture(scope="module")
def chromium() -> Generator[Browser]:
    with launch() as browser:
        yield browser


@pytest.fixture(scope="module")
def hotel(tmp_path_factory: pytest.TempPathFactory) -> Generator[Inspector]:
    with serve(write_hotel(tmp_path_factory.mktemp("hotel"))) as inspector:
        yield inspector


@pytest.fixture
def page(chromium: Browser, hotel: Inspector) -> Generator[Page]:
    """Return the page of a plugin that no test changes."""
    with open_page(chromium, hotel.take_address()) as page:
        yield page
