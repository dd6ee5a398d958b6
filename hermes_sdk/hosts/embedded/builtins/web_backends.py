"""Choice of the backend for ``web_search`` and ``web_extract`` (F19)."""

from __future__ import annotations

import contextlib
from typing import Any

from hermes_sdk.hosts.embedded.builtins.backends import is_available
from hermes_sdk.hosts.embedded.builtins.tool import ToolContext, answer

_CATEGORY = "web_search"
_OWN = ("firecrawl", "parallel", "tavily", "exa", "searxng", "brave-free", "ddgs")
"""The backends of the host itself, in order of preference; plugins may register under these names."""
_MANAGED = "nous"


def check_web_api_key(context: ToolContext) -> bool:
    """Tell whether a backend of a plugin is available."""
    shared = context.registrations.backends[_CATEGORY].by_name.get(context.text("web", "backend").lower())
    if shared is not None and is_available(shared):
        return True
    found = [one for one in (_find_capable(name, context) for name in ("search", "extract")) if one is not None]
    return any(map(_is_ready, found)) if context.behaviour.web_backends_strict else bool(found)


def find_searcher(context: ToolContext) -> Any:
    """Return the backend that searches, or the result for the model if there is none."""
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
    """Return the backend that reads pages, or the result for the model if there is none."""
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
    """Tell whether a backend can be used with its credentials or without any."""
    with contextlib.suppress(Exception):
        return bool(backend.is_available() or backend.is_keyless_available())
    return False


def _choose_name(capability: str, context: ToolContext) -> str:
    """Return the name of the backend to try first."""
    registered = context.registrations.backends[_CATEGORY].by_name
    special, shared = (context.text("web", key).lower() for key in (f"{capability}_backend", "backend"))
    if context.behaviour.web_backends_strict:
        if _MANAGED in (special, shared) or context.section("web").get("use_gateway"):
            raise context.state.unsupported("use the web services that Nous Portal manages")
        if special or shared:
            return special or shared
    elif special not in _OWN and special in registered and is_available(registered[special]):
        return special
    elif shared in (*_OWN, "xai") or shared in registered:
        return shared
    others = sorted(name for name in registered if name not in _OWN)
    return next((name for name in others if is_available(registered[name])), _OWN[0])


def _reject_selection(capability: str, name: str, context: ToolContext) -> str:
    """Return the error for a name that nobody registered while any backend for the web is configured; else ''."""
    keys = ("backend", "search_backend", "extract_backend")
    if not context.behaviour.web_backends_strict or not any(context.text("web", key) for key in keys):
        return ""
    return context.state.wording("web.unknown_backend", name=name, capability=capability)


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
