"""Backends and context engines that plugins register (statements F19, G13 and G16)."""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from hermes_sdk.contract import Contract
from hermes_sdk.hosts.embedded.ledger import Entry
from hermes_sdk.hosts.embedded.plugin import Plugin, PluginManifest
from hermes_sdk.hosts.embedded.state import HostState
from hermes_sdk.hosts.embedded.store import Store

logger = logging.getLogger("hermes_cli.plugins")


class Category(NamedTuple):
    """One kind of backend.

    Attributes:
        what: Name of the category in Hermes' messages.
        registry: Module of Hermes that stores the backends.
        label: First words of the errors of that module.
    """

    name: str
    what: str
    module: str
    base: str
    registry: str
    label: str


def _make_category(name: str, what: str, base: str, label: str, stem: str) -> Category:
    return Category(name, what, f"agent.{stem}_provider", base, f"agent.{stem}_registry", label)


CATEGORIES = {
    "register_browser_provider": _make_category(
        "browser", "a browser provider", "BrowserProvider", "Browser", "browser"
    ),
    "register_dashboard_auth_provider": Category(
        "dashboard_auth",
        "a dashboard-auth provider",
        "hermes_cli.dashboard_auth.base",
        "DashboardAuthProvider",
        "hermes_cli.dashboard_auth.registry",
        "",
    ),
    "register_image_gen_provider": _make_category(
        "image_gen", "an image_gen provider", "ImageGenProvider", "Image gen", "image_gen"
    ),
    "register_secret_source": Category(
        "secret_source",
        "a secret source",
        "agent.secret_sources.base",
        "SecretSource",
        "agent.secret_sources.registry",
        "",
    ),
    "register_transcription_provider": _make_category(
        "transcription", "a transcription provider", "TranscriptionProvider", "Transcription", "transcription"
    ),
    "register_tts_provider": _make_category("tts", "a TTS provider", "TTSProvider", "TTS", "tts"),
    "register_video_gen_provider": _make_category(
        "video_gen", "a video_gen provider", "VideoGenProvider", "Video gen", "video_gen"
    ),
    "register_web_search_provider": _make_category(
        "web_search", "a web provider", "WebSearchProvider", "Web", "web_search"
    ),
}
"""Member of ``ctx`` -> category that it registers."""

MEMORY = Category("", "a memory provider", "agent.memory_provider", "MemoryProvider", "", "")
REFERENCE = Category("", "a context reference provider", "agent.context_references", "ContextReferenceProvider", "", "")
ENGINE = Category("", "a context engine", "agent.context_engine", "ContextEngine", "", "")


class Offer(NamedTuple):
    """A backend to register, and the `known` backends of its category by name."""

    plugin: Any
    category: Category
    backend: Any
    known: Mapping[str, Any]
    contract: Contract


class Backends(Store):
    """Backends of one category: for each name, the registrations with the keys of plugins; the last wins."""

    entries: dict[str, list[tuple[Any, Any]]]

    def __init__(self, state: HostState, category: Category) -> None:
        self.entries = {}
        self._state = state
        self._contract = state.contract
        self._category = category

    @property
    def by_name(self) -> dict[str, Any]:
        """The current backends, in the order in which their names were first registered."""
        return {name: registered[-1][1] for name, registered in self.entries.items()}

    def names(self, plugin: Plugin) -> list[str]:
        """List the names of the backends that a plugin registered, including replaced backends."""
        key = plugin.manifest.lookup_key
        return [name for name, registered in self.entries.items() if any(owner == key for owner, _ in registered)]

    def register(self, plugin: PluginManifest, **arguments: Any) -> Entry | None:
        """Register a backend; ignore one of another class with a warning.

        Raises:
            ValueError: The backend has no name.
        """
        (backend,) = arguments.values()
        category = self._category
        if not has_base_class(plugin.name, category, backend, self._state):
            return None
        accept = _CHECKS.get(category.name, _check_name)
        name = accept(Offer(plugin.name, category, backend, self.by_name, self._contract))
        as_kept = self._contract.behaviour.backends_logged_as_kept
        # Earlier releases log rejected backends with built-in names as registered.
        if name is None and (as_kept or accept is not _check_not_builtin):
            return None
        more = f" ({backend.display_name})" if category.name == "dashboard_auth" else ""
        what = category.what.partition(" ")[2]
        logger.info("Plugin '%s' registered %s: %s%s", plugin.name, what, name if as_kept else backend.name, more)
        return None if name is None else Entry(name, self.append_to(name, (plugin.lookup_key, backend)))


class ContextEngines(Store):
    """The first context engine that is registered, with the key of its plugin."""

    entries: list[tuple[Any, Any]]

    def __init__(self, state: HostState) -> None:
        self.entries = []
        self._state = state

    @property
    def registered(self) -> Any:
        """The context engine, or None."""
        return self.entries[0][1] if self.entries else None

    def find(self, name: object) -> Any:
        """Return the context engine with a name, or None."""
        return next((engine for _, engine in self.entries if engine.name == name), None)

    def names(self, plugin: Plugin) -> list[str]:
        """List the name of the engine if the plugin registered it."""
        return [str(engine.name) for owner, engine in self.entries if owner == plugin.manifest.lookup_key]

    def register(self, plugin: PluginManifest, *, engine: Any) -> Entry | None:
        """Register the first context engine of the right class."""
        if self.entries:
            message = "Plugin '%s' tried to register a context engine, but one is already registered."
            logger.warning(f"{message} Only one context engine plugin is allowed.", plugin.name)
            return None
        if not has_base_class(plugin.name, ENGINE, engine, self._state):
            return None
        logger.info("Plugin '%s' registered context engine: %s", plugin.name, engine.name)
        return Entry(engine.name, self.append((plugin.lookup_key, engine)))


def has_base_class(plugin: Any, category: Category, backend: Any, state: HostState) -> bool:
    """Return whether a backend is of the right class; log a warning if it is not."""
    # The base class exists only once its module has been imported, for example to subclass it.
    base = state.classes.get(category.base)
    if base is not None and isinstance(backend, base):
        return True
    message = "Plugin '%s' tried to register %s that does not inherit from %s. Ignoring."
    logger.warning(message, plugin, category.what, category.base)
    return False


def _check_name(offer: Offer) -> str | None:
    """Return the name under which to register a backend, or None to reject it, as the checks below do."""
    name = offer.backend.name
    if not isinstance(name, str) or not name.strip():
        raise ValueError(f"{offer.category.label} provider .name must be a non-empty string")
    return name


def _check_not_builtin(offer: Offer) -> str | None:
    name = str(_check_name(offer)).strip().lower()
    builtin = offer.contract.section("constants")[offer.category.registry]["_BUILTIN_NAMES"]
    if name not in builtin:
        return name
    logging.getLogger(offer.category.registry).warning(
        "%s provider '%s' shadows a built-in name; registration ignored. Built-in %s providers (%s) always win — pick a"
        " different name.",
        offer.category.label,
        name,
        {"tts": "TTS", "transcription": "STT"}[offer.category.name],
        ", ".join(sorted(builtin)),
    )
    return None


def assert_protocol_compliance(cls: type) -> None:
    """Check a class of login providers.

    Raises:
        TypeError: A name or a method is missing.
    """
    for attribute in ("name", "display_name"):
        if not getattr(cls, attribute, ""):
            raise TypeError(f"{cls.__name__} missing or empty attribute: {attribute!r}")
    for method in ("start_login", "complete_login", "verify_session", "refresh_session", "revoke_session"):
        if not callable(getattr(cls, method, None)):
            raise TypeError(f"{cls.__name__} missing method: {method}")
    if left := getattr(cls, "__abstractmethods__", None):
        raise TypeError(f"{cls.__name__} has unimplemented abstract methods: {sorted(left)}")


def _check_dashboard_auth(offer: Offer) -> str | None:
    backend = offer.backend
    try:
        assert_protocol_compliance(type(backend))
        if backend.name in offer.known and not offer.contract.behaviour.logins_replaced:
            raise ValueError(f"dashboard-auth provider already registered: {backend.name!r}")
    except (TypeError, ValueError) as error:
        message = "Plugin '%s' failed to register dashboard-auth provider %r: %s"
        logger.warning(message, offer.plugin, getattr(backend, "name", "?"), error)
        return None
    return str(backend.name)


def _check_secret_source(offer: Offer) -> str | None:
    problem = _find_source_problem(offer)
    if problem is None:
        return str(offer.backend.name)
    logging.getLogger(offer.category.registry).warning("%s", problem)
    return None


def _find_source_problem(offer: Offer) -> str | None:
    """Return why a secret source is ignored, or None."""
    source, name = offer.backend, offer.backend.name or ""
    spoken = offer.contract.section("constants")[offer.category.module]["SECRET_SOURCE_API_VERSION"]
    if not name.replace("_", "").isalnum() or name != name.lower():
        return f"Ignoring secret source with invalid name {name!r}"
    if source.api_version != spoken:
        built = f"built against secret-source API v{source.api_version}"
        return f"Ignoring secret source '{name}': {built}, this Hermes speaks v{spoken}"
    if source.shape not in ("mapped", "bulk"):
        return f"Ignoring secret source '{name}': shape must be 'mapped' or 'bulk', got {source.shape!r}"
    if name in offer.known:
        return f"Secret source '{name}' already registered; ignoring duplicate"
    rival = next((one for one, other in offer.known.items() if source.scheme and other.scheme == source.scheme), None)
    if rival is not None:
        return f"Ignoring secret source '{name}': scheme '{source.scheme}://' is already owned by source '{rival}'"
    return None


_CHECKS: dict[str, Callable[[Offer], str | None]] = {
    "dashboard_auth": _check_dashboard_auth,
    "secret_source": _check_secret_source,
    "transcription": _check_not_builtin,
    "tts": _check_not_builtin,
}
