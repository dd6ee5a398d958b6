"""The rules, one file a family; `RULES` is the list that the engine runs.

A rule is one small class: who it is (`code`, `title`, `since`, `references`), what it means to the author
(`severity`, `why`, `fix`, a `bad` and a `good` example), and one method that looks. All of `explain`, the reference
page and the help in SARIF is made from these attributes. A new rule is a class in the file of its family and an
instance in that file's ``RULES``; a new family is a line below. `tests/check/test_rules.py` then holds it to its own
examples: the rule finds the bad one, no other rule finds an error there, and the good one is clean.

What a rule looks at decides its base class (`hermes_sdk.check.rules.base`):

    PluginRule         the manifest, the files                                 check(plugin)
    SourceRule         each Python file that can be parsed                     check(source)
    ContractRule       the plugin against what one release promises, static    check(plugin, contract)
    LoadRule           how loading it in a child process went                  check(load)
    RuntimeRule        what a plugin that loaded has registered                check(load)
    RegistrationRule   each call of one ``ctx.register_*`` among that          judge(registration, load)
    WheelRule          what its project builds                                 check(plugin, wheel)
    OnlineRule         what only the network can tell (``--online``)           check(plugin)
    ManualRule         what only a person can decide (``--profile catalog``)   nothing: it has a `question`

`example(source, manifest=…, files=…)` makes the examples. Each yields findings, made by ``self.finding(message, path,
line, column)``. Static rules (the first three) never import the plugin, import no library but PyYAML, and read files
through `Plugin` and `Source` only, since the cache keeps what they found until such a file changes. Rules run in
every order and know nothing of each other.

**The manifest.** `plugin.fields` is its mapping, `plugin.manifest.position(*keys)` the place of a key or an item::

    class LabelIsEmpty(PluginRule):
        def check(self, plugin: Plugin) -> Iterator[Finding]:
            if plugin.manifest and plugin.fields.get("label") == "":
                place = plugin.manifest.position("label")
                yield self.finding("the label is empty", plugin.relative(plugin.manifest.path), *place)

**A syntax tree.** A `Source` was walked once: ask it for `nodes`, `calls`, `imports`, and for what is around a node
(`parent`, `ancestors`, `function`, `runs_at_import`, `is_guarded`); `dotted` writes imported names out. With `needs`
the rule sees only the files that hold one of the texts, which is what keeps many rules fast::

    class SleepsAtImport(SourceRule):
        needs = ("sleep",)

        def check(self, source: Source) -> Iterator[Finding]:
            for call in source.calls("time.sleep"):
                if source.runs_at_import(call):
                    yield self.finding("the import of this module sleeps", *source.place(call))

**A release.** A `ContractRule` is asked once for each release of ``--target``; the engine makes one finding of those
that differ in nothing but the name of the release. A release before `since` is left out::

    class MissingContextMethod(ContractRule):
        def check(self, plugin: Plugin, contract: Contract) -> Iterator[Finding]:
            for source in plugin.sources:
                for call in source.calls(".register_middleware"):
                    if "register_middleware" not in contract.context:
                        message = f"ctx.register_middleware does not exist in Hermes {contract.release}"
                        yield self.finding(message, *source.place(call))

**A load.** `load.report` is what `hermes-sdk show` prints, `load.registrations("register_tool")` each call, with the
facts of its handler; `load.contract` is the release. `load.call_place` and `load.callable_place` say where it
stands, and `callables.definition` finds the function itself::

    class ToolHasNoToolset(RegistrationRule):
        call = "register_tool"

        def judge(self, registration: Registration, load: Load) -> Iterator[Finding]:
            if not registration["toolset"]:
                yield self.finding("the tool has no toolset", *load.call_place(registration))

**A repair.** `finding(…, repair=…)` takes what `hermes_sdk.check.repair` makes: `set_in_manifest` (keeps comments and
order), `replace_in_manifest` (renames a key, quotes a value), `replace_in_source`. It is safe when the plugin surely
does the same afterwards but for what the finding complains about; `--fix` applies safe ones, `--unsafe-fixes` all. A
finding never has a half repair: pass None. `loading_declared.RegisteredNotDeclared` is an example.
"""

from __future__ import annotations

from hermes_sdk.check.rules import (
    catalog,
    commands,
    configuration,
    hooks,
    hooks_arguments,
    hooks_results,
    imports,
    loading,
    loading_code,
    loading_declared,
    loading_imports,
    manifest,
    manifest_hosts,
    nix,
    packaging,
    packaging_dependencies,
    platforms,
    providers,
    providers_loading,
    security,
    security_environment,
    skills,
    suppression,
    tools,
    tools_handlers,
    tools_names,
)
from hermes_sdk.check.rules.base import Rule

_FAMILIES = (
    manifest,
    manifest_hosts,
    loading,
    loading_code,
    loading_declared,
    loading_imports,
    tools,
    tools_handlers,
    tools_names,
    hooks,
    hooks_arguments,
    hooks_results,
    commands,
    providers,
    providers_loading,
    platforms,
    packaging,
    packaging_dependencies,
    catalog,
    security,
    security_environment,
    imports,
    configuration,
    skills,
    nix,
    suppression,
)

RULES: tuple[Rule, ...] = tuple(
    sorted((rule for family in _FAMILIES for rule in family.RULES), key=lambda rule: rule.code)
)
"""Every rule once, in the order of the codes."""
