"""``hermes memory setup``: asks for the fields of a provider, and writes the answers."""

from __future__ import annotations

import io
import os
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from hermes_sdk.errors import UsageError
from hermes_sdk.hosts.embedded.commands import run_captured
from hermes_sdk.hosts.embedded.providers.memory import MakeContext, discover, load
from hermes_sdk.hosts.embedded.state import HostState
from hermes_sdk.hosts.embedded.user_config import UserConfig
from hermes_sdk.hosts.in_worker.answers import Answers, Unanswerable, read_fields
from hermes_sdk.hosts.interface import CliResult


def set_up(state: HostState, make_context: MakeContext, answers: Answers) -> CliResult:
    """Run the setup within an embedded host.

    Raises:
        UsageError: An answer does not match its question.
    """
    # A provider's own prompts read an empty standard input.
    stdin, sys.stdin = sys.stdin, io.StringIO()
    try:
        return run_captured(lambda: _run_setup(state, make_context, answers))
    except Unanswerable as problem:
        raise UsageError(f"memory.setup: {problem}.") from None
    finally:
        sys.stdin = stdin


def list_fields(provider: str, state: HostState, make_context: MakeContext) -> list[dict[str, Any]]:
    """Return the fields of a provider that the setup asks for.

    Raises:
        UsageError: The provider is not offered, raises an exception, or has its own prompts.
    """
    try:
        return read_fields(provider, lambda: _load_providers(state, make_context))
    except Unanswerable as problem:
        raise UsageError(f"memory.fields: {problem}.") from None


def _run_setup(state: HostState, make_context: MakeContext, answers: Answers) -> None:
    home = state.home.path
    offered = answers.follow_provider(_load_providers(state, make_context))
    name, _, provider = offered[answers.pick([name for name, _, _ in offered], len(offered))]
    config = state.user_config.load_config()
    if not isinstance(config.get("memory"), dict):
        config["memory"] = {}
    if hasattr(provider, "post_setup"):
        provider.post_setup(str(home), config)
        return
    values, variables = _ask_fields(name, provider, config["memory"].get(name), answers)
    config["memory"]["provider"] = name
    state.user_config.save_config(config)
    if values and hasattr(provider, "save_config"):
        try:
            provider.save_config(values, str(home))
        except Exception as error:
            print(f"  Failed to write provider config: {error}")
    if variables and state.behaviour.setup_saves_variables:
        _save_variables(state.user_config, variables)
    elif variables:
        _write_variables(home / ".env", variables)
    _print_summary(name, values, variables)


def _load_providers(state: HostState, make_context: MakeContext) -> list[tuple[str, str, Any]]:
    """Return the providers to choose from, without those that fail to load."""
    found = []
    for name, _, _ in discover(state, make_context):
        provider = load(name, state, make_context)
        if provider:
            fields = provider.get_config_schema() if hasattr(provider, "get_config_schema") else []
            # A hint next to the name marks secret fields.
            hint = ", ".join("secret" for field in fields if field.get("secret"))
            found.append((name, hint, provider))
    return found


def _ask_fields(name: str, provider: Any, known: Any, answers: Answers) -> tuple[dict[str, Any], dict[str, str]]:
    """Ask for the fields; return the values for ``save_config`` and the variables for ``.env``."""
    fields = provider.get_config_schema() if hasattr(provider, "get_config_schema") else []
    values: dict[str, Any] = known if isinstance(known, dict) else {}
    variables: dict[str, str] = {}
    if fields:
        print(f"\n  Configuring {name}:\n")
    for field in fields or ():
        key, variable = field["key"], field.get("env_var")
        if not _is_asked(field, values):
            continue
        label, default = field.get("description", key), _find_default(field, values)
        if field.get("choices") and not field.get("secret", False):
            choices, current = field["choices"], values.get(key, default)
            start = choices.index(current) if current and current in choices else 0
            values[key] = choices[answers.pick(choices, start)]
        elif field.get("secret", False):
            secret = _ask_secret(label, variable, field.get("url"), answers)
            if secret and variable:
                variables[variable] = secret
        elif typed := _prompt(label, values.get(key) or default, answers):
            values[key] = typed
            if variable:
                variables.setdefault(variable, typed)
    return values, variables


def _is_asked(field: Mapping[str, Any], values: Mapping[str, Any]) -> bool:
    when = field.get("when")
    return not (when and isinstance(when, dict)) or all(values.get(key) == wanted for key, wanted in when.items())


def _find_default(field: Mapping[str, Any], values: Mapping[str, Any]) -> Any:
    """Return the default of a field, which may depend on the value of an earlier field."""
    source = field.get("default_from")
    if source and isinstance(source, dict):
        value = values.get(source.get("field", ""), "")
        if value and value in source.get("map", {}):
            return source["map"][value]
    return field.get("default")


def _ask_secret(label: str, variable: str | None, url: str | None, answers: Answers) -> str:
    present = os.environ.get(variable, "") if variable else ""
    if present:
        shown = f"...{present[-4:]}" if len(present) > 4 else "set"
        return _prompt(f"{label} (current: {shown}, blank to keep)", None, answers)
    if url:
        print(f"  Get yours at {url}")
    return _prompt(label, None, answers)


def _prompt(label: str, default: Any, answers: Answers) -> str:
    shown = str(default) if default else ""
    print(f"  {label}{f' [{shown}]' if shown else ''}: ", end="")
    return answers.answer_field() or shown


def _save_variables(settings: UserConfig, variables: Mapping[str, str]) -> None:
    for name, value in variables.items():
        try:
            settings.save_env_value(name, value)
        except ValueError as problem:
            print(f"  Skipping {name}: {problem}")


def _write_variables(path: Path, variables: Mapping[str, str]) -> None:
    """Set variables in a ``.env``; other lines stay unchanged."""
    lines = path.read_text(encoding="utf-8").splitlines() if path.exists() else []
    names = [line.partition("=")[0].strip() if "=" in line else "" for line in lines]
    kept = [f"{name}={variables[name]}" if name in variables else line for name, line in zip(names, lines, strict=True)]
    added = [f"{name}={value}" for name, value in variables.items() if name not in names]
    path.write_text("\n".join([*kept, *added, ""]), encoding="utf-8")
    path.chmod(0o600)


def _print_summary(name: str, values: Mapping[str, Any], variables: Mapping[str, str]) -> None:
    print(f"\n  Memory provider: {name}\n  Activation saved to config.yaml")
    if values:
        print("  Provider config saved")
    if variables:
        print("  API keys saved to .env")
    print("\n  Start a new session to activate.\n")
