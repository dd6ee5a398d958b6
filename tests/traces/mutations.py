"""Mutations of traces: values with another type, missing, moved, huge or deeply nested."""

from __future__ import annotations

import copy
import json
from collections.abc import Iterator
from random import Random
from typing import Any

CODE = '").clear(); __import__("os").system("true"); x = ("'
_TEXTS = (
    "",
    "\ud800",
    "\x00",
    "a\n    b",
    "{files}",
    "..",
    "/etc/passwd",
    "__class__",
    "pre_llm_call",
    "PRE_TOOL_CALL",
    "== snapshot(",
    "@pytest.",
    '"""',
    "'\\",
    "<home>/x <uuid 1>",
    "x" * 5_000,
    CODE,
)


def _nest(depth: int, *, lists: bool) -> Any:
    value: Any = 0
    for _ in range(depth):
        value = [value] if lists else {"a": value}
    return value


_VALUES: tuple[Any, ...] = (
    *_TEXTS,
    *(None, True, False, 0, -1, 1.5, 10**400, -(10**18), float("nan"), float("inf"), 1e308),
    *([], {}, [[]], [None], {"": ""}, ["a", 1, {}], {"action": {}}, {"action": "block"}, {"context": 5}),
    *({"__type__": "Answer", "tool_calls": 5}, {"role": [], "content": {}}, json.dumps(_nest(150, lists=True))),
    *(_nest(60, lists=True), _nest(150, lists=False), _nest(150, lists=True)),
)


def mutate(lines: list[str], random: Random) -> bytes:
    """Change a trace in up to five places."""
    values = [json.loads(line) for line in lines]
    for _ in range(random.randint(1, 5)):
        _change(values, random)
    content = "\n".join(json.dumps(one, ensure_ascii=False) for one in values).encode("utf-8", "surrogatepass")
    return _corrupt(content, random) if random.random() < 0.05 else content


def _change(values: list[Any], random: Random) -> None:
    events = [one for one in values[1:] if isinstance(one, dict)]
    event = random.choice(events) if events else {}
    match random.randrange(10):
        case 0:
            values.insert(random.randint(1, len(values)), copy.deepcopy(event))
        case 1 if len(values) > 1:
            del values[random.randint(1, len(values)) - 1]
        case 2:
            event["name"] = random.choice(_TEXTS)
        case 3:
            odd = {"name": random.choice(_TEXTS), "raised": random.choice(_TEXTS), "kind": "hook"}
            event |= {**odd, "returned": copy.deepcopy(random.choice(_VALUES))}
        case 4:
            event["kind"] = random.choice(["hook", "middleware", "turn", "message", "llm_request", "adapter", "memory"])
        case _:
            places = [*_list_places(random.choice([values[0], event, event, event]))]
            if places:
                value = random.choice([*_VALUES, random.choice(places)[0]])
                _replace(*random.choice(places), copy.deepcopy(value), random)


def _replace(holder: Any, key: Any, value: Any, random: Random) -> None:
    chance = random.random()
    if chance < 0.7:
        holder[key] = value
    elif chance < 0.85:
        del holder[key]
    elif isinstance(holder, dict):
        holder[random.choice(_TEXTS)] = holder.pop(key)
    else:
        holder.append(copy.deepcopy(holder[key]))


def _list_places(value: Any) -> Iterator[tuple[Any, Any]]:
    """Yield the mappings and lists in a value with each of their keys."""
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, item in items:
        yield value, key
        yield from _list_places(item)


def _corrupt(content: bytes, random: Random) -> bytes:
    """Truncate a text, or insert bytes."""
    at = random.randrange(len(content) + 1)
    return content[:at] + random.choice([b"", b"\xff", b"\n", b"{", b"[" * 1_000, b"\x00", content])
