"""Scenarios: YAML files with the plugins to run, the answers of the model and the messages of users.

`scenario.schema.json` defines the names and types of the keys.
"""

from __future__ import annotations

import contextlib
import json
import os
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from hermes_sdk import manifest
from hermes_sdk.documents import DocumentError, parse_json, read_user_file
from hermes_sdk.errors import UsageError
from hermes_sdk.llm import Answer, ToolCall
from hermes_sdk.manifest import Form, Located, Parsed, PluginForms
from hermes_sdk.manifest.fields import TYPES
from hermes_sdk.traces.boundary import Boundary
from hermes_sdk.traces.reader import format_short

if TYPE_CHECKING:
    from jsonschema import Draft202012Validator
    from jsonschema.exceptions import ValidationError

PATHS = ("plugins", "pythonpath", "gateway_hooks")
"""The keys of a scenario that contain paths."""

_OF_MODE = {"turns": "session", "messages": "gateway", "gateway_hooks": "gateway"}

_AUX_INTERRUPT = "`interrupt` belongs in script.main: the user stops the agent, not an auxiliary call"
_LONE_INTERRUPT = "`interrupt` cannot be combined with other keys: an interrupted request has no answer"


class ScenarioPlugin(NamedTuple):
    """A plugin of a scenario.

    Attributes:
        path: Its directory or its project.
        form: The form in which it is loaded; None for its first form.
        name: Its name in a project with several.
    """

    path: Path
    form: Form | None = None
    name: str = ""

    def locate(self) -> Located:
        """Return the plugin in the form in which it is loaded."""
        return manifest.locate(self.path, self.form, self.name)

    def locate_forms(self) -> PluginForms:
        """Return the plugin in all its forms."""
        return manifest.locate_forms(self.path, plugin=self.name)

    def is_named(self, name: str) -> bool:
        """Return whether the project has a plugin with this name, and the scenario does not choose a plugin itself."""
        if self.name:
            return False
        try:
            manifest.locate_forms(self.path, plugin=name)
        except UsageError:
            return False
        return True


@dataclass(frozen=True)
class Scenario:
    """The content of a scenario, with absolute paths.

    Attributes:
        plugins: The plugins to copy into the home.
        enable: The keys of the plugins to enable; None for all of them.
        toolsets: The toolsets to offer to the model; None for the tools of the plugins.
        config: The settings to merge into ``config.yaml``.
        pythonpath: Directories that the host sees as installed packages.
        main: The answers in the agent loop.
        aux: The answers to all other requests to a model.
        builtin_results: The results of built-in tools, as in the schema; None if they run.
        http_answers: The answers to HTTP requests of plugins, as in the schema; None if there are none.
        turns: The user's messages to the agent; empty for a gateway.
        messages: The users' messages to a gateway, as in the schema; empty for a session.
        gateway_hooks: The directories of event hooks to copy into the home.
        files: File name -> text.
        data: The stored data of plugins: path in the home, below ``plugin-data`` -> text.
        accept_hooks: Whether the user consents to shell hooks.
        stateless: Whether delegated tasks run within the turn.
        defaults: Whether tool search is set to the release's default instead of off.
    """

    path: Path
    plugins: tuple[ScenarioPlugin, ...]
    enable: tuple[str, ...] | None
    toolsets: tuple[str, ...] | None
    config: Mapping[str, Any]
    env: Mapping[str, str]
    pythonpath: tuple[Path, ...]
    main: tuple[Answer, ...]
    aux: tuple[Answer, ...]
    builtin_results: tuple[Mapping[str, Any], ...] | None
    http_answers: tuple[Mapping[str, Any], ...] | None
    turns: tuple[str, ...]
    messages: tuple[Mapping[str, str], ...]
    gateway_hooks: tuple[Path, ...]
    files: Mapping[str, str]
    data: Mapping[str, str]
    accept_hooks: bool
    stateless: bool
    defaults: bool

    @classmethod
    def of(cls, value: Mapping[str, Any], path: Path) -> Scenario:
        """Create a scenario from a value that matches the schema.

        Args:
            path: The file; paths in the content are relative to its directory.
        """
        script = value.get("script", {})
        pythonpath, gateway_hooks = (tuple(list_paths(value, key, path)) for key in PATHS[1:])
        return cls(
            path=path,
            plugins=tuple(list_plugins(value, path)),
            enable=_tuple(value.get("enable")),
            toolsets=_tuple(value.get("toolsets")),
            config=value.get("config", {}),
            env=value.get("env", {}),
            pythonpath=pythonpath,
            main=tuple(map(_answer, script.get("main", ()))),
            aux=tuple(map(_answer, script.get("aux", ()))),
            builtin_results=tuple(value["builtin_results"]) if "builtin_results" in value else None,
            http_answers=tuple(value["http_answers"]) if "http_answers" in value else None,
            turns=tuple(value.get("turns", ())),
            messages=tuple(value.get("messages", ())),
            gateway_hooks=gateway_hooks,
            files=value.get("files", {}),
            data=value.get("data", {}),
            accept_hooks=value.get("accept_hooks", False),
            stateless=value.get("stateless", False),
            defaults=value.get("defaults", False),
        )


def schema_text() -> str:
    """Return the JSON Schema of a scenario (draft 2020-12)."""
    return Path(__file__).with_name("scenario.schema.json").read_text(encoding="utf-8")


def list_paths(value: Mapping[str, Any], key: str, path: Path) -> Iterator[Path]:
    """Yield the absolute paths under a key of a scenario; ``..`` is resolved without following links.

    Args:
        path: The file; paths in the content are relative to its directory.
    """
    for item in value.get(key, ()):
        name = item["path"] if isinstance(item, dict) else item
        yield Path(os.path.normpath(path.absolute().parent / name))


def list_plugins(value: Mapping[str, Any], path: Path) -> Iterator[ScenarioPlugin]:
    """Yield the plugins of a scenario; see `list_paths`."""
    for item, place in zip(value.get("plugins", ()), list_paths(value, "plugins", path), strict=True):
        more = item if isinstance(item, dict) else {}
        yield ScenarioPlugin(place, more.get("form"), more.get("plugin", ""))


def name_forms(scenario: Scenario) -> dict[str, Form]:
    """Return the form in which each plugin is loaded, by name, for plugins with several forms."""
    found = [one.locate() for one in scenario.plugins if len(one.locate_forms().forms) > 1]
    return {one.name: one.form for one in found}


def refer_to(located: Located, folder: Path) -> str | dict[str, str]:
    """Return the item of ``plugins`` that refers to a plugin in its form, for a scenario in a directory."""
    path = os.path.relpath(located.path, folder)
    return {"path": path, "form": located.form, "plugin": located.name} if located.form == "package" else path


def choose_plugins(value: Mapping[str, Any], path: Path, form: Form | None, plugin: str) -> dict[str, Any]:
    """Return a scenario that loads its plugins in one form, if they have it.

    Args:
        form: The form. Default: the forms in the scenario.
        plugin: The name of the plugin in a project with several, if the scenario does not name it.

    Raises:
        UsageError: No plugin of the scenario has this form or name.
    """
    items, chosen = [*value.get("plugins", ())], set[str]()
    for number, one in enumerate(list_plugins(value, path)):
        more: dict[str, str] = {}
        if plugin and one.is_named(plugin):
            one, more = one._replace(name=plugin), {"plugin": plugin}
        if form and any(each.form == form for each in one.locate_forms().forms):
            more["form"] = form
        if more:
            chosen |= more.keys()
            item = items[number]
            items[number] = {**(item if isinstance(item, dict) else {"path": item}), **more}
    if plugin and "plugin" not in chosen:
        raise UsageError(f"the scenario names no project with a plugin {plugin!r}", where=str(path))
    if form and "form" not in chosen:
        raise UsageError(f"no plugin of the scenario has the form {form!r}", where=str(path))
    return {**value, "plugins": items} if chosen else {**value}


def read_scenario(path: Path, allowed: Sequence[Path] = (), plugin: str = "") -> Scenario:
    """Read a scenario, and check that all its paths and plugins exist in its project.

    Args:
        path: The YAML file.
        allowed: Directories outside the project that its paths may refer to.
        plugin: See `choose_plugins`.

    Raises:
        UsageError: The file cannot be read, has a duplicate key, does not match the schema, or names a directory or a
            plugin that does not exist or is outside the project.
    """
    return Scenario.of(read_content(path, Boundary.of(path, allowed), None, plugin), path)


def read_script(path: Path) -> tuple[tuple[Answer, ...], tuple[Answer, ...]]:
    """Read the answers of the model in the agent loop, and its other answers.

    Args:
        path: A YAML file: a scenario, or the value of its key ``script``.

    Raises:
        UsageError: The file cannot be read, has a duplicate key or does not match the schema.
    """
    parsed = _parse(path)
    if isinstance(parsed.value, dict) and parsed.value.keys() & {"main", "aux"}:
        return _answers(parsed)
    scenario = Scenario.of(read_content(path), path)
    return scenario.main, scenario.aux


def parse_script(text: str) -> tuple[tuple[Answer, ...], tuple[Answer, ...]]:
    """Parse the value of the key ``script`` of a scenario; see `read_script`."""
    return _answers(_parse_text(Path("script"), text))


def _answers(parsed: Parsed) -> tuple[tuple[Answer, ...], tuple[Answer, ...]]:
    _refuse_duplicates(parsed)
    _refuse_violation(parsed, _validator("script"))
    _refuse_interrupts(parsed, parsed.value)
    scenario = Scenario.of({"script": parsed.value}, parsed.path)
    return scenario.main, scenario.aux


def read_content(
    path: Path, boundary: Boundary | None = None, form: Form | None = None, plugin: str = ""
) -> dict[str, Any]:
    """Read and check the content of a scenario; see `read_scenario`.

    Args:
        boundary: The directories that its paths may refer to; None to skip the check, if the paths are not used.
        form: See `choose_plugins`.
        plugin: See `choose_plugins`.
    """
    parsed = _parse(path)
    _refuse_duplicates(parsed)
    value = _check(parsed)
    if boundary:
        value = check_paths(parsed, boundary, form, plugin)
    return value


def check_content(value: Mapping[str, Any], path: Path) -> dict[str, Any]:
    """Check the content of a scenario in another file, such as a recording, but not its paths."""
    return _check(Parsed(path, value))


def _check(parsed: Parsed) -> dict[str, Any]:
    _refuse_violation(parsed, _validator())
    value: dict[str, Any] = parsed.value
    _refuse_interrupts(parsed, value.get("script", {}), "script")
    return value


def check_paths(parsed: Parsed, boundary: Boundary, form: Form | None = None, plugin: str = "") -> dict[str, Any]:
    """Check that the paths of a valid scenario exist and are in its project.

    Returns:
        The scenario with the chosen form and plugin; see `choose_plugins`.
    """
    refuse_outside(parsed, boundary)
    for key in PATHS:
        for number, place in enumerate(list_paths(parsed.value, key, parsed.path)):
            if not place.is_dir():
                item = parsed.value[key][number]
                name = item["path"] if isinstance(item, dict) else item
                raise _wrong(parsed, f"the directory {name!r} does not exist next to the scenario", key, number)
    value = choose_plugins(parsed.value, parsed.path, form, plugin)
    for number, one in enumerate(list_plugins(value, parsed.path)):
        try:
            located = one.locate()
        except UsageError as error:
            raise _wrong(parsed, error.message, "plugins", number, fix=error.fix) from None
        # A plugin can read its project.
        _refuse_places(parsed, [("plugins", number, located.project)], boundary)
    return value


def refuse_outside(parsed: Parsed, boundary: Boundary) -> None:
    """Check that the paths of a valid scenario are in its project, whether they exist or not."""
    found = [(key, n, one) for key in PATHS for n, one in enumerate(list_paths(parsed.value, key, parsed.path))]
    _refuse_places(parsed, found, boundary)


def _refuse_places(parsed: Parsed, places: Iterable[tuple[str, int, Path]], boundary: Boundary) -> None:
    refused = [(key, number, os.path.realpath(place)) for key, number, place in places if not boundary.admits(place)]
    if not refused:
        return
    key, number, place = refused[0]
    project = str(boundary.project) if boundary.project else "(none, because it would contain your home)"
    message = f"{key}.{number} leads to {place}, outside the project {project}"
    if boundary.has_network:
        fix = "With --http, all files must be in the project: move it there, or drop --http."
        raise _wrong(parsed, message, key, number, fix=fix)
    error = _wrong(parsed, message, key, number, fix="If you trust the file, allow this path.")
    error.options = [word for one in dict.fromkeys(one for *_, one in refused) for word in ("--allow-path", one)]
    raise error


class UnknownPlugin(UsageError):
    """Raised if a scenario enables a plugin that does not exist.

    Args:
        number: The index of the plugin in ``enable``.
    """

    def __init__(self, scenario: Scenario, number: int, known: Iterable[str]) -> None:
        parsed = Parsed(scenario.path, None)
        with contextlib.suppress(UsageError):  # A recording is not YAML.
            parsed = _parse(scenario.path)
        key, names = (scenario.enable or ())[number], sorted(known)
        close = get_close_matches(key, names, 1)
        advice = f"Use one of: {', '.join(names)}." if names else "Name its directory in `plugins`."
        wrong = _wrong(parsed, f"the scenario has no plugin {key!r}", "enable", number)
        super().__init__(wrong.message, where=wrong.where, fix=f"Did you mean {close[0]!r}?" if close else advice)


def _parse(path: Path) -> Parsed:
    try:
        return _parse_text(path, read_user_file(path).decode("utf-8-sig"))
    except DocumentError as error:
        raise UsageError(f"the scenario is rejected: {error}", where=str(path)) from None
    except OSError as error:
        raise UsageError(f"the scenario cannot be read: {error.strerror or error}", where=str(path)) from None
    except UnicodeDecodeError:
        raise UsageError("the scenario is not valid UTF-8", where=str(path)) from None


def _parse_text(path: Path, text: str) -> Parsed:
    import yaml

    from hermes_sdk.manifest.document import explain_syntax
    from hermes_sdk.manifest.safe_loader import compose_yaml, construct_yaml

    try:
        root = compose_yaml(text)
        return Parsed(path, construct_yaml(root) if root else {}, compose=lambda: root)
    except yaml.MarkedYAMLError as error:
        message, (line, column) = explain_syntax(error, text)
        raise UsageError(f"not YAML: {message}", where=f"{path}:{line}:{column}") from None
    except (yaml.YAMLError, ValueError, RecursionError) as error:
        raise UsageError(f"not YAML: {error}", where=str(path)) from None


def _refuse_duplicates(parsed: Parsed) -> None:
    from hermes_sdk.manifest.nodes import find_duplicates

    found = find_duplicates(parsed.root) if parsed.root else []
    if found:
        message, (line, column) = min(found, key=lambda one: one[1])
        raise UsageError(message, where=f"{parsed.path}:{line}:{column}", fix="Keep only one of them.")


def _refuse_violation(parsed: Parsed, validator: Draft202012Validator) -> None:
    for error in sorted(validator.iter_errors(parsed.value), key=lambda error: [str(key) for key in error.path]):
        raise _violation(parsed, error)


def _refuse_interrupts(parsed: Parsed, script: Mapping[str, Any], *keys: Hashable) -> None:
    for number, answer in enumerate(script.get("aux", ())):
        if "interrupt" in answer:
            raise _wrong(parsed, _AUX_INTERRUPT, *keys, "aux", number, "interrupt")


@cache
def _validator(key: str = "") -> Draft202012Validator:
    """Return the validator of a scenario, or of the value of one of its keys."""
    from jsonschema import Draft202012Validator

    schema = parse_json(schema_text())
    return Draft202012Validator({**schema["properties"][key], "$defs": schema["$defs"]} if key else schema)


def _violation(parsed: Parsed, error: ValidationError) -> UsageError:
    """Return the error for a violation of the schema, with the position of the key or item."""
    keys = tuple(error.absolute_path)
    name = ".".join(map(str, keys)) or "the scenario"
    rule: Any = error.validator_value
    schema: Any = error.schema
    instance: Any = error.instance if error.validator else parsed.value
    if error.validator == "additionalProperties":
        known = list(schema["properties"])
        key = next(key for key in instance if key not in known)
        close = get_close_matches(str(key), known, 1)
        advice = f"Did you mean {close[0]!r}?" if close else f"Use one of: {', '.join(sorted(known))}."
        return _wrong(parsed, f"unknown key {key!r}", *keys, key, fix=advice)
    if error.validator == "type":
        wanted = " or ".join(TYPES[one] for one in ([rule] if isinstance(rule, str) else rule))
        return _wrong(parsed, f"{name} must be {wanted}, not {format_short(error.instance)}", *keys)
    if error.validator == "required":
        missing = next(key for key in rule if key not in instance)
        return _wrong(parsed, f"the key {missing!r} is missing in {name}", *keys)
    if error.validator == "oneOf":
        choices = " or ".join(repr(one["required"][0]) for one in rule)
        return _wrong(parsed, f"{name} needs either {choices}", *keys)
    if error.validator == "pattern":
        return _wrong(parsed, f"{name}: {error.instance!r} is not a file name without directories", *keys)
    if error.validator == "maxProperties":
        return _wrong(parsed, _LONE_INTERRUPT, *keys, "interrupt")
    if not error.validator:
        mode = "gateway" if instance.get("mode") == "gateway" else "session"
        key, other = next((key, of) for key, of in _OF_MODE.items() if key in instance and of != mode)
        return _wrong(parsed, f"{key} is only allowed in mode {other}", key)
    if error.validator == "enum":
        return _wrong(
            parsed, f"{name} must be {' or '.join(map(repr, rule))}, not {format_short(error.instance)}", *keys
        )
    return _wrong(parsed, f"{name}: {error.message}", *keys)


def _wrong(parsed: Parsed, message: str, *keys: Hashable, fix: str = "") -> UsageError:
    line, column = parsed.position(*keys)
    return UsageError(message, where=f"{parsed.path}:{line}:{column}", fix=fix)


def _tuple(value: list[str] | None) -> tuple[str, ...] | None:
    return None if value is None else tuple(value)


def _answer(value: Mapping[str, Any]) -> Answer:
    calls = tuple(_call(one) for one in value.get("tool_calls", ()))
    plain = {key: value[key] for key in ("text", "reasoning", "usage", "finish_reason", "status") if key in value}
    if "status" in value:
        plain["error"] = value.get("error", "the model failed")
    return Answer(tool_calls=calls, interrupts=value.get("interrupt", False), **plain)


def _call(value: Mapping[str, Any]) -> ToolCall:
    args = value.get("args", {})
    return ToolCall(value["name"], args if isinstance(args, str) else json.dumps(args), value.get("id"))
