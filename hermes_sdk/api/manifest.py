"""Manifest of a plugin: the contents of ``plugin.yaml``, completed by the host."""

from typing import Any, Protocol

__all__ = ["PluginManifest"]


class PluginManifest(Protocol):
    """Type of ``ctx.manifest``. Do not modify it: the host reads it too.

    Attributes:
        name: The name in the manifest, else of the directory or entry point.
        version: The version in the manifest, or empty.
        description: One-line summary, or empty.
        author: Author of the plugin, or empty.
        requires_env: Environment variables that the plugin needs: names, or mappings with ``name`` and the texts of the
            installer's prompt. The plugin loads without them.
        provides_tools: Declared tools.
        provides_hooks: Declared hooks.
        source: Where the plugin was found: ``bundled``, ``user``, ``project`` or ``entrypoint``.
        path: The plugin's directory; for an entry point its value, such as ``team_notes``.
        kind: ``standalone``, ``backend``, ``exclusive``, ``platform`` or ``model-provider``.
        key: Key in ``plugins.enabled`` and ``plugins.entries``: its name, with its category if it has one, such as
            ``image_gen/openai``.
        requires_hermes: Compatible releases of Hermes, such as ``>=0.20.1``, or empty. Since 0.21.3.
        portable: Whether the plugin has a ``plugin.json`` instead of a ``plugin.yaml``. Since 0.20.1.
        skill_namespace: Prefix of its skills' names, before the colon. Since 0.20.1.
        capabilities: Requested capabilities, such as ``tools.override``. Since 0.20.1.
        manifest_version: Version of the manifest's format. Since 0.20.1.
        api_version: Requested version of the plugin interface, or None. Since 0.20.1.
        requires_plugins: Plugins that must be loaded before it. Since 0.20.1.
        python_dependencies: Required Python packages; the host does not install them. Since 0.20.1.
        config_schema: Declared settings. Since 0.20.1.
        license: Licence, or empty. Since 0.20.1.
        homepage: URL of the homepage, or empty. Since 0.20.1.
        tags: Search keywords. Since 0.20.1.
        emits: Declared events that the plugin emits. Since 0.20.1.
        listens: Declared events that the plugin subscribes to. Since 0.20.1.
        provides_locales: Languages of the declared translations. Since 0.22.2.
        locale_metadata: ``endonym`` and ``rtl`` by language. Since 0.22.2.
    """

    name: str
    version: str
    description: str
    author: str
    requires_env: list[str | dict[str, Any]]
    provides_tools: list[str]
    provides_hooks: list[str]
    source: str
    path: str | None
    kind: str
    key: str
    requires_hermes: str
    portable: bool
    skill_namespace: str
    capabilities: list[str]
    manifest_version: int
    api_version: int | None
    requires_plugins: list[dict[str, Any]]
    python_dependencies: list[str]
    config_schema: dict[str, Any]
    license: str
    homepage: str
    tags: list[str]
    emits: list[str]
    listens: list[str]
    provides_locales: list[str]
    locale_metadata: dict[str, dict[str, Any]]
