"""HS1xx: the releases and the kind that the manifest declares."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from hermes_sdk.check.plugin import Plugin
from hermes_sdk.check.repair import replace_in_manifest, set_in_manifest
from hermes_sdk.check.rule import MANIFEST, NOTHING, Problem, Rules, example
from hermes_sdk.check.rules.uses import collect_uses
from hermes_sdk.check.source import Source
from hermes_sdk.contract.behaviour import FLAGS
from hermes_sdk.contract.ordering import Supported, raise_floor
from hermes_sdk.manifest.forms import MANIFEST_NAMES
from hermes_sdk.manifest.kinds import COMPUTER_USE, MEMORY, SCHEDULERS, guessed_kind, list_markers

if TYPE_CHECKING:
    from hermes_sdk.contract import Contract

RULES = Rules()
rule = RULES.rule

_MIDDLEWARE = """\
def register(ctx):
    ctx.register_middleware("tool_request", lambda **kwargs: None)
"""

_NO_KIND = MANIFEST.replace("kind: standalone\n", "")


@rule(
    "HS127",
    behaviour="requires_hermes_gates",
    references=("https://github.com/NousResearch/hermes-agent/issues/109153",),
    bad=example(manifest=f"{MANIFEST}requires_hermes: '~=0.19.0'\n"),
    good=example(manifest=f"{MANIFEST}requires_hermes: '>=0.19, <0.20'\n"),
)
def requirement_not_readable(plugin: Plugin) -> Iterator[Problem]:
    """requires_hermes cannot be read

    Hosts treat it as no limit, and `hermes plugins validate` rejects the plugin.

    Fix: Write clauses such as '>=0.19, <0.22', joined by commas.
    """
    text = plugin.fields.get("requires_hermes")
    if plugin.manifest and isinstance(text, str):
        try:
            Supported.parse(text)
        except ValueError as error:
            place = plugin.manifest.position("requires_hermes")
            yield Problem(f"requires_hermes: {error}", plugin.relative(plugin.manifest.path), *place)


@rule(
    "HS128",
    severity="warning",
    references=("https://github.com/briancaffey/hermes-otel/issues/128",),
    bad=example(_MIDDLEWARE, manifest=f"{MANIFEST}requires_hermes: '>=0.16'\n"),
    good=example(),
)
def requirement_too_low(plugin: Plugin) -> Iterator[Problem]:
    """requires_hermes admits releases that are too old

    Older hosts still install the plugin, which then does not load or does nothing.

    Fix: Raise requires_hermes to the first release that has everything it uses.
    """
    manifest, written = plugin.manifest, plugin.fields.get("requires_hermes")
    if manifest is None or not isinstance(written, str):
        return
    from hermes_sdk import contract
    from hermes_sdk.contract.floor import find_floor

    floor = find_floor(collect_uses(plugin))
    older = contract.api_releases()[: contract.api_releases().index(floor.release)]
    try:
        admitted = [release for release in older if Supported.parse(written).admits(release)]
    except ValueError:
        return
    if admitted:
        message = f"requires_hermes admits Hermes {admitted[-1]}, which lacks {', '.join(floor.missing)}"
        repair = set_in_manifest(plugin, ["requires_hermes"], raise_floor(written, floor.release))
        place = manifest.position("requires_hermes")
        yield Problem(message, plugin.relative(manifest.path), *place, repair=repair)


@rule(
    "HS129",
    references=("A28", "A29", "A30", "https://github.com/susomejias/rembric/pull/359"),
    bad=example(f'"""Works beside any MemoryProvider."""\n\n\n{NOTHING}', manifest=_NO_KIND),
    good=example(f'"""Works beside any MemoryProvider."""\n\n\n{NOTHING}'),
)
def kind_guessed(plugin: Plugin, contract: Contract) -> Iterator[Problem]:
    """kind is guessed from the source text

    The host searches the source text, including comments, and leaves the plugin to a provider loader.

    Fix: Add the kind to plugin.yaml.
    """
    # If the plugin is such a provider, the guess is correct but fragile.
    if plugin.manifest is None or "kind" in plugin.fields or not isinstance(plugin.manifest.value, dict):
        return
    markers = list_markers(contract.behaviour)
    kind = guessed_kind(plugin.located.directory, markers)
    source = next((one for one in plugin.sources if one.path == plugin.entry), None)
    if kind == "standalone" or source is None:
        return
    word, line = _find_trigger(source, markers if kind == "exclusive" else ("ProviderProfile",))
    place = (source.path, line, max(source.line(line).find(word), 0) + 1)
    if _is_provider(plugin, kind, markers):
        message = f"the host guesses the kind '{kind}' from the word {word}"
        if _has_other_features(plugin) or word in {*SCHEDULERS, *COMPUTER_USE}:
            yield Problem(message, *place, severity="warning", fix=_explain_kinds(kind, word))
        else:
            yield Problem(message, *place, severity="warning", repair=set_in_manifest(plugin, ["kind"], kind))
    else:
        message = f"the host guesses the kind '{kind}' from the word {word}, and never loads the plugin"
        repair = set_in_manifest(plugin, ["kind"], "standalone", safe=False)
        yield Problem(message, *place, repair=repair)


def _has_other_features(plugin: Plugin) -> bool:
    """Return whether a plugin with a provider also declares or registers something else."""
    if any(plugin.fields.get(key) for key in ("provides_tools", "provides_hooks")):
        return True
    calls = (call for source in plugin.sources for call in source.nodes(ast.Call))
    methods = {call.func.attr for call in calls if isinstance(call.func, ast.Attribute)}
    return any(name.startswith("register_") for name in methods - {"register_memory_provider", "register_provider"})


def _explain_kinds(kind: str, word: str) -> str:
    """Explain the two kinds that a plugin with a provider can have.

    Args:
        word: The word from which the host guesses the kind.
    """
    if kind == "exclusive" and word not in MEMORY:
        drops = "the host does so only if the configuration selects the provider"
    elif kind == "exclusive":
        drops = f"releases before {FLAGS['memory_providers_register_all'].since} ignore its tools, hooks and commands"
    else:
        drops = "the host never calls its `register`"
    return f"Choose a kind: with 'standalone', the host calls `register` of the enabled plugin; with '{kind}', {drops}."


def _find_trigger(source: Source, words: Sequence[str]) -> tuple[str, int]:
    """Find the first occurrence of any of the words in a source, and its line."""
    found = [(at, word) for word in words if (at := source.text.find(word)) >= 0]
    at, word = min(found, default=(0, words[0]))
    return word, source.text.count("\n", 0, at) + 1


def _is_provider(plugin: Plugin, kind: str, markers: Sequence[str]) -> bool:
    """Return whether the plugin's code defines or registers a provider of the kind."""
    names = markers if kind == "exclusive" else ("register_provider", "ProviderProfile")
    for source in plugin.sources:
        bases = (source.dotted_name(one) for node in source.nodes(ast.ClassDef) for one in node.bases)
        calls = [form for name in names for form in (name, f".{name}")]
        if source.calls(*calls) or any(name.rpartition(".")[2] in names for name in bases):
            return True
    return False


@rule("HS130", severity="warning", references=("A17",), bad=example(files={"plugin.yml": MANIFEST}), good=example())
def two_manifests(plugin: Plugin) -> Iterator[Problem]:
    """two manifests

    The host reads plugin.yaml and ignores plugin.yml, so edits there have no effect.

    Fix: Keep plugin.yaml and delete plugin.yml.
    """
    if plugin.manifest and plugin.manifest.path.name == MANIFEST_NAMES[0]:
        other = plugin.manifest.path.with_name(MANIFEST_NAMES[1])
        if other in plugin.files:
            yield Problem("the host reads plugin.yaml and not this file", plugin.relative(other))


@rule(
    "HS131",
    severity="warning",
    references=("A12", "A41", "https://github.com/briancaffey/hermes-otel/issues/129"),
    bad=example(
        files={
            "pyproject.toml": (
                '[project]\nname = "example"\nversion = "1"\n\n'
                '[project.entry-points."hermes_agent.plugins"]\nexample_plugin = "example"\n'
            )
        }
    ),
    good=example(),
)
def entry_point_has_other_name(plugin: Plugin) -> Iterator[Problem]:
    """entry point and manifest have different names

    The entry point's name is the plugin's key: enabling the plugin from a directory does not enable it from pip.

    Fix: Give both the same name.
    """
    entry_point, name = plugin.located.entry_point, plugin.fields.get("name")
    if plugin.manifest is None or entry_point is None or not isinstance(name, str) or entry_point[0] == name:
        return
    place = plugin.manifest.position("name")
    repair = replace_in_manifest(plugin, ["name"], name, entry_point[0], safe=False)
    message = f"the manifest says '{name}', and the entry point '{entry_point[0]}'"
    yield Problem(message, plugin.relative(plugin.manifest.path), *place, repair=repair)


@rule(
    "HS132",
    references=("A29", "G4"),
    bad=example(manifest=MANIFEST.replace("standalone", "exclusive")),
    good=example(),
)
def exclusive_without_provider(plugin: Plugin) -> Iterator[Problem]:
    """exclusive plugin has no provider

    The host leaves a plugin of the kind `exclusive` to the loaders of providers, and never calls its `register`.

    Fix: Set `kind: standalone` for a plugin with tools, hooks or commands, and `kind: platform` for a platform.
    """
    words = (*MEMORY, *SCHEDULERS, *COMPUTER_USE)
    if plugin.manifest is None or plugin.fields.get("kind") != "exclusive" or not plugin.sources:
        return
    if not any(word in source.text for source in plugin.sources for word in words):
        place = plugin.manifest.position("kind")
        message = "the kind is 'exclusive', but the plugin has no provider: it is never loaded"
        yield Problem(message, plugin.relative(plugin.manifest.path), *place)


_KIND_CALLS = {
    "backend": re.compile(r"register_\w*(provider|engine|backend|source|scheduler|store|route)"),
    "platform": re.compile("register_platform"),
}


@rule("HS133", severity="info", bad=example(manifest=MANIFEST.replace("standalone", "platform")), good=example())
def kind_without_registration(plugin: Plugin) -> Iterator[Problem]:
    """kind does not match the registrations

    The kind tells users what the plugin is.

    Fix: Set `kind: standalone` for a plugin with tools, hooks or commands, `backend` for a provider, and `platform` for
    a platform.
    """
    kind = plugin.fields.get("kind", "")
    if plugin.manifest is None or not isinstance(kind, str) or not plugin.sources:
        return
    text = "\n".join(source.text for source in plugin.sources)
    lacks = kind in _KIND_CALLS and not _KIND_CALLS[kind].search(text)
    if lacks or (kind != "platform" and _KIND_CALLS["platform"].search(text)):
        place = plugin.manifest.position("kind")
        difference = f"has no {kind}" if lacks else "registers a platform"
        declared = f"the kind is '{kind}'" if kind else "there is no kind"
        yield Problem(f"{declared}, but the plugin {difference}", plugin.relative(plugin.manifest.path), *place)
