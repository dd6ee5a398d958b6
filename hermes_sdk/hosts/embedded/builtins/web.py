"""``web_search`` and ``web_extract``, which ask the backend that the configuration names or that is there (F19)."""

from __future__ import annotations

import asyncio
import inspect
import json
import logging
from typing import Any

from hermes_sdk.hosts.embedded.builtins.tool import Builtin, Turnside, answer, is_available, refusal
from hermes_sdk.hosts.embedded.builtins.web_pages import is_private, shortened

_log = logging.getLogger("tools.web_tools")

_CATEGORY = "web_search"
_OWN = ("firecrawl", "parallel", "tavily", "exa", "searxng", "brave-free", "ddgs")
"""The backends of the host itself, whose names plugins may take, in the order in which they are preferred."""
_PRIVATE = "Blocked: URL targets a private or internal network address"


def _search(args: dict[str, Any], side: Turnside) -> str:
    query, limit = args.get("query", ""), _limit(args.get("limit", 5))
    try:
        backend = side.backends(_CATEGORY).get(_chosen("search", side))
        if backend is None or not backend.supports_search():
            backend = _active("search", side)
        if backend is None:
            message = "No web search provider configured. Run `hermes tools` to set one up."
            return json.dumps({"success": False, "error": message}, indent=2)
        _log.info("Web search via %s: '%s' (limit: %d)", backend.name, query, limit)
        found = backend.search(query, limit)
        # What has not the form of an answer is an error.
        len(found.get("data", {}).get("web", []))
        return json.dumps(found, indent=2, ensure_ascii=False)
    except Exception as error:
        return refusal(f"Error searching web: {error}")


def _limit(value: Any) -> int:
    try:
        return min(max(int(value), 1), 100)
    except (TypeError, ValueError):
        return 5


async def _extract(args: dict[str, Any], side: Turnside) -> str:
    urls = args.get("urls")
    asked = [_address(item, side) for item in urls[:5]] if isinstance(urls, list) else []
    read = [url for url in asked if url and not is_private(url, side)]
    try:
        backend = _reader(side) if read else None
        if isinstance(backend, str):
            return backend
        pages = await _pages(backend, read) if read else []
        if len(read) < len(asked):
            pages = _with_unread(asked, read, pages, side)
        limit = args.get("char_limit") or side.section("web").get("extract_char_limit")
        told = [_told(page, limit, side) for page in pages]
    except Exception as error:
        return refusal(f"Error extracting content: {error}")
    if not told:
        return refusal("Content was inaccessible or not found")
    return json.dumps({"results": told}, indent=2, ensure_ascii=False)


def _address(item: Any, side: Turnside) -> str | None:
    """The address that a model means, or None when there is none."""
    if side.behaviour.web_items_checked:
        if isinstance(item, dict):
            item = item.get("url") or item.get("href")
        return item.strip() or None if isinstance(item, str) else None
    if not isinstance(item, str):
        raise TypeError(f"expected string or bytes-like object, got {type(item).__name__!r}")
    return item


def _reader(side: Turnside) -> Any:
    """The backend that reads pages, or the answer to the model in place of one."""
    backend = side.backends(_CATEGORY).get(_chosen("extract", side))
    advice = "Set web.extract_backend to firecrawl, tavily, exa, or parallel."
    if backend is not None and not backend.supports_extract():
        message = f"{backend.display_name} is a search-only backend and cannot extract URL content. {advice}"
        return answer(success=False, error=message)
    if backend is None:
        backend = _active("extract", side)
    if backend is None:
        return answer(success=False, error=f"No web extract provider configured. {advice}")
    return backend


async def _pages(backend: Any, urls: list[str]) -> Any:
    _log.info("Web extract via %s: %d URL(s)", backend.name, len(urls))
    if inspect.iscoroutinefunction(backend.extract):
        return await backend.extract(urls, format="markdown")
    return await asyncio.to_thread(backend.extract, urls, format="markdown")


def _with_unread(asked: list[str | None], read: list[str], pages: Any, side: Turnside) -> list[Any]:
    """Put what was not read among what was: in the order of the question, or before it in older releases."""
    if not side.behaviour.web_items_checked:
        return [*(_unread(url or "", _PRIVATE) for url in asked if url not in read), *pages]
    waiting, shown = list(pages), []
    for index, url in enumerate(asked):
        if url is None:
            expected = "expected a URL string or an object with a string 'url' or 'href' field"
            shown.append(_unread("", f"Invalid URL item at index {index}: {expected}"))
        elif url not in read:
            shown.append(_unread(url, _PRIVATE))
        else:
            shown.append(waiting.pop(0) if waiting else _unread(url, "Extract backend returned no result for this URL"))
    return shown


def _unread(url: str, error: str) -> dict[str, Any]:
    return {"url": url, "title": "", "content": "", "error": error}


def _told(page: Any, limit: Any, side: Turnside) -> dict[str, Any]:
    """What the model receives of a page."""
    content = page.get("content", "")
    if not page.get("error") and (text := page.get("raw_content", "") or content):
        content = shortened(text, page.get("url", ""), limit, side)
    told = {"url": page.get("url", ""), "title": page.get("title", ""), "content": content, "error": page.get("error")}
    return told | {key: page[key] for key in ("blocked_by_policy",) if key in page}


def _chosen(capability: str, side: Turnside) -> str:
    """The name of the backend that is asked first; before 0.18.1 names of plugins are none."""
    asked_of_plugins = side.behaviour.web_backends_of_plugins
    registered = side.backends(_CATEGORY) if asked_of_plugins else {}
    special, shared = (side.text("web", key).lower() for key in (f"{capability}_backend", "backend"))
    if special not in _OWN and special in registered and is_available(registered[special]):
        return special
    if shared in (*_OWN, "xai") or shared in registered:
        return shared
    others = sorted(name for name in registered if name not in _OWN)
    return next((name for name in others if is_available(registered[name])), _OWN[0])


def _active(capability: str, side: Turnside) -> Any:
    """The backend that is asked when the first has not what it takes: the configured, the only, the preferred."""
    able = {name: one for name, one in side.backends(_CATEGORY).items() if getattr(one, f"supports_{capability}")()}
    named = side.text("web", f"{capability}_backend") or side.text("web", "backend")
    if named in able:
        return able[named]
    usable = {name: one for name, one in able.items() if is_available(one)}
    if len(usable) == 1:
        return next(iter(usable.values()))
    return next((usable[name] for name in _OWN if name in usable), None)


def check_web_api_key(side: Turnside) -> bool:
    """Tell whether a backend of a plugin is there; before 0.18.1 those of plugins do not count."""
    if not side.behaviour.web_backends_of_plugins:
        return False
    shared = side.backends(_CATEGORY).get(side.text("web", "backend").lower())
    if shared is not None and is_available(shared):
        return True
    return any(_active(capability, side) is not None for capability in ("search", "extract"))


TOOLS = {
    "web_search": Builtin(
        "Search the web.",
        {
            "type": "object",
            "properties": {
                "query": {"type": "string", "description": "What to look for."},
                "limit": {
                    "type": "integer",
                    "description": "How many results.",
                    "minimum": 1,
                    "maximum": 100,
                    "default": 5,
                },
            },
            "required": ["query"],
        },
        _search,
        check_web_api_key,
    ),
    "web_extract": Builtin(
        "Read pages of the web.",
        {
            "type": "object",
            "properties": {
                "urls": {
                    "type": "array",
                    "items": {"type": "string"},
                    "description": "The addresses of the pages.",
                    "maxItems": 5,
                },
                "char_limit": {"type": "integer", "description": "How much of each page.", "minimum": 2000},
            },
            "required": ["urls"],
        },
        _extract,
        check_web_api_key,
        is_async=True,
    ),
}
