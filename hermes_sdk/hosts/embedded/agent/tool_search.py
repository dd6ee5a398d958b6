"""Tool search: deferred plugin tools, and the three bridge tools that give access to them (C15)."""

from __future__ import annotations

import json
import logging
import math
import re
from collections import Counter
from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Any

from hermes_sdk.contract import Behaviour
from hermes_sdk.hosts.embedded.builtins.tool import to_int
from hermes_sdk.hosts.embedded.wording import Wording

_log = logging.getLogger("tools.tool_search")
SEARCH, DESCRIBE, CALL = "tool_search", "tool_describe", "tool_call"
BRIDGES = frozenset({SEARCH, DESCRIBE, CALL})
_MAX_DESCRIPTION = 400
_DEFAULT_PERCENTAGE = 10.0
_MANY_TOKENS = 20_000
_CHARACTERS_PER_TOKEN = 4
_NO_MATCH = "No tool matches, but these sources have some. Search for a service and an action."
_SATURATION, _LENGTH_WEIGHT = 1.5, 0.75
Definition = dict[str, Any]
_MAX_QUERIES = 7
_MAX_NAMES = 10
_CONNECTOR = "connectors__"
_MISSING = "Names in not_found are not currently available. Search once more."


class UnresolvedCall(Exception):
    """Raised for a bridge call that does not resolve to a tool; the text is for the model."""


class ToolSearch:
    """The tools of a session: offered to the model, or deferred and available through the bridge tools.

    Args:
        tools: The definitions of all tools that the session may use.
        setting: ``tools.tool_search`` of the configuration, of any type.
        context_length: The size of the model's context in tokens; 0 if unknown.
        toolset_of: Returns the toolset of a tool that may be deferred, or None.
    """

    def __init__(
        self,
        tools: Sequence[Definition],
        setting: Any,
        context_length: int,
        toolset_of: Callable[[str], str | None],
        behaviour: Behaviour,
    ) -> None:
        section = setting if isinstance(setting, Mapping) else {"enabled": setting is not False and "auto"}
        self.tools = list(tools)
        self._max_limit = max(1, min(50, to_int(section.get("max_search_limit"), 20)))
        self._default_limit = max(1, min(self._max_limit, to_int(section.get("search_default_limit"), 5)))
        self._toolset_of = toolset_of
        self._deferred = {_get_name(tool): tool for tool in tools if toolset_of(_get_name(tool)) is not None}
        self.offered = self.tools
        self._gives_hints = behaviour.tools_always_deferred
        share = None if behaviour.tools_always_deferred else context_length
        if self._deferred and _is_enabled(section, list(self._deferred.values()), share):
            kept = [tool for tool in tools if _get_name(tool) not in self._deferred]
            self.offered = [*kept, *self._define_bridges()]
            _log.info("tool_search activated: %d kept, %d deferred", len(kept), len(self._deferred))

    def _define_bridges(self) -> list[Definition]:
        """Define the bridge tools."""
        text = {"type": "string", "description": "The tool's name, as tool_search tells it."}
        count = len(self._deferred)
        return [
            define_bridge(
                SEARCH,
                f"Find some of the {count} further tools by what they do; tool_describe then tells how to call one.",
                {
                    "query": {"type": "string", "description": "Words for what is wanted."},
                    "limit": {"type": "integer", "description": "The maximum number of tools in the result."},
                },
                ["query"],
            ),
            define_bridge(DESCRIBE, "Tell which arguments a further tool takes.", {"name": text}, ["name"]),
            define_bridge(
                CALL,
                "Call a further tool.",
                {"name": text, "arguments": {"type": "object", "description": "The tool's arguments."}},
                ["name", "arguments"],
            ),
        ]

    def answer(self, bridge: str, args: Mapping[str, Any]) -> str:
        """Run ``tool_search`` or ``tool_describe``, or return the error of a ``tool_call`` that does not resolve."""
        try:
            if bridge == SEARCH:
                return self._search(args)
            if bridge == DESCRIBE:
                return self._describe(args)
            self.resolve(args)
        except UnresolvedCall as error:
            return json.dumps({"error": str(error)}, ensure_ascii=False)
        raise ValueError("A call that reaches a tool is not answered here.")

    def resolve(self, args: Mapping[str, Any]) -> tuple[str, dict[str, Any]]:
        """Return the tool and the arguments that a call of ``tool_call`` contains, or raise `UnresolvedCall`."""
        name, arguments = str(args.get("name") or "").strip(), args.get("arguments")
        if not name:
            raise UnresolvedCall("tool_call requires a 'name' argument")
        if name in BRIDGES:
            raise UnresolvedCall(f"tool_call cannot invoke '{name}' (it is itself a bridge tool)")
        if isinstance(arguments, str):
            try:
                arguments = json.loads(arguments)
            except ValueError as error:
                raise UnresolvedCall(f"tool_call 'arguments' is not valid JSON: {error}") from None
        if not isinstance(arguments, dict | None):
            raise UnresolvedCall("tool_call 'arguments' must be an object")
        if self._toolset_of(name) is None:
            raise UnresolvedCall(
                f"'{name}' is not a deferrable tool. Call it without tool_call if your list of tools has it."
            )
        self._check_call(name, arguments or {})
        return name, arguments or {}

    def _check_call(self, name: str, arguments: Mapping[str, Any]) -> None:
        """Refuse tools that this session does not defer and, on some releases, calls without required arguments."""
        if name not in self._deferred:
            raise UnresolvedCall(f"'{name}' is not available in this session. Others can be found with tool_search.")
        parameters = self._deferred[name]["function"].get("parameters") or {}
        missing = [one for one in parameters.get("required") or () if one not in arguments]
        if self._gives_hints and missing:
            raise UnresolvedCall(
                f"tool_call to '{name}' is missing required argument(s): {', '.join(missing)}. The tool was NOT"
                f" invoked. Parameters schema: {json.dumps(parameters, ensure_ascii=False)}. Retry tool_call with"
                " 'arguments' matching the parameters schema above."
            )

    def _search(self, args: Mapping[str, Any]) -> str:
        query = str(args.get("query") or "").strip()
        if not query:
            raise UnresolvedCall("query is required")
        limit = args.get("limit")
        limit = (
            self._default_limit if limit is None else max(1, min(self._max_limit, to_int(limit, self._default_limit)))
        )
        matches = [self._make_match(name) for name in _rank(query, self._deferred)[:limit]]
        result: dict[str, Any] = {"query": query, "total_available": len(self._deferred), "matches": matches}
        if self._gives_hints and not matches:
            toolsets = Counter(self._toolset_of(name) or "other" for name in self._deferred)
            sources = Counter({toolset.removeprefix("mcp-"): count for toolset, count in toolsets.items()})
            result["available_sources"] = [{"name": name, "tool_count": sources[name]} for name in sorted(sources)]
            result["hint"] = _NO_MATCH
        return json.dumps(result, ensure_ascii=False)

    def _make_match(self, name: str) -> dict[str, Any]:
        toolset = self._toolset_of(name) or ""
        return {
            "name": name,
            "source": "mcp" if toolset.startswith("mcp-") else "plugin",
            "source_name": toolset,
            "description": str(self._deferred[name]["function"].get("description") or "")[:_MAX_DESCRIPTION],
        }

    def _describe(self, args: Mapping[str, Any]) -> str:
        name = str(args.get("name") or "").strip()
        if not name:
            raise UnresolvedCall("name is required")
        if self._toolset_of(name) is None:
            raise UnresolvedCall(
                f"'{name}' is not a deferrable tool. Call it if your list of tools has it, or search for its name."
            )
        if name not in self._deferred:
            raise UnresolvedCall(f"'{name}' is not currently available. Search once more.")
        function = self._deferred[name]["function"]
        definition = {
            "name": name,
            "description": function.get("description", ""),
            "parameters": function.get("parameters", {}),
        }
        return json.dumps(definition, ensure_ascii=False)


def _get_name(tool: Definition) -> str:
    return str(tool["function"]["name"])


def _is_enabled(section: Mapping[str, Any], deferred: list[Definition], context_length: int | None) -> bool:
    """Return whether to defer tools; ``auto`` does if they use too much of the context, or if its length is None."""
    word = str(section.get("enabled", "auto")).strip().lower()
    if word in {"off", "false", "0", "no"}:
        return False
    if word in {"on", "true", "1", "yes"} or context_length is None:
        return True
    try:
        share = max(0.0, min(100.0, float(section.get("threshold_pct", _DEFAULT_PERCENTAGE))))
    except (TypeError, ValueError):
        share = _DEFAULT_PERCENTAGE
    texts = (json.dumps(tool, ensure_ascii=False, separators=(",", ":"), default=str) for tool in deferred)
    tokens = math.ceil(sum(map(len, texts)) / _CHARACTERS_PER_TOKEN)
    return tokens >= (int(context_length * share / 100) if context_length > 0 else _MANY_TOKENS)


def _split_words(text: str) -> list[str]:
    return re.findall(r"[a-z0-9]+", text.lower())


def _rank(query: str, tools: Mapping[str, Definition]) -> list[str]:
    """Rank the tools that match a query (BM25); if none does, return those whose name contains it."""
    words = {}
    for name, tool in tools.items():
        function = tool["function"]
        properties = (function.get("parameters") or {}).get("properties") or {}
        words[name] = Counter(_split_words(f"{name} {function.get('description') or ''} {' '.join(properties)}"))
    length = sum(counts.total() for counts in words.values()) / max(1, len(words))
    scores: dict[str, float] = dict.fromkeys(words, 0.0)
    for word in _split_words(query):
        containing = sum(word in counts for counts in words.values())
        rarity = math.log(1 + (len(words) - containing + 0.5) / (containing + 0.5))
        for name, counts in words.items():
            weight = 1 - _LENGTH_WEIGHT + _LENGTH_WEIGHT * counts.total() / max(length, 1.0)
            scores[name] += rarity * counts[word] * (_SATURATION + 1) / (counts[word] + _SATURATION * weight)
    matches = [name for name in sorted(scores, key=lambda name: -scores[name]) if scores[name] > 0]
    return matches or [name for name in tools if _split_words(query) and query.lower() in name.lower()]


def define_bridge(name: str, description: str, properties: dict[str, Any], required: list[str]) -> Definition:
    """Define a bridge tool."""
    parameters = {"type": "object", "properties": properties, "required": required}
    return {"type": "function", "function": {"name": name, "description": description, "parameters": parameters}}


class ListedToolSearch(ToolSearch):
    """Tool search of releases whose bridge tools accept lists.

    Args:
        registered: The names of all registered tools.
        unsupported: Creates the exception for behaviour that is not modelled.
    """

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
        self._accepts_call_lists = behaviour.deferred_calls_listed
        super().__init__(tools, setting, context_length, toolset_of, behaviour)

    def resolve(self, args: Mapping[str, Any]) -> tuple[str, dict[str, Any]]:
        """Return the tool and the arguments of the only call, or raise `UnresolvedCall`."""
        if not self._accepts_call_lists:
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
        most = _MAX_QUERIES if self._accepts_call_lists else _MAX_NAMES
        _read_texts(args, "queries", most, "Retry with fewer, more targeted queries.")
        # The host compares word stems, which is not modelled.
        raise self._unsupported("find tools by words")

    def _describe(self, args: Mapping[str, Any]) -> str:
        names = dict.fromkeys(_read_texts(args, "names", _MAX_NAMES, "Retry with fewer names per call."))
        result: dict[str, Any] = {"tools": {}}
        missing, errors = [], {}
        for name in names:
            if name.startswith(_CONNECTOR):
                raise self._unsupported("describe tools of connected apps")
            if name in self._deferred:
                function = self._deferred[name]["function"]
                about = {key: function.get(key, empty) for key, empty in (("description", ""), ("parameters", {}))}
                result["tools"][name] = about
            elif name in self._registered and self._toolset_of(name) is None:
                errors[name] = self._wording("tool_search.described", name=name)
            else:
                missing.append(name)
        if missing:
            result |= {"not_found": missing, "hint": _MISSING}
        return json.dumps({**result, "errors": errors} if errors else result, ensure_ascii=False)

    def _define_bridges(self) -> list[Definition]:
        texts = {"type": "array", "items": {"type": "string"}}
        entry = {"name": {"type": "string"}, "arguments": {"type": "object"}}
        calls = {"type": "array", "items": {"type": "object", "properties": entry, "required": list(entry)}}
        parameters = {"calls": calls} if self._accepts_call_lists else entry
        return [
            define_bridge(
                SEARCH,
                f"Find some of the {len(self._deferred)} further tools by what they do.",
                {"queries": texts, "limit": {"type": "integer"}},
                ["queries"],
            ),
            define_bridge(DESCRIBE, "Tell which arguments further tools take.", {"names": texts}, ["names"]),
            define_bridge(CALL, "Call a further tool.", parameters, list(parameters)),
        ]


def _read_texts(args: Mapping[str, Any], key: str, most: int, advice: str) -> list[str]:
    """Read a list of strings; a single string counts as a list."""
    values = args.get(key)
    values = [values] if isinstance(values, str) else values
    if not isinstance(values, list):
        raise UnresolvedCall(f"{key} is required and must be an array of strings")
    texts = [text for one in values if (text := str(one or "").strip())]
    if not texts:
        raise UnresolvedCall(f"{key} is required and must contain at least one non-empty string")
    count = len(set(texts)) if key == "names" else len(texts)
    if count > most:
        raise UnresolvedCall(f"too many {key}: {count} > max {most}. {advice}")
    return texts


def _read_calls(args: Mapping[str, Any]) -> list[Any]:
    """Read the calls of ``tool_call``, or the single call in the form of earlier releases."""
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
    """Return the tool and the arguments of one call."""
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
