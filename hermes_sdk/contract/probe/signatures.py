"""Classes, functions and constants of the modules that plugin authors meet, read with `inspect`."""

from __future__ import annotations
import __future__

import dataclasses
import enum
import importlib
import inspect
import json
import pprint
import re
import sys
from collections.abc import Callable, Iterator
from functools import cached_property
from importlib.machinery import ModuleSpec, PathFinder, SourceFileLoader
from types import ModuleType
from typing import Any

# Modules whose classes a plugin receives, subclasses or constructs, and whose functions it calls.
MODULES = (
    "agent.browser_provider",
    "agent.browser_registry",
    "agent.context_engine",
    "agent.context_references",
    "agent.image_gen_provider",
    "agent.image_gen_registry",
    "agent.memory_provider",
    "agent.plugin_llm",
    "agent.secret_sources.base",
    "agent.secret_sources.registry",
    "agent.shell_hooks",
    "agent.terminal_env_provider",
    "agent.transcription_provider",
    "agent.transcription_registry",
    "agent.tts_provider",
    "agent.tts_registry",
    "agent.verify_hooks",
    "agent.video_gen_provider",
    "agent.video_gen_registry",
    "agent.web_search_provider",
    "agent.web_search_registry",
    "cron.scheduler_provider",
    "gateway.config",
    "gateway.hooks",
    "gateway.platform_registry",
    "gateway.platforms.base",
    "gateway.session",
    "hermes_cli.dashboard_auth.base",
    "hermes_cli.dashboard_auth.registry",
    "hermes_cli.middleware",
    "hermes_cli.plugins",
    "hermes_cli.plugins_cmd",
    "plugins.context_engine",
    "plugins.cron",
    "plugins.cron_providers",
    "plugins.memory",
    "providers",
    "providers.base",
    "tools.hook_output_spill",
    "tools.registry",
)
# Functions that plugins wrap in modules of which they use nothing else.
WRAPPED = {"tools.delegate_tool": ("_build_child_agent", "_build_dynamic_schema_overrides", "delegate_task")}
# Longer values are tables of the host's own business, unless plugins ask for them.
LONGEST_CONSTANT = 600
TABLES = ("SUPPORTED_DOCUMENT_TYPES",)


def sections() -> dict[str, Any]:
    """Return the sections that come from signatures."""
    sys.meta_path.insert(0, TextAnnotationsFinder)
    modules = [module for name in MODULES if (module := host_module(name))]
    found: dict[str, list[tuple[type, ModuleType]]] = {}
    for module in modules:
        for cls in classes_of(module):
            found.setdefault(kind_of(cls), []).append((cls, module))
    return {
        "context": context(),
        "classes": {cls.__name__: class_fact(cls, module) for cls, module in found["class"]},
        "dataclasses": {cls.__name__: dataclass_fact(cls, module) for cls, module in found["dataclass"]},
        "enums": {cls.__name__: enum_fact(cls) for cls, _ in found["enum"]},
        "exceptions": {cls.__name__: heading(cls) for cls, _ in found["exception"]},
        "loader_contexts": {module.__name__: members(cls, module) for cls, module in found["loader context"]},
        "functions": {
            **{module.__name__: facts for module in modules if (facts := functions(module))},
            **{name: wrapped_functions(host_module(name), names) for name, names in WRAPPED.items()},
        },
        "constants": {module.__name__: facts for module in modules if (facts := constants(module))},
    }


class TextAnnotationsLoader(SourceFileLoader):
    """Imports a module as if it put off its annotations, so that these stay what their author wrote.

    What `inspect` makes of evaluated ones differs from one Python to the next.
    """

    def get_code(self, fullname: str) -> Any:  # noqa: ARG002
        """Compile the source; bytecode that is already there has annotations evaluated."""
        return compile(self.get_data(self.path), self.path, "exec", __future__.annotations.compiler_flag, True)


class TextAnnotationsFinder(PathFinder):
    """Finds the modules of `MODULES` and `WRAPPED` for that loader."""

    @classmethod
    def find_spec(cls, fullname: str, path: Any = None, target: Any = None) -> ModuleSpec | None:
        """Find a module as usual, with the other loader."""
        spec = super().find_spec(fullname, path, target) if fullname in {*MODULES, *WRAPPED} else None
        if spec and spec.origin:
            spec.loader = TextAnnotationsLoader(fullname, spec.origin)
        return spec


def host_module(name: str) -> Any:
    """Import a module of the host; None when this release has no such module."""
    try:
        return importlib.import_module(name)
    except ModuleNotFoundError as error:
        if error.name and f"{name}.".startswith(f"{error.name}."):
            return None
        raise


def host_value(name: str, *modules: str) -> Any:
    """Return a value of the host from the first of some modules that has it; where it stands changed over time.

    A redistribution that has none of the modules has no values either.

    Raises:
        LookupError: There are such modules, and none has it.
    """
    present = [module for module in map(host_module, modules) if module]
    for module in present:
        if hasattr(module, name):
            return getattr(module, name)
    if present:
        raise LookupError(f"{name} is in none of {', '.join(modules)}")
    return ()


def classes_of(module: ModuleType) -> Iterator[type]:
    """The classes that a module defines, or has from a neighbour that is not read itself.

    A release that splits a module keeps its classes importable from where they were.
    """
    for cls in vars(module).values():
        if inspect.isclass(cls) and (cls.__module__ == module.__name__ or is_neighbour(cls, module)):
            yield cls


def is_neighbour(cls: type, module: ModuleType) -> bool:
    """Return whether a class stands in another module of the same package, and in one that is not read itself."""
    package = module.__name__.rpartition(".")[0]
    return cls.__module__.rpartition(".")[0] == package != "" and cls.__module__ not in MODULES


def kind_of(cls: type) -> str:
    """Return which section a class belongs to, in the singular; ``private`` and ``plugin context`` are not sections."""
    if cls.__name__.endswith("Collector"):
        return "loader context"
    if cls.__name__.startswith("_"):
        return "private"
    if cls.__name__ == "PluginContext":
        return "plugin context"
    if issubclass(cls, enum.Enum):
        return "enum"
    if issubclass(cls, BaseException):
        return "exception"
    return "dataclass" if dataclasses.is_dataclass(cls) else "class"


def context() -> dict[str, Any]:
    """The members of the plugin context, with the attributes that its instances have."""
    plugins = host_module("hermes_cli.plugins")
    instance = plugins.PluginContext(plugins.PluginManifest(name="probe"), plugins.PluginManager())
    found = members(plugins.PluginContext, plugins)
    del found["__init__"]
    for name in vars(instance):
        found[name] = {"kind": "attribute"}
    return found


def heading(cls: type) -> dict[str, Any]:
    """Return where a class is and what it derives from."""
    return {"module": cls.__module__, "bases": [base.__name__ for base in cls.__bases__ if base is not object]}


def class_fact(cls: type, module: ModuleType) -> dict[str, Any]:
    """A class with its members."""
    abstract = sorted(getattr(cls, "__abstractmethods__", ()))
    return {**heading(cls), "abstract": abstract, "members": members(cls, module)}


def dataclass_fact(cls: Any, module: ModuleType) -> dict[str, Any]:
    """A dataclass with its fields in order; a field without a default is required."""
    fields = []
    for field in dataclasses.fields(cls):
        fact = {"name": field.name, "annotation": annotation_text(field.type)}
        if field.default is not dataclasses.MISSING:
            fact["default"] = source_text(field.default, module)
        elif field.default_factory is not dataclasses.MISSING:
            fact["default"] = factory_text(field.default_factory, module)
        fields.append(fact)
    names = {field.name for field in dataclasses.fields(cls)} | {"__init__"}
    methods = {name: fact for name, fact in members(cls, module).items() if name not in names}
    return {**heading(cls), "frozen": cls.__dataclass_params__.frozen, "fields": fields, "members": methods}


def enum_fact(cls: type[enum.Enum]) -> dict[str, Any]:
    """An enum with its values; an open one makes members for values that it does not list."""
    values = {name: member.value for name, member in cls.__members__.items()}
    return {**heading(cls), "open": "_missing_" in vars(cls), "values": values}


def members(cls: type, module: ModuleType) -> dict[str, Any]:
    """The public members of a class, and its constructor: its own, and those of bases that are not read themselves."""
    found: dict[str, Any] = {}
    for base in cls.__mro__:
        if base is cls or is_neighbour(base, module):
            found = {**list_own_members(base, module), **found}
    return found


def list_own_members(cls: type, module: ModuleType) -> dict[str, Any]:
    """The public members that a class defines itself, and its constructor."""
    found: dict[str, Any] = {}
    for name, value in vars(cls).items():
        if name.startswith("_") and name != "__init__":
            continue
        if isinstance(value, property | cached_property):
            getter = value.fget if isinstance(value, property) else value.func
            returns = inspect.signature(getter).return_annotation if getter else inspect.Signature.empty
            found[name] = {"kind": "property", "returns": annotation_text(returns)}
        elif isinstance(value, staticmethod):
            found[name] = {"kind": "staticmethod", **callable_fact(value.__func__, module, skip=0)}
        elif isinstance(value, classmethod):
            found[name] = {"kind": "classmethod", **callable_fact(value.__func__, module, skip=1)}
        elif inspect.isfunction(value):
            found[name] = {"kind": "method", **callable_fact(value, module, skip=1)}
        elif inspect.ismemberdescriptor(value):
            found[name] = {"kind": "attribute"}
        else:
            found[name] = {"kind": "attribute", "default": source_text(value, module)}
    for name, annotation in inspect.get_annotations(cls).items():
        if not name.startswith("_"):
            found.setdefault(name, {"kind": "attribute"})["annotation"] = annotation_text(annotation)
    return found


def functions(module: ModuleType) -> dict[str, Any]:
    """The public functions that a module defines itself."""
    return {
        name: callable_fact(value, module, skip=0)
        for name, value in vars(module).items()
        if (inspect.ismethod(value) or (inspect.isfunction(value) and value.__module__ == module.__name__))
        and not name.startswith("_")
    }


def wrapped_functions(module: ModuleType, names: tuple[str, ...]) -> dict[str, Any]:
    """The functions of these names that a module has, private ones included."""
    return {name: callable_fact(vars(module)[name], module, skip=0) for name in names if name in vars(module)}


def constants(module: ModuleType) -> dict[str, Any]:
    """The upper-case names of a module whose values can be written as JSON."""
    found = {}
    for name, value in vars(module).items():
        if not re.fullmatch(r"_?[A-Z][A-Z0-9_]*", name):
            continue
        value = sorted(value, key=str) if isinstance(value, set | frozenset) else value
        try:
            text = json.dumps(value)
        except TypeError:
            continue
        if len(text) <= LONGEST_CONSTANT or name in TABLES:
            found[name] = json.loads(text)  # a registry fills up later
    return found


def callable_fact(function: Callable[..., Any], module: ModuleType, *, skip: int) -> dict[str, Any]:
    """The signature of a function without its first `skip` parameters."""
    signature = inspect.signature(function)
    fact: dict[str, Any] = {"parameters": []}
    if inspect.iscoroutinefunction(function) or inspect.isasyncgenfunction(function):
        fact["async"] = True
    for parameter in list(signature.parameters.values())[skip:]:
        entry = {"name": parameter.name}
        if parameter.kind is not parameter.POSITIONAL_OR_KEYWORD:
            entry["kind"] = parameter.kind.name.lower()
        if parameter.default is not parameter.empty:
            entry["default"] = source_text(parameter.default, module)
        if annotation := annotation_text(parameter.annotation):
            entry["annotation"] = annotation
        fact["parameters"].append(entry)
    if returns := annotation_text(signature.return_annotation):
        fact["returns"] = returns
    return fact


def annotation_text(annotation: Any) -> str | None:
    """An annotation as its author wrote it; None when there is none."""
    return None if annotation is inspect.Parameter.empty else str(annotation)


def source_text(value: Any, module: ModuleType) -> str:
    """An expression that gives a default: the literal, the enum member, or the name that it has in its module."""
    if is_literal(value):
        return pprint.pformat(value, width=10**6, sort_dicts=False)
    if isinstance(value, enum.Enum):
        return f"{type(value).__name__}.{value.name}"
    if hasattr(value, "__qualname__"):
        return str(value.__qualname__)
    return next((name for name, other in vars(module).items() if other is value), "...")


def factory_text(factory: Callable[[], Any], module: ModuleType) -> str:
    """An expression that gives what a default factory makes."""
    made = factory()
    if is_literal(made):
        return source_text(made, module)
    return f"{factory.__qualname__}()" if "<" not in factory.__qualname__ else "..."


def is_literal(value: Any) -> bool:
    """Return whether `repr` of a value is its source text on every machine."""
    if isinstance(value, dict):
        return all(is_literal(item) for pair in value.items() for item in pair)
    if isinstance(value, list | tuple | set | frozenset):
        return all(is_literal(item) for item in value)
    return value is None or type(value) in (bool, int, float, str, bytes)
