"""Tool search on releases whose bridge tools take lists: searches, names, and calls (C15)."""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Any

from hermes_sdk.contract import Behaviour
from hermes_sdk.hosts.embedded.agent.tool_search import (
    BRIDGES,
    CALL,
    DESCRIBE,
    SEARCH,
    Definition,
    ToolSearch,
    UnresolvedCall,
    define_bridge,
)
from hermes_sdk.hosts.embedded.wording import Wording

_MOST_SEARCHES = 7
_MOST_NAMES = 10
_CONNECTOR = "connectors__"
_MISSING = "Names in not_found are not currently available. Search once more."


class ListedToolSearch(ToolSearch):
    """The tools of a session; the remaining arguments are those of `ToolSearch`."""

    def __init__(
        self,
        tools: Sequence[Definition],
        setting: Any,
        context_length: int,
        toolset_of: Callable[[str], str | None],
        behaviour: Behaviour,
        *,
        registered: Collection[str],
        wording: Wording,
        unsupported: Callable[[str], Exception],
    ) -> None:
        self._registered = registered
        self._wording = wording
        self._unsupported = unsupported
        self._takes_calls = behaviour.deferred_calls_listed
        super().__init__(tools, setting, context_length, toolset_of, behaviour)

    def resolve(self, args: Mapping[str, Any]) -> tuple[str, dict[str, Any]]:
        """Return the tool and the arguments of the only call; raise `UnresolvedCall` if it reaches none."""
        if not self._takes_calls:
            return super().resolve(args)
        entries = [_read_entry(entry, number) for number, entry in enumerate(_read_calls(args))]
        name, arguments = entries[0]
        if any(one.startswith(_CONNECTOR) for one, _ in entries):
            raise self._unsupported("call tools of connected apps")
        if len(entries) > 1:
            raise self._unsupported("call several deferred tools at once")
        if self._toolset_of(name) is None:
            raise UnresolvedCall(self._refuse_name(name))
        self._check_call(name, arguments)
        return name, arguments

    def _refuse_name(self, name: str) -> str:
        if name in self._registered:
            return self._wording("tool_search.listed", name=name)
        near = sorted(one for one in self._registered if one.endswith(f"__{name}"))
        hint = f"Did you mean {', '.join(map(repr, near))}?" if near else "Use tool_search to find the exact name."
        return self._wording("tool_search.unknown", name=name, hint=hint)

    def _search(self, args: Mapping[str, Any]) -> str:
        most = _MOST_SEARCHES if self._takes_calls else _MOST_NAMES
        _read_texts(args, "queries", most, "Retry with fewer, more targeted queries.")
        # The host compares the stems of words.
        raise self._unsupported("find tools by words")

    def _describe(self, args: Mapping[str, Any]) -> str:
        names = dict.fromkeys(_read_texts(args, "names", _MOST_NAMES, "Retry with fewer names per call."))
        found: dict[str, Any] = {"tools": {}}
        missing, errors = [], {}
        for name in names:
            if name.startswith(_CONNECTOR):
                raise self._unsupported("describe tools of connected apps")
            if name in self._deferred:
                function = self._deferred[name]["function"]
                about = {key: function.get(key, empty) for key, empty in (("description", ""), ("parameters", {}))}
                found["tools"][name] = about
            elif name in self._registered and self._toolset_of(name) is None:
                errors[name] = self._wording("tool_search.described", name=name)
            else:
                missing.append(name)
        if missing:
            found |= {"not_found": missing, "hint": _MISSING}
        return json.dumps({**found, "errors": errors} if errors else found, ensure_ascii=False)

    def _define_bridges(self) -> list[Definition]:
        texts = {"type": "array", "items": {"type": "string"}}
        entry = {"name": {"type": "string"}, "arguments": {"type": "object"}}
        calls = {"type": "array", "items": {"type": "object", "properties": entry, "required": list(entry)}}
        asked = {"calls": calls} if self._takes_calls else entry
        return [
            define_bridge(
                SEARCH,
                f"Find some of the {len(self._deferred)} further tools by what they do.",
                {"queries": texts, "limit": {"type": "integer"}},
                ["queries"],
            ),
            define_bridge(DESCRIBE, "Tell which arguments further tools take.", {"names": texts}, ["names"]),
            define_bridge(CALL, "Call a further tool.", asked, list(asked)),
        ]


def _read_texts(args: Mapping[str, Any], key: str, most: int, advice: str) -> list[str]:
    """Read a list of texts; a text alone is a list of one."""
    given = args.get(key)
    given = [given] if isinstance(given, str) else given
    if not isinstance(given, list):
        raise UnresolvedCall(f"{key} is required and must be an array of strings")
    texts = [text for one in given if (text := str(one or "").strip())]
    if not texts:
        raise UnresolvedCall(f"{key} is required and must contain at least one non-empty string")
    count = len(set(texts)) if key == "names" else len(texts)
    if count > most:
        raise UnresolvedCall(f"too many {key}: {count} > max {most}. {advice}")
    return texts


def _read_calls(args: Mapping[str, Any]) -> list[Any]:
    """Read the calls of ``tool_call``, which may also name one tool as on earlier releases."""
    calls = args.get("calls")
    if calls is None:
        if not str(args.get("name") or "").strip():
            raise UnresolvedCall("tool_call requires 'calls' (an array of {name, arguments})")
        return [{"name": args.get("name"), "arguments": args.get("arguments")}]
    if isinstance(calls, str):
        try:
            calls = json.loads(calls)
        except ValueError as error:
            raise UnresolvedCall(f"tool_call 'calls' is not valid JSON: {error}") from None
    calls = [calls] if isinstance(calls, dict) else calls
    if not isinstance(calls, list) or not calls:
        raise UnresolvedCall("tool_call 'calls' must be a non-empty array of {name, arguments}")
    return calls


def _read_entry(entry: Any, number: int) -> tuple[str, dict[str, Any]]:
    """Read one call: the name of the tool, and its arguments."""
    place = f"tool_call calls[{number}]"
    if not isinstance(entry, dict):
        raise UnresolvedCall(f"{place} must be an object with 'name' and 'arguments'")
    name, arguments = str(entry.get("name") or "").strip(), entry.get("arguments")
    if not name:
        raise UnresolvedCall(f"{place} requires a 'name'")
    if name in BRIDGES:
        raise UnresolvedCall(f"tool_call cannot invoke '{name}' (it is itself a bridge tool)")
    if isinstance(arguments, str) and arguments.strip():
        try:
            arguments = json.loads(arguments)
        except ValueError as error:
            raise UnresolvedCall(f"{place}.arguments is not valid JSON: {error}") from None
    if arguments is None or arguments == "" or (isinstance(arguments, str) and not arguments.strip()):
        arguments = {}
    if not isinstance(arguments, dict):
        raise UnresolvedCall(f"{place}.arguments must be an object")
    return name, arguments
