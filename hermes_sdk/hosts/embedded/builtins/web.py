"""``web_search`` and ``web_extract``, which call the configured backend or an available one (F19)."""

from __future__ import annotations

import asyncio
import inspect
import json
import logging
from typing import Any

from hermes_sdk.hosts.embedded.builtins.backends import is_available
from hermes_sdk.hosts.embedded.builtins.declaration import array, integer, string, tool
from hermes_sdk.hosts.embedded.builtins.tool import ToolContext, answer, refuse, to_int
from hermes_sdk.hosts.embedded.builtins.web_pages import is_private, shorten_page

_log = logging.getLogger("tools.web_tools")

_CATEGORY = "web_search"
_OWN = ("firecrawl", "parallel", "tavily", "exa", "searxng", "brave-free", "ddgs")
"""The backends of the host itself, in order of preference; plugins may register under these names."""
_PRIVATE = "Blocked: URL targets a private or internal network address"


def check_web_api_key(context: ToolContext) -> bool:
    """Tell whether a backend of a plugin is available; before 0.18.1 backends of plugins do not count."""
    if not context.behaviour.web_backends_of_plugins:
        return False
    shared = context.registrations.backends[_CATEGORY].by_name.get(context.text("web", "backend").lower())
    if shared is not None and is_available(shared):
        return True
    return any(_find_capable(capability, context) is not None for capability in ("search", "extract"))


@tool(
    "Search the web.",
    check=check_web_api_key,
    query=string("What to look for.", required=True),
    limit=integer("How many results.", minimum=1, maximum=100, default=5),
)
def web_search(args: dict[str, Any], context: ToolContext) -> str:
    """Search with the chosen backend."""
    query, limit = args.get("query", ""), min(max(to_int(args.get("limit", 5), 5), 1), 100)
    try:
        backend = context.registrations.backends[_CATEGORY].by_name.get(_choose_name("search", context))
        if backend is None or not backend.supports_search():
            backend = _find_capable("search", context)
        if backend is None:
            message = "No web search provider configured. Run `hermes tools` to set one up."
            return json.dumps({"success": False, "error": message}, indent=2)
        _log.info("Web search via %s: '%s' (limit: %d)", backend.name, query, limit)
        found = backend.search(query, limit)
        # The host counts the results, so a malformed result is an error.
        len(found.get("data", {}).get("web", []))
        return json.dumps(found, indent=2, ensure_ascii=False)
    except Exception as error:
        return refuse(f"Error searching web: {error}")


@tool(
    "Read pages of the web.",
    check=check_web_api_key,
    urls=array(string(), "The addresses of the pages.", required=True, maxItems=5),
    char_limit=integer("How much of each page.", minimum=2000),
)
async def web_extract(args: dict[str, Any], context: ToolContext) -> str:
    """Read pages with the chosen backend."""
    urls = args.get("urls")
    requested = [_parse_address(item, context) for item in urls[:5]] if isinstance(urls, list) else []
    public = [url for url in requested if url and not is_private(url, context)]
    try:
        backend = _find_reader(context) if public else None
        if isinstance(backend, str):
            return backend
        pages = await _read_pages(backend, public) if public else []
        if len(public) < len(requested):
            pages = _add_unread(requested, public, pages, context)
        limit = args.get("char_limit") or context.section("web").get("extract_char_limit")
        results = [_format_page(page, limit, context) for page in pages]
    except Exception as error:
        return refuse(f"Error extracting content: {error}")
    if not results:
        return refuse("Content was inaccessible or not found")
    return json.dumps({"results": results}, indent=2, ensure_ascii=False)


def _parse_address(item: Any, context: ToolContext) -> str | None:
    """Return the address in an item of the list, or None."""
    if context.behaviour.web_items_checked:
        if isinstance(item, dict):
            item = item.get("url") or item.get("href")
        return item.strip() or None if isinstance(item, str) else None
    if not isinstance(item, str):
        raise TypeError(f"expected string or bytes-like object, got {type(item).__name__!r}")
    return item


def _find_reader(context: ToolContext) -> Any:
    """Return the backend that reads pages, or the result for the model if there is none."""
    backend = context.registrations.backends[_CATEGORY].by_name.get(_choose_name("extract", context))
    advice = "Set web.extract_backend to firecrawl, tavily, exa, or parallel."
    if backend is not None and not backend.supports_extract():
        message = f"{backend.display_name} is a search-only backend and cannot extract URL content. {advice}"
        return answer(success=False, error=message)
    if backend is None:
        backend = _find_capable("extract", context)
    if backend is None:
        return answer(success=False, error=f"No web extract provider configured. {advice}")
    return backend


async def _read_pages(backend: Any, urls: list[str]) -> Any:
    _log.info("Web extract via %s: %d URL(s)", backend.name, len(urls))
    if inspect.iscoroutinefunction(backend.extract):
        return await backend.extract(urls, format="markdown")
    return await asyncio.to_thread(backend.extract, urls, format="markdown")


def _add_unread(requested: list[str | None], public: list[str], pages: Any, context: ToolContext) -> list[Any]:
    """Add a result for each address that was not read: in the order of the request, or first in older releases."""
    if not context.behaviour.web_items_checked:
        return [*(_fail_page(url or "", _PRIVATE) for url in requested if url not in public), *pages]
    read, results = iter(pages), []
    for index, url in enumerate(requested):
        if url is None:
            expected = "expected a URL string or an object with a string 'url' or 'href' field"
            results.append(_fail_page("", f"Invalid URL item at index {index}: {expected}"))
        elif url not in public:
            results.append(_fail_page(url, _PRIVATE))
        else:
            results.append(next(read, _fail_page(url, "Extract backend returned no result for this URL")))
    return results


def _fail_page(url: str, error: str) -> dict[str, Any]:
    return {"url": url, "title": "", "content": "", "error": error}


def _format_page(page: Any, limit: Any, context: ToolContext) -> dict[str, Any]:
    """Format a page for the model."""
    content = page.get("content", "")
    if not page.get("error") and (text := page.get("raw_content", "") or content):
        content = shorten_page(text, page.get("url", ""), limit, context)
    result = {key: page.get(key, "") for key in ("url", "title")} | {"content": content, "error": page.get("error")}
    return result | {key: page[key] for key in ("blocked_by_policy",) if key in page}


def _choose_name(capability: str, context: ToolContext) -> str:
    """Return the name of the backend to try first; before 0.18.1 only built-in ones count."""
    registered = context.registrations.backends[_CATEGORY].by_name if context.behaviour.web_backends_of_plugins else {}
    special, shared = (context.text("web", key).lower() for key in (f"{capability}_backend", "backend"))
    if special not in _OWN and special in registered and is_available(registered[special]):
        return special
    if shared in (*_OWN, "xai") or shared in registered:
        return shared
    others = sorted(name for name in registered if name not in _OWN)
    return next((name for name in others if is_available(registered[name])), _OWN[0])


def _find_capable(capability: str, context: ToolContext) -> Any:
    """Return a backend with a capability, if any: the configured one, the only available one, or the preferred one."""
    able = {
        name: one
        for name, one in context.registrations.backends[_CATEGORY].by_name.items()
        if getattr(one, f"supports_{capability}")()
    }
    named = context.text("web", f"{capability}_backend") or context.text("web", "backend")
    if named in able:
        return able[named]
    usable = {name: one for name, one in able.items() if is_available(one)}
    if len(usable) == 1:
        return next(iter(usable.values()))
    return next((usable[name] for name in _OWN if name in usable), None)
