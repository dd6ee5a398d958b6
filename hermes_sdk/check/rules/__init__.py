"""The rules, one file a family; `RULES` is the list that the engine runs.

A new rule is a class in the file of its family and a line here.
"""

from __future__ import annotations

from hermes_sdk.check.rules import commands, hooks, loading, manifest, tools
from hermes_sdk.check.rules.base import Rule

RULES: tuple[Rule, ...] = (
    *manifest.RULES,
    loading.DoesNotLoad(),
    loading.BreaksTheHost(),
    loading.InvalidPython(),
    loading.AsyncRegister(),
    loading.DeclaredNotRegistered(),
    loading.RegisteredNotDeclared(),
    tools.HandlerRefusesKeywords(),
    tools.AsyncHandlerNotFlagged(),
    tools.SchemaIsWrapped(),
    tools.ParametersNotFound(),
    tools.ParametersNotValid(),
    tools.SchemaNameDiffers(),
    tools.NoDescription(),
    hooks.UnknownHook(),
    hooks.CallbackRefusesKeywords(),
    hooks.AsyncCallback(),
    commands.CommandIsBuiltIn(),
    commands.CommandHasUnderscore(),
)
"""Every rule once, in the order of the codes."""
