"""Arguments of the host's calls of plugin code other than hooks, and keys and variables that it reads for plugins."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Mapping
from typing import Any

from .hooks import arguments
from .source import Call, Function, Keys, Source, list_assigned_names, parameters, receiver_of, texts_of

# Calls: (label, last part of the callee's dotted name, modules, text of the receiver).
HOST_CALLS = (
    ("ContextEngine.compress", "compress", r"agent|run_agent|gateway|cli", r".*(compressor|engine)"),
    ("ContextEngine.compress, if accepted", "_supported_compression_kwargs", "", ""),
    ("ContextEngine.on_session_start", "on_session_start", r"agent|run_agent", r".*(compressor|engine)"),
    ("ContextEngine.update_model", "update_model", "", ""),
    ("ImageGenProvider.generate", "generate", r"tools\.image", "provider"),
    ("MemoryManager.initialize_all", "initialize_all", "", ""),
    ("MemoryProvider.on_delegation", "on_delegation", "", ""),
    ("MemoryProvider.on_memory_write", "on_memory_write", "", ""),
    ("MemoryProvider.on_pre_compress", "on_pre_compress", "", ""),
    ("MemoryProvider.on_session_end", "on_session_end", "", ""),
    ("MemoryProvider.on_session_switch", "on_session_switch", "", ""),
    ("MemoryProvider.on_turn_start", "on_turn_start", "", ""),
    ("TTSProvider.synthesize", "synthesize", r"tools\.tts", ""),
    ("TranscriptionProvider.transcribe", "transcribe", r"tools\.transcription", "provider"),
    ("VideoGenProvider.generate", "generate", r"tools\.video", "provider"),
    ("platform adapter connect", "connect", r"gateway\.run", "adapter"),
    ("tool handler", "dispatch", r"model_tools|run_agent|agent\.|hermes_cli\.plugins", r"(.*\.)?registry"),
)
PLATFORM_READERS = r"_inject_platform_plugin_env_vars|_platform_manifest_env_entries"
# Mappings: (label, modules, functions, variables with the mapping).
KEYS_READ: tuple[tuple[str, str, str, set[str]], ...] = (
    ("config hooks.<event>[]", "agent.shell_hooks", r"_parse_single_entry", {"raw"}),
    ("config hooks.output_spill", "tools.hook_output_spill", r"get_spill_config", {"section"}),
    ("config plugins.entries.<key>", "agent.plugin_llm", r"_resolve_trust_policy", {"entry"}),
    ("config plugins.entries.<key> of overrides", "hermes_cli.plugins", r"_tool_override_allowed", {"entry"}),
    ("config plugins.entries.<key>.llm", "agent.plugin_llm", r"_resolve_trust_policy", {"llm_cfg"}),
    ("dashboard manifest.json", r"hermes_cli\.web_server\w*", r"_d\w+_dashboard_plugins|_dashboard_\w+", {"data"}),
    (
        "dashboard manifest.json tab",
        r"hermes_cli\.web_server\w*",
        r"_d\w+_dashboard_plugins|_dashboard_\w+",
        {"raw_tab"},
    ),
    ("gateway HOOK.yaml", "gateway.hooks", r"discover_and_load|_load_hook_dir", {"manifest"}),
    ("plugin.yaml of the installer", r"hermes_cli\.plugins_cmd\w*|pm\.plugin_declarations", r".*", {"manifest"}),
    ("plugin.yaml of the loader", r"hermes_cli\.plugins(_manifest)?", r"_?parse_manifest\w*|_manifest_\w+", {"data"}),
    ("plugin.yaml of memory setup", "hermes_cli.memory_setup", r"_install_dependencies", {"meta", "dep"}),
    ("plugin.yaml of platforms", "hermes_cli.config", PLATFORM_READERS, {"manifest"}),
    ("plugin.yaml of platforms: requires_env[]", "hermes_cli.config", PLATFORM_READERS, {"meta", "entry"}),
    (
        "plugin.yaml of the installer: requires_env[]",
        r"hermes_cli\.plugins_cmd\w*",
        r"_prompt.*_vars|_missing.*_(names|specs)",
        {"spec", "entry", "s"},
    ),
)
ENVIRONMENT_READERS = (
    "agent.plugin_llm",
    "agent.shell_hooks",
    "gateway.hooks",
    "hermes_cli.plugins",
    "hermes_cli.plugins_cmd",
    "hermes_constants",
    "plugins.memory",
    "providers",
)


def sections(source: Source) -> dict[str, Any]:
    """Return the sections that are read from calls and look-ups in the source."""
    return {
        "gateway_events": find_gateway_events(source),
        "host_calls": {fact[0]: find_host_calls(source, *fact[1:]) for fact in HOST_CALLS},
        "keys_read": {fact[0]: keys for fact in KEYS_READ if (keys := find_keys_read(source, *fact[1:]))},
        "env_vars": find_env_vars(source),
    }


def find_gateway_events(source: Source) -> dict[str, Any]:
    """Return the events of gateway hooks with their context keys, and whether the handler's result is used."""
    contexts: dict[str, list[Keys]] = {}
    collected: set[str] = set()
    for call in find_emissions(source):
        context = call.argument("context", 1)
        for event in texts_of(call.node.args[0]) if call.node.args else ():
            keys = source.keys(context, call.module, call.scopes) if context else Keys(frozenset())
            contexts.setdefault(event, []).append(keys)
            if isinstance(call.node.func, ast.Attribute) and call.node.func.attr == "emit_collect":
                collected.add(event)
    return {event: {**arguments(keys), "result_used": event in collected} for event, keys in contexts.items()}


def find_emissions(source: Source) -> Iterator[Call]:
    """Yield the calls that reach gateway hooks: of the registry itself, or of an agent's callback to the registry."""
    for name in ("emit", "emit_collect"):
        yield from (call for call in source.calls(name) if "hooks" in receiver_of(call).rpartition(".")[2])
    yield from source.calls("event_callback")


def find_host_calls(source: Source, callee: str, modules: str, receiver: str) -> list[dict[str, Any]]:
    """Return all calls of a name: place, number of positional arguments, keywords."""
    found = []
    for call in source.calls(callee, modules):
        if re.fullmatch(receiver or ".*", receiver_of(call), re.DOTALL):
            found.append({"at": call.place(), "positional": len(call.node.args), **arguments([source.keywords(call)])})
    return sorted(found, key=repr)


def find_keys_read(source: Source, modules: str, functions: str, variables: set[str]) -> dict[str, str | None]:
    """Return the keys that functions read from a mapping, with the source of their defaults, if any."""
    found: dict[str, str | None] = {}
    for module in (module for module in source.files if re.fullmatch(modules, module)):
        defined = [node for node in ast.walk(source.tree(module)) if isinstance(node, Function)]
        readers = find_readers(defined)
        for function in (one for one in defined if re.fullmatch(functions, one.name)):
            for node in ast.walk(function):
                for mapping, key, default in find_look_ups(node, readers):
                    texts = find_key_texts(source, module, function, mapping, key) if mapping in variables else ()
                    for text in texts:
                        found[text] = found.get(text) or (ast.unparse(default) if default else None)
    return found


def find_key_texts(source: Source, module: str, function: Function, mapping: str, key: ast.expr) -> list[str]:
    """Return the possible strings of a key; for a loop variable, the constants over which the loop iterates.

    A loop that reassigns the mapping descends a path, so its keys do not belong to a single mapping.
    """
    if not isinstance(key, ast.Name):
        return texts_of(key)
    found = source.texts(key, module)
    for node in ast.walk(function):
        if isinstance(node, ast.For | ast.comprehension) and isinstance(node.target, ast.Name):
            walks = any(mapping in list_assigned_names(one) for one in ast.walk(node) if isinstance(one, ast.Assign))
            items = source.resolve(node.iter, module) if node.target.id == key.id and not walks else None
            if isinstance(items, ast.Tuple | ast.List | ast.Set):
                found += [text for item in items.elts for text in texts_of(item)]
    return found


def find_readers(functions: list[Function]) -> dict[str, tuple[int, int]]:
    """Find the functions that look up one of their parameters as a key in another one, a mapping.

    Returns:
        The positions of the mapping and the key among their parameters, by function name.
    """
    found: dict[str, tuple[int, int]] = {}
    known = -1
    while known < len(found):  # Readers may call each other.
        known = len(found)
        for function in functions:
            names = parameters(function)
            for node in ast.walk(function):
                for mapping, key, _ in find_look_ups(node, found):
                    if mapping in names and isinstance(key, ast.Name) and key.id in names:
                        found[function.name] = names.index(mapping), names.index(key.id)
    return found


def find_look_ups(
    node: ast.AST, readers: Mapping[str, tuple[int, int]]
) -> Iterator[tuple[str, ast.expr, ast.expr | None]]:
    """Yield the name of the mapping, the key and the default of an expression that reads a key.

    The expression is ``name.get("key", default)``, ``name["key"]``, or a call of a function from `find_readers`.
    """
    if isinstance(node, ast.Subscript) and isinstance(node.value, ast.Name):
        yield node.value.id, node.slice, None
    if not isinstance(node, ast.Call):
        return
    function, given = node.func, node.args
    if (
        isinstance(function, ast.Attribute)
        and function.attr == "get"
        and isinstance(function.value, ast.Name)
        and given
    ):
        yield function.value.id, given[0], given[1] if len(given) > 1 else None
    elif isinstance(function, ast.Name) and function.id in readers:
        mapping, key = readers[function.id]
        name = given[mapping] if max(mapping, key) < len(given) else None
        if isinstance(name, ast.Name):
            yield name.id, given[key], None


def find_env_vars(source: Source) -> dict[str, list[str]]:
    """Return the environment variables in the plugin system's code, with the modules that name them."""
    found: dict[str, list[str]] = {}
    for module in ENVIRONMENT_READERS:
        nodes = ast.walk(source.tree(module)) if module in source.files else ()
        names = {text for node in nodes if isinstance(node, ast.Constant) for text in texts_of(node)}
        for name in names:
            if re.fullmatch(r"(HERMES|TERMINAL|AUXILIARY)_[A-Z0-9_]+", name):
                found.setdefault(name, []).append(module)
    return found
