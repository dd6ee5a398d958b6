"""``web_search`` and ``web_extract``, which call the configured backend or an available one (F19)."""

from __future__ import annotations

import contextlib
import inspect
import ipaddress
import json
import logging
import os
import re
from collections.abc import Iterable
from typing import Any
from urllib.parse import urlsplit

from hermes_sdk.errors import HermesSdkError
from hermes_sdk.hosts.embedded.builtins.backends import is_available
from hermes_sdk.hosts.embedded.builtins.tool import ToolContext, answer, array, integer, refuse, string, to_int, tool

_CATEGORY = "web_search"
_HOST_BACKENDS = ("firecrawl", "parallel", "tavily", "exa", "searxng", "brave-free", "ddgs")
"""The host's own backends, in order of preference; plugins may register under these names."""
_MANAGED_BACKEND = "nous"
_SHARED_NETWORK = ipaddress.ip_network("100.64.0.0/10")
_DEFAULT_LENGTH, _MIN_LENGTH, _MAX_LENGTH = 15_000, 2_000, 500_000
_BASE64 = r"data:image/[^;]+;base64,[A-Za-z0-9+/=]+"
_log = logging.getLogger("tools.web_tools")
_RESULT_COUNTS = (10, 20, 50, 100)
"""Numbers of results to request from backends, so that similar searches share a cache entry."""
_CACHED = "web_answers"
_NO_RESULT = "Extract backend returned no result for this URL"
_PRIVATE = "Blocked: URL targets a private or internal network address"


def check_web_api_key(context: ToolContext) -> bool:
    """Return whether a plugin's backend is available."""
    shared = context.registrations.backends[_CATEGORY].by_name.get(context.text("web", "backend").lower())
    if shared is not None and is_available(shared):
        return True
    capable = [one for one in (_find_capable(name, context) for name in ("search", "extract")) if one is not None]
    return any(map(_is_ready, capable)) if context.behaviour.web_backends_strict else bool(capable)


def find_searcher(context: ToolContext) -> Any:
    """Return the search backend, or the error result if there is none."""
    name = _choose_name("search", context)
    backend = context.registrations.backends[_CATEGORY].by_name.get(name)
    if backend is None and (problem := _reject_selection("search", name, context)):
        return {"success": False, "error": problem}
    if backend is None or not backend.supports_search():
        backend = _find_capable("search", context)
    if backend is None:
        message = "No web search provider configured. Run `hermes tools` to set one up."
        return {"success": False, "error": message}
    return backend


def find_reader(context: ToolContext) -> Any:
    """Return the backend that reads pages, or the error result if there is none."""
    name = _choose_name("extract", context)
    backend = context.registrations.backends[_CATEGORY].by_name.get(name)
    advice = context.state.wording("web_extract.advice")
    if backend is not None and not backend.supports_extract():
        message = f"{backend.display_name} is a search-only backend and cannot extract URL content. {advice}"
        return answer(success=False, error=message)
    if backend is None and (problem := _reject_selection("extract", name, context)):
        return answer(success=False, error=problem)
    if backend is None:
        backend = _find_capable("extract", context)
    if backend is None:
        return answer(success=False, error=f"No web extract provider configured. {advice}")
    return backend


def _is_ready(backend: Any) -> bool:
    """Return whether a backend is usable, with or without credentials."""
    with contextlib.suppress(Exception):
        return bool(backend.is_available() or backend.is_keyless_available())
    return False


def _choose_name(capability: str, context: ToolContext) -> str:
    """Return the name of the backend to try first."""
    registered = context.registrations.backends[_CATEGORY].by_name
    special, shared = (context.text("web", key).lower() for key in (f"{capability}_backend", "backend"))
    if context.behaviour.web_backends_strict:
        if _MANAGED_BACKEND in (special, shared) or context.section("web").get("use_gateway"):
            raise context.state.unsupported("use the web services that Nous Portal manages")
        if special or shared:
            return special or shared
    elif special not in _HOST_BACKENDS and special in registered and is_available(registered[special]):
        return special
    elif shared in (*_HOST_BACKENDS, "xai") or shared in registered:
        return shared
    others = sorted(name for name in registered if name not in _HOST_BACKENDS)
    return next((name for name in others if is_available(registered[name])), _HOST_BACKENDS[0])


def _reject_selection(capability: str, name: str, context: ToolContext) -> str:
    """Return the error for an unregistered backend if any web backend is configured; otherwise an empty string."""
    keys = ("backend", "search_backend", "extract_backend")
    if not context.behaviour.web_backends_strict or not any(context.text("web", key) for key in keys):
        return ""
    return context.state.wording("web.unknown_backend", name=name, capability=capability)


def _find_capable(capability: str, context: ToolContext) -> Any:
    """Return a backend with a capability, if any: the configured one, the only available one, or the preferred one."""
    capable = {
        name: one
        for name, one in context.registrations.backends[_CATEGORY].by_name.items()
        if getattr(one, f"supports_{capability}")()
    }
    named = context.text("web", f"{capability}_backend") or context.text("web", "backend")
    if named in capable:
        return capable[named]
    usable = {name: one for name, one in capable.items() if is_available(one)}
    if len(usable) == 1:
        return next(iter(usable.values()))
    return next((usable[name] for name in _HOST_BACKENDS if name in usable), None)


def is_private(url: str, context: ToolContext) -> bool:
    """Return whether a URL is in a private network; host names are not resolved and count as public."""
    try:
        parts = urlsplit(url)
        host = (parts.hostname or "").rstrip(".")
    except ValueError:
        return True
    if parts.scheme not in ("http", "https") or not host:
        return True
    allowed = _allows_private(context)
    if host == "localhost":
        return not allowed
    try:
        address = ipaddress.ip_address(host)
    except ValueError:
        return False
    if address.is_link_local:
        return True
    inner = not address.is_global or address.is_multicast or (address.version == 4 and address in _SHARED_NETWORK)
    return inner and not allowed


def _allows_private(context: ToolContext) -> bool:
    variable = os.environ.get("HERMES_ALLOW_PRIVATE_URLS", "").strip().lower()
    return variable in ("1", "true", "yes") or context.section("security").get("allow_private_urls") is True


def shorten_page(text: str, limit: Any, context: ToolContext) -> str:
    """Return the text of a page without images; `limit` is in characters, and None for the default.

    Raises:
        NotSupported: The text is longer than the limit.
    """
    shown = _remove_images(text)
    if len(shown) > max(_MIN_LENGTH, min(to_int(limit, _DEFAULT_LENGTH), _MAX_LENGTH)):
        raise context.state.unsupported("shorten a long page for web_extract")
    return shown


def _remove_images(text: str) -> str:
    named = re.sub(
        rf"!\[([^\]]*)\]\(\s*{_BASE64}\s*\)",
        lambda match: f"[IMAGE: {match[1].strip()}]" if match[1].strip() else "[IMAGE]",
        text,
    )
    return re.sub(rf"\(\s*{_BASE64}\s*\)|{_BASE64}", "[IMAGE]", named)


@tool(
    "Search the web.",
    check=check_web_api_key,
    query=string("What to look for.", required=True),
    limit=integer("How many results.", minimum=1, maximum=100, default=5),
)
def web_search(args: dict[str, Any], context: ToolContext) -> str:
    """Search with the selected backend."""
    query, limit = args.get("query", ""), min(max(to_int(args.get("limit", 5), 5), 1), 100)
    try:
        backend = find_searcher(context)
        if isinstance(backend, dict):
            return json.dumps(backend, indent=2, ensure_ascii=False)
        _log.info("Web search via %s: '%s' (limit: %d)", backend.name, query, limit)
        result = _search(backend, query, limit, context)
        # The host counts the results, so a malformed result is an error.
        len(result.get("data", {}).get("web", []))
        return json.dumps(result, indent=2, ensure_ascii=False)
    except HermesSdkError:
        raise
    except Exception as error:
        return refuse(f"Error searching web: {error}")


def _search(backend: Any, query: str, limit: int, context: ToolContext) -> Any:
    """Search with a backend.

    Raises:
        NotSupported: Hermes would return a cached result.
    """
    if not context.behaviour.web_backends_strict:
        return backend.search(query, limit)
    count = next(one for one in _RESULT_COUNTS if limit <= one)
    key = (backend.name, " ".join(query.lower().split()), count)
    _require_uncached([key], context)
    result = _query_backend(backend, query, count, context)
    if result.get("success"):
        _record_cached([key], context)
    results = result.get("data", {}).get("web")
    if isinstance(results, list) and len(results) > limit:
        return {**result, "data": {**result["data"], "web": results[:limit]}}
    return result


def _require_uncached(keys: Iterable[Any], context: ToolContext) -> None:
    """Refuse requests that the host would answer from its cache."""
    if not context.state.memory.get(_CACHED, set()).isdisjoint(keys):
        raise context.state.unsupported(
            "answer from the cache of web searches and pages",
            fix="Set web.cache_enabled to false in this test's configuration: the provider is then asked again.",
        )


def _record_cached(keys: Iterable[Any], context: ToolContext) -> None:
    if context.behaviour.web_backends_strict and context.section("web").get("cache_enabled") in (None, True):
        context.state.memory.setdefault(_CACHED, set()).update(keys)


def _query_backend(backend: Any, query: str, limit: int, context: ToolContext) -> Any:
    has_rescue = _has_rescue(context)
    try:
        result = backend.search(query, limit)
    except Exception as error:
        if has_rescue:
            raise _refuse_rescue("search", error, context) from error
        raise
    if has_rescue and not result.get("success"):
        raise _refuse_rescue("search", result.get("error", ""), context)
    return result


@tool(
    "Read pages of the web.",
    check=check_web_api_key,
    urls=array(string(), "The addresses of the pages.", required=True, maxItems=5),
    char_limit=integer("How much of each page.", minimum=2000),
)
async def web_extract(args: dict[str, Any], context: ToolContext) -> str:
    """Read web pages with the selected backend."""
    urls = args.get("urls")
    requested = [_read_url(item) for item in urls[:5]] if isinstance(urls, list) else []
    public = [url for url in requested if url and not is_private(url, context)]
    try:
        backend = find_reader(context) if public else None
        if isinstance(backend, str):
            return backend
        pages = await _read_pages(backend, public, context) if public else []
        if len(public) < len(requested):
            pages = _add_unread_pages(requested, public, pages)
        limit = args.get("char_limit") or context.section("web").get("extract_char_limit")
        results = [_format_page(page, limit, context) for page in pages]
    except HermesSdkError:
        raise
    except Exception as error:
        return refuse(f"Error extracting content: {error}")
    if not results:
        return refuse("Content was inaccessible or not found")
    return json.dumps({"results": results}, indent=2, ensure_ascii=False)


def _read_url(item: Any) -> str | None:
    """Return the URL in an item of ``urls``, or None."""
    if isinstance(item, dict):
        item = item.get("url") or item.get("href")
    return item.strip() or None if isinstance(item, str) else None


async def _read_pages(backend: Any, urls: list[str], context: ToolContext) -> Any:
    """Read pages that are not in the host's cache."""
    keys = [(backend.name, url) for url in urls]
    _require_uncached(keys, context)
    _log.info("Web extract via %s: %d URL(s)", backend.name, len(urls))
    pages = await _extract_pages(backend, urls, context)
    if any(not page.get("error") for page in pages):
        _record_cached(keys, context)
    return pages


async def _extract_pages(backend: Any, urls: list[str], context: ToolContext) -> Any:
    import asyncio

    has_rescue, seconds = _has_rescue(context), _read_deadline(context)
    try:
        if inspect.iscoroutinefunction(backend.extract):
            pending = backend.extract(urls, format="markdown")
        else:
            pending = asyncio.to_thread(backend.extract, urls, format="markdown")
        pages = await asyncio.wait_for(pending, seconds)
    except TimeoutError:
        if seconds is None:
            raise
        _log.warning("web_extract provider '%s' timed out after %.0fs for %d URL(s)", backend.name, seconds, len(urls))
        pages = [_fail_page(url, f"Extract timed out after {seconds:.0f}s via {backend.name}") for url in urls]
    except Exception as error:
        if has_rescue:
            raise _refuse_rescue("read the pages", error, context) from error
        raise
    if has_rescue and pages and all(page.get("error") for page in pages):
        raise _refuse_rescue("read the pages", pages[0]["error"], context)
    return pages


def _read_deadline(context: ToolContext) -> float | None:
    """Return the timeout in seconds for reading pages; None for no timeout."""
    if not context.behaviour.web_extract_deadline:
        return None
    try:
        seconds = float(context.section("web").get("extract_timeout", 120))
    except (TypeError, ValueError):
        seconds = 120.0
    return seconds if seconds > 0 else None


def _has_rescue(context: ToolContext) -> bool:
    """Return whether the host falls back to free public services if a backend fails."""
    section = context.section("web")
    switches = section.get("keyless_rescue", True), section.get("keyless_fallback", True)
    return context.behaviour.web_backends_strict and all(switches)


def _refuse_rescue(action: str, problem: object, context: ToolContext) -> HermesSdkError:
    return context.state.unsupported(
        f"{action} with the free public services that the host uses when a backend fails ({problem})",
        fix="Set web.keyless_rescue to false in this test's configuration: the model then gets the backend's error.",
    )


def _add_unread_pages(requested: list[str | None], public: list[str], pages: Any) -> list[Any]:
    """Add a result for each URL that was not read, in the order of the request."""
    read, results = iter(pages), []
    for index, url in enumerate(requested):
        if url is None:
            expected = "expected a URL string or an object with a string 'url' or 'href' field"
            results.append(_fail_page("", f"Invalid URL item at index {index}: {expected}"))
        elif url not in public:
            results.append(_fail_page(url, _PRIVATE))
        else:
            results.append(next(read, _fail_page(url, _NO_RESULT)))
    return results


def _fail_page(url: str, error: str) -> dict[str, Any]:
    return {"url": url, "title": "", "content": "", "error": error}


def _format_page(page: Any, limit: Any, context: ToolContext) -> dict[str, Any]:
    """Format a page for the model."""
    content = page.get("content", "")
    if not page.get("error") and (text := page.get("raw_content", "") or content):
        content = shorten_page(text, limit, context)
    result = {key: page.get(key, "") for key in ("url", "title")} | {"content": content, "error": page.get("error")}
    return result | {key: page[key] for key in ("blocked_by_policy",) if key in page}
