"""What searches and pages of the web the host keeps: searches in memory, pages in the home's ``cache/web`` (F19)."""

from __future__ import annotations

import hashlib
import ipaddress
import json
import logging
import threading
import time
from collections import defaultdict
from collections.abc import Callable
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from hermes_sdk.hosts.embedded.builtins.tool import ToolContext
from hermes_sdk.hosts.embedded.builtins.web_pages import slug

_log = logging.getLogger("tools.web_result_cache")

STATE = "web_searches"
_COUNTS = (10, 20, 50, 100)
"""Searches ask for one of these numbers of results, so that similar ones share an answer."""
_MINUTES, _LONGEST = 20.0, 1440.0
_LARGEST = 2_000_000
"""Longer pages are not kept."""


def search_once(name: str, query: str, limit: int, context: ToolContext, search: Callable[[int], Any]) -> Any:
    """Return what a backend finds, or has found lately; `search` asks it for a number of results."""
    count = next(one for one in _COUNTS if limit <= one)
    key = name, " ".join(query.lower().split()), count
    locks, known = context.state.memory.setdefault(STATE, (defaultdict(threading.Lock), {}))
    with locks[key]:
        ends, found = known.get(key, (0.0, None))
        if _is_on(context) and time.monotonic() < ends:
            _log.info("web_search cache hit: %r via %s", query, name)
        else:
            found = search(count)
            if _is_on(context) and found.get("success"):
                known[key] = time.monotonic() + _lifetime(context), json.loads(json.dumps(found))
    results = found.get("data", {}).get("web")
    if isinstance(results, list) and len(results) > limit:
        return {**found, "data": {**found["data"], "web": results[:limit]}}
    return found


def find_page(url: str, provider: str, context: ToolContext) -> dict[str, Any] | None:
    """Return the page that a backend read from an address lately, if any."""
    entry = _load_index(context).get(_digest(url, provider)) if _keeps(url, context) else None
    if entry is None or time.time() - entry["fetched_at"] >= _lifetime(context):
        return None
    try:
        content = Path(entry["file"]).read_text(encoding="utf-8-sig")
    except OSError:
        return None
    _log.info("web_extract cache hit: %s", url)
    return {"url": url, "title": entry["title"], "content": content, "error": None}


def keep_pages(pages: list[Any], urls: list[str], provider: str, context: ToolContext) -> None:
    """Keep the pages that name an address of the request as theirs."""
    for page in pages:
        metadata = page.get("metadata")
        source = metadata.get("sourceURL") if isinstance(metadata, dict) else None
        url = next((one for one in (page.get("url"), source) if one in urls), None)
        content = page.get("raw_content", "") or page.get("content", "")
        if url and content and not page.get("error") and len(content) <= _LARGEST and _keeps(url, context):
            _keep_page(url, content, page.get("title") or "", provider, context)


def _keep_page(url: str, content: str, title: str, provider: str, context: ToolContext) -> None:
    folder, digest = _folder(context), _digest(url, provider)
    folder.mkdir(parents=True, exist_ok=True)
    file = folder / f"{slug(url)}-{digest}.cache.md"
    file.write_text(content, encoding="utf-8")
    index = _load_index(context) | {digest: {"url": url, "file": str(file), "title": title, "fetched_at": time.time()}}
    (folder / "extract-index.json").write_text(json.dumps(index, ensure_ascii=False), encoding="utf-8")


def _load_index(context: ToolContext) -> dict[str, Any]:
    try:
        index: dict[str, Any] = json.loads((_folder(context) / "extract-index.json").read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    return index


def _folder(context: ToolContext) -> Path:
    return context.state.home.path / "cache" / "web"


def _digest(url: str, provider: str) -> str:
    return hashlib.sha256(f"{url}\nmarkdown\n{provider}".encode()).hexdigest()[:16]


def _is_on(context: ToolContext) -> bool:
    return context.behaviour.web_results_kept and context.section("web").get("cache_enabled") in (None, True)


def _lifetime(context: ToolContext) -> float:
    try:
        minutes = float(context.section("web").get("cache_ttl_minutes", _MINUTES))
    except (TypeError, ValueError):
        minutes = _MINUTES
    return max(1.0, min(minutes, _LONGEST)) * 60


def _keeps(url: str, context: ToolContext) -> bool:
    """Tell whether pages of an address are kept: not those of local hosts, nor of hosts that the user excludes."""
    host = (urlsplit(url).hostname or "").lower()
    is_name = "." in host and not host.endswith((".localhost", ".local"))
    excluded = context.section("web").get("cache_exempt_hosts") or []
    patterns = [str(one).strip().lower().strip(".").removeprefix("*.") for one in excluded]
    if not _is_on(context) or any(one and f".{host}".endswith(f".{one}") for one in patterns):
        return False
    try:
        address = ipaddress.ip_address(host)
    except ValueError:
        return is_name
    return not (address.is_private or address.is_reserved)
