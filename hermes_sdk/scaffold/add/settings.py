"""Additions that read settings: a setting in ``config.yaml`` or an environment variable."""

from __future__ import annotations

import ast
import re
from collections.abc import Mapping
from typing import Any

from hermes_sdk.contract import Contract
from hermes_sdk.errors import UsageError
from hermes_sdk.scaffold.add.addition import Addition
from hermes_sdk.scaffold.add.code import Code
from hermes_sdk.scaffold.add.imports import ensure_import, type_hint

_STEM = "settings"
_ABOUT = "The settings of this plugin, from `config.yaml` and from the environment."
_SECRET = re.compile(r"(?:.*_)?(?:KEY|TOKEN|SECRET|PASSWORD|PASSPHRASE)")


class Setting(Addition):
    """A setting in ``config.yaml``, read with `ctx.get_config` if the host has it."""

    kind = "setting"
    method = "read_setting"
    stem = _STEM
    about = _ABOUT
    listed = "config_schema"
    context = "ctx"
    """The name of the context parameter of the registering function."""
    for_older_hosts = True
    """Whether the plugin also supports hosts without `ctx.get_config`."""

    def declare(self, fields: Mapping[str, Any]) -> dict[str, Any]:
        """Declare the setting for releases after 0.20.0, which warn of wrong types and show a form."""
        schema = fields.get(self.listed)
        if schema is not None and not isinstance(schema, dict):
            raise UsageError(f"{self.listed} is not a mapping", fix="Write its entries as `key: {type: string}`.")
        if self.name in (schema or ()):
            return {}
        described = f"{self.title}: describe what it changes"
        return {self.listed: {self.name: {"type": "string", "default": "", "description": described}}}

    def definitions(self, code: Code) -> str:
        """Return a function that reads the setting, and the shared helper function unless it exists."""
        self.reader = self.find_free_name(code)
        hint = type_hint(code, "PluginContext", "PluginContext")
        reader = f'''\
def {self.reader}(ctx: {hint}) -> str:
    """Return the setting `{self.name}`."""
    return {self.method}(ctx, "{self.name}")
'''
        if any(_is_shared_reader(node, self.method) for node in code.tree.body):
            return reader
        if self.method in code.names:
            raise UsageError(
                f"`{self.method}` already exists with another meaning",
                where=str(code.path),
                fix="Rename the existing method.",
            )
        logging = ensure_import(code, "logging")
        return f'''\
{reader}

def {self.method}(ctx: {hint}, name: str, default: str = "") -> str:
    """Return a setting below `plugins.entries.{self.plugin}.settings` in `config.yaml`, with its current value.

    The default replaces a setting that is missing and, with a warning in the log, one that is not text.
    """
{self._read_value()}
    if isinstance(value, str):
        return value
    if value is not None:
        {logging}.getLogger(__name__).warning("the setting %s must be text, not %r", name, value)
    return default
'''

    def _read_value(self) -> str:
        """Return the code that reads the value on every supported host."""
        if not self.for_older_hosts:
            return "    value: object = ctx.get_config(name)"
        return f'''\
    value: object
    if hasattr(ctx, "get_config"):
        value = ctx.get_config(name)
    else:  # Hermes before 0.20.1.
        from hermes_cli.config import cfg_get, load_config

        value = cfg_get(load_config(), "plugins", "entries", "{self.plugin}", "settings", name)'''

    def call(self, at: str) -> str:
        """Return a first read at load time, so that an invalid value is logged."""
        return f"{at}{self.reader}({self.context})  # A value of another type is logged when the plugin loads.\n"

    def test(self, code: Code) -> str:
        """Return tests with a valid and an invalid value."""
        marker = f"@{ensure_import(code, 'pytest')}.mark.hermes"
        config = f'{{"plugins": {{"entries": {{"{self.plugin}": {{"settings": {{"{self.name}": %s}}}}}}}}}}'
        return f"""\
{marker}(config={config % '"tea"'})
def test_the_setting_{self.identifier}_can_be_text(hermes: Host) -> None:
    assert not any("setting {self.name} must be" in record.message for record in hermes.log)


{marker}(config={config % 7})
def test_the_setting_{self.identifier}_of_another_type_is_logged(hermes: Host) -> None:
    assert any("setting {self.name} must be text, not 7" in record.message for record in hermes.log)
"""


def _is_shared_reader(node: ast.stmt, name: str) -> bool:
    """Return whether a statement is the shared helper function that `Setting` generates."""
    return (
        isinstance(node, ast.FunctionDef) and node.name == name and [one.arg for one in node.args.args][:1] == ["ctx"]
    )


class Variable(Addition):
    """An environment variable that the installer asks the user for."""

    kind = "env"
    method = "get"
    stem = _STEM
    about = _ABOUT
    listed = "requires_env"

    def __init__(self, name: str, plugin: str, release: Contract) -> None:
        super().__init__(name, plugin, release)
        self.identifier = self.identifier.lower()

    def declare(self, fields: Mapping[str, Any]) -> dict[str, Any]:
        """Declare the variable for installers, which hide the input of a secret."""
        listed = fields.get(self.listed)
        if listed is not None and not isinstance(listed, list):
            raise UsageError(f"{self.listed} is not a list", fix="Run `hermes-sdk check --fix`, which may repair it.")
        if self.name in (one.get("name") if isinstance(one, dict) else one for one in listed or ()):
            return {}
        entry: dict[str, Any] = {
            "name": self.name,
            "description": f"{self.title}: describe what it is for",
            "prompt": self.title,
        }
        if _SECRET.fullmatch(self.name):
            entry["secret"] = True
        return {self.listed: [*(listed or ()), entry]}

    def definitions(self, code: Code) -> str:
        """Return a function that reads the variable."""
        self.reader = self.find_free_name(code)
        environment, logging = f"{ensure_import(code, 'os')}.environ", ensure_import(code, "logging")
        return f'''\
def {self.reader}() -> str:
    """Return the variable `{self.name}`; empty, with a line in the log, when it is not set."""
    value = {environment}.get("{self.name}", "")
    if not value:
        {logging}.getLogger(__name__).info("{self.name} is not set: add it to the .env file of Hermes")
    return value
'''

    def call(self, at: str) -> str:
        """Return a first read at load time, so that a missing variable is logged."""
        return f"{at}{self.reader}()  # A missing variable is logged when the plugin loads.\n"

    def test(self, code: Code) -> str:
        """Return tests with and without a value."""
        marker = f"@{ensure_import(code, 'pytest')}.mark.hermes"
        return f'''\
{marker}(env={{"{self.name}": "example"}})
def test_{self.identifier}_is_read(hermes: Host) -> None:
    assert not any("{self.name} is not set" in record.message for record in hermes.log)


{marker}(env={{"{self.name}": ""}})
def test_{self.identifier}_that_is_missing_is_logged(hermes: Host) -> None:
    assert any("{self.name} is not set" in record.message for record in hermes.log)
'''
