"""The manifest as a plugin sees it: what the host read from ``plugin.yaml``, or found out about the plugin."""

from typing import Any, Protocol


class PluginManifest(Protocol):
    """The facts in ``ctx.manifest``. Change none of them: the host reads them too.

    Attributes:
        name: The name in the manifest, else the name of the directory or of the entry point.
        version: The version in the manifest, or empty.
        description: One line for people, or empty.
        author: Who wrote it, or empty.
        requires_env: Environment variables that the plugin wants: names, or mappings with ``name`` and what the
            installer shows when it asks for the value. The host loads the plugin also where they are missing.
        provides_tools: The tools that the manifest declares.
        provides_hooks: The hooks that the manifest declares.
        source: Where the plugin was found: ``bundled``, ``user``, ``project`` or ``entrypoint``.
        path: The plugin's directory; for an entry point its value, such as ``team_notes``.
        kind: ``standalone``, ``backend``, ``exclusive``, ``platform`` or ``model-provider``.
        key: What ``plugins.enabled`` and ``plugins.entries`` call the plugin: its name, with the category in front
            where it lies in one, such as ``image_gen/openai``.
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
