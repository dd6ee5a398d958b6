"""The manifest as a plugin sees it: what the host read from ``plugin.yaml``, or found out about the plugin."""

from typing import Any, Protocol

__all__ = ["PluginManifest"]


class PluginManifest(Protocol):
    """The facts in ``ctx.manifest``. Change none of them: the host reads them too.

    Attributes:
        name: The name in the manifest, else the name of the directory or of the entry point.
        version: The version in the manifest, or empty.
        description: One-line summary, or empty.
        author: Who wrote it, or empty.
        requires_env: Environment variables that the plugin wants: names, or mappings with ``name`` and what the
            installer shows when it asks for the value. The plugin loads without them.
        provides_tools: The tools that the manifest declares.
        provides_hooks: The hooks that the manifest declares.
        source: Where the plugin was found: ``bundled``, ``user``, ``project`` or ``entrypoint``.
        path: The plugin's directory; for an entry point its value, such as ``team_notes``.
        kind: ``standalone``, ``backend``, ``exclusive``, ``platform`` or ``model-provider``.
        key: The plugin in ``plugins.enabled`` and ``plugins.entries``: its name, after the category if it has one, such
            as ``image_gen/openai``.
        requires_hermes: The releases that it works with, such as ``>=0.20.1``, or empty. Since 0.21.3.
        portable: Whether it has a ``plugin.json`` instead of a ``plugin.yaml``. Since 0.20.1.
        skill_namespace: What its skills are called by, in front of a colon. Since 0.20.1.
        capabilities: What it asks the user to grant, such as ``tools.override``. Since 0.20.1.
        manifest_version: The version of the manifest's format. Since 0.20.1.
        api_version: The version of the plugin interface that it asks for, or None. Since 0.20.1.
        requires_plugins: Plugins that must be loaded before it. Since 0.20.1.
        python_dependencies: Python packages that it needs; the host does not install them. Since 0.20.1.
        config_schema: The settings that it declares. Since 0.20.1.
        license: Its licence, or empty. Since 0.20.1.
        homepage: Its address, or empty. Since 0.20.1.
        tags: Search keywords. Since 0.20.1.
        emits: The events that it declares to send. Since 0.20.1.
        listens: The events that it declares to subscribe to. Since 0.20.1.
        provides_locales: The languages that it declares texts for. Since 0.22.2.
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
