"""HS319 finds calls of async functions that are not awaited, and nothing else."""

from pathlib import Path

import pytest

from hermes_sdk.check.engine import check
from hermes_sdk.check.options import Options
from hermes_sdk.check.rule import NOTHING, Example, example

HEAD = """\
import asyncio
import json
from . import stores
from .stores import Store, find

async def look(): return {}
async def each(): yield 1
@asyncio.coroutine
async def wrapped(): ...
"""
STORES = """\
class Store:
    @classmethod
    async def open(cls): return cls()
    async def read(self):
        return self.rows()[0]
    async def rows(self): return []
async def find(): return []
"""


def find(files: Example, write) -> list[tuple[str, int, str]]:
    found = check(write(files), Options(static=True)).findings
    return [(Path(one.path).name, one.line, one.message) for one in found if one.code == "HS319"]


def find_messages(expression: str, write) -> list[str]:
    source = f"{HEAD}\n\ndef use(task):\n    {expression}\n\n\n{NOTHING}"
    files = example(source, files={"stores.py": STORES.replace("self.rows()[0]", "await self.rows()")})
    return [message for _, line, message in find(files, write) if line == 13]


@pytest.mark.parametrize(
    ("expression", "place"),
    [
        ("look()", "__init__.py:6"),
        ("return look()['text']", "__init__.py:6"),
        ("return look().text", "__init__.py:6"),
        ("return f'{look()}'", "__init__.py:6"),
        ("return json.dumps(look())", "__init__.py:6"),
        ("print(find())", "stores.py:7"),
        ("return len(stores.find())", "stores.py:7"),
        ("return Store.open().rows", "stores.py:3"),
        ("return [str(look()) for _ in task]", "__init__.py:6"),
    ],
)
def test_coroutine_used_as_a_value_is_found(expression: str, place: str, write):
    assert find_messages(expression, write) == [
        f"the async function at {place} is called here, and its coroutine is not awaited"
    ]


def test_coroutine_of_a_method_of_self_is_found(write):
    assert [(name, line) for name, line, _ in find(example(files={"stores.py": STORES}), write)] == [("stores.py", 5)]


@pytest.mark.parametrize(
    "expression",
    [
        "asyncio.run(look())",
        "task(look())",
        "work = look()",
        "return look()",
        "look().close()",
        "return look().cr_frame",
        "return each().__anext__",
        "return wrapped()['text']",
        "task.look()",
        "print(task.rows())",
        "return [asyncio.run(look())]",
    ],
)
def test_coroutine_that_may_be_awaited_is_not_reported(expression: str, write):
    assert find_messages(expression, write) == []
