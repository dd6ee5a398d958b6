"""Names of modules from which plugins import, to distinguish missing APIs from mistakes."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from typing import Any

from .source import Source

# Modules of the host from which plugins may import.
MODULES = (
    "agent",
    "agent.async_utils",
    "agent.auxiliary_client",
    "agent.browser_provider",
    "agent.context_engine",
    "agent.file_safety",
    "agent.image_gen_provider",
    "agent.memory_provider",
    "agent.message_content",
    "agent.plugin_llm",
    "agent.portal_tags",
    "agent.redact",
    "agent.runtime_cwd",
    "agent.secret_scope",
    "agent.secret_sources",
    "agent.secret_sources._cache",
    "agent.secret_sources.base",
    "agent.terminal_env_provider",
    "agent.think_scrubber",
    "agent.transcription_provider",
    "agent.tts_provider",
    "agent.usage_pricing",
    "agent.video_gen_provider",
    "agent.web_search_provider",
    "cron",
    "cron.jobs",
    "cron.scheduler_provider",
    "gateway",
    "gateway.config",
    "gateway.platform_registry",
    "gateway.platforms",
    "gateway.platforms.base",
    "gateway.platforms.helpers",
    "gateway.platforms.webhook",
    "gateway.session",
    "gateway.session_context",
    "gateway.status",
    "gateway.stream_consumer",
    "hermes_cli",
    "hermes_cli._subprocess_compat",
    "hermes_cli.cli_output",
    "hermes_cli.colors",
    "hermes_cli.config",
    "hermes_cli.config_defaults",
    "hermes_cli.dashboard_auth",
    "hermes_cli.dashboard_auth.base",
    "hermes_cli.plugins",
    "hermes_cli.profiles",
    "hermes_cli.secret_prompt",
    "hermes_cli.setup",
    "hermes_cli.urllib_security",
    "hermes_constants",
    "hermes_state",
    "model_tools",
    "plugins",
    "plugins.memory",
    "plugins.memory.config_schema",
    "providers",
    "providers.base",
    "tools",
    "tools.approval",
    "tools.clarify_gateway",
    "tools.delegate_tool",
    "tools.interrupt",
    "tools.registry",
    "tools.tts_streaming",
    "tools.url_safety",
    "tools.website_policy",
    "tools.xai_http",
    "utils",
)


def sections(source: Source) -> dict[str, Any]:
    """Return the section that is read from the top level of modules."""
    found = {module: list_names(source, module) for module in MODULES if module in source.files}
    return {"module_names": found}


def list_names(source: Source, module: str) -> list[str]:
    """Return the names that a module defines, or imports from other modules of the host."""
    packages = {name.partition(".")[0] for name in source.files}
    return sorted({name for node in statements(source.tree(module).body) for name in find_bound_names(node, packages)})


def statements(body: Iterable[ast.stmt]) -> Iterator[ast.stmt]:
    """Yield the statements of a module, including those within `if` and `try`."""
    for node in body:
        yield node
        if isinstance(node, ast.If | ast.Try | ast.With):
            yield from statements(child for child in ast.iter_child_nodes(node) if isinstance(child, ast.stmt))
            for handler in getattr(node, "handlers", ()):
                yield from statements(handler.body)


def find_bound_names(node: ast.stmt, packages: set[str]) -> Iterator[str]:
    """Yield the names that a statement binds; for imports, only those from packages of the host."""
    match node:
        case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name) | ast.ClassDef(name=name):
            yield name
        case ast.Assign(targets=targets):
            yield from (part.id for target in targets for part in ast.walk(target) if isinstance(part, ast.Name))
        case ast.AnnAssign(target=ast.Name(id=name)):
            yield name
        case ast.ImportFrom(module=module, names=aliases, level=level):
            if level or (module or "").partition(".")[0] in packages:
                yield from (alias.asname or alias.name for alias in aliases)
        case _:
            pass
