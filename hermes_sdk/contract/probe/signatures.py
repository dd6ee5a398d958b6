"""Classes, functions and constants of modules that plugin authors use, read with `inspect`."""

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

# Modules whose classes plugins receive, subclass or construct, and whose functions they call.
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
# Functions that plugins wrap, in modules without other names for plugins.
WRAPPED = {"tools.delegate_tool": ("_build_child_agent", "_build_dynamic_schema_overrides", "delegate_task")}
# Longer values are internal tables of the host, except those that plugins use.
MAX_CONSTANT_LENGTH = 600
TABLES = ("SUPPORTED_DOCUMENT_TYPES",)


def sections() -> dict[str, Any]:
    """Return the sections that are read from signatures."""
    sys.meta_path.insert(0, TextAnnotationsFinder)
    modules = [module for name in MODULES if (module := host_module(name))]
    found: dict[str, list[tuple[type, ModuleType]]] = {}
    for module in modules:
        for cls in list_classes(module):
            found.setdefault(find_kind(cls), []).append((cls, module))
    return {
        "context": describe_context(),
        "classes": {cls.__name__: class_fact(cls, module) for cls, module in found["class"]},
        "dataclasses": {cls.__name__: dataclass_fact(cls, module) for cls, module in found["dataclass"]},
        "enums": {cls.__name__: enum_fact(cls) for cls, _ in found["enum"]},
        "exceptions": {cls.__name__: describe_class(cls) for cls, _ in found["exception"]},
        "loader_contexts": {module.__name__: members(cls, module) for cls, module in found["loader context"]},
        "functions": {
            **{module.__name__: facts for module in modules if (facts := functions(module))},
            **{name: wrapped_functions(host_module(name), names) for name, names in WRAPPED.items()},
        },
        "constants": {module.__name__: facts for module in modules if (facts := constants(module))},
    }


class TextAnnotationsLoader(SourceFileLoader):
    """Imports a module with postponed annotations, so that these keep the author's spelling.

    The representation of evaluated annotations in `inspect` differs between Python versions.
    """

    def get_code(self, fullname: str) -> Any:  # noqa: ARG002
        """Compile the source; existing bytecode has evaluated annotations."""
        return compile(self.get_data(self.path), self.path, "exec", __future__.annotations.compiler_flag, True)


class TextAnnotationsFinder(PathFinder):
    """Finds the modules of `MODULES` and `WRAPPED` for `TextAnnotationsLoader`."""

    @classmethod
    def find_spec(cls, fullname: str, path: Any = None, target: Any = None) -> ModuleSpec | None:
        """Find a module as usual, but with `TextAnnotationsLoader`."""
        spec = super().find_spec(fullname, path, target) if fullname in {*MODULES, *WRAPPED} else None
        if spec and spec.origin:
            spec.loader = TextAnnotationsLoader(fullname, spec.origin)
        return spec


def host_module(name: str) -> Any:
    """Import a module of the host; None if the release has no such module."""
    try:
        return importlib.import_module(name)
    except ModuleNotFoundError as error:
        if error.name and f"{name}.".startswith(f"{error.name}."):
            return None
        raise


def host_value(name: str, *modules: str) -> Any:
    """Return a value from the first host module that has it, since values moved between releases.

    Returns an empty tuple if a redistribution has none of the modules.

    Raises:
        LookupError: The modules exist, but none has the value.
    """
    present = [module for module in map(host_module, modules) if module]
    for module in present:
        if hasattr(module, name):
            return getattr(module, name)
    if present:
        raise LookupError(f"{name} is in none of {', '.join(modules)}")
    return ()


def list_classes(module: ModuleType) -> Iterator[type]:
    """Yield the classes that a module defines, or imports from a neighbour that is not read separately.

    If a release splits a module, its classes remain importable from the old one.
    """
    for cls in vars(module).values():
        if inspect.isclass(cls) and (cls.__module__ == module.__name__ or is_neighbour(cls, module)):
            yield cls


def is_neighbour(cls: type, module: ModuleType) -> bool:
    """Return whether a class is defined in another module of the same package that is not read separately."""
    package = module.__name__.rpartition(".")[0]
    return cls.__module__.rpartition(".")[0] == package != "" and cls.__module__ not in MODULES


def find_kind(cls: type) -> str:
    """Return the section of a class in the singular; ``private`` and ``plugin context`` are not sections."""
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


def describe_context() -> dict[str, Any]:
    """Return the members of the plugin context, including attributes of instances."""
    plugins = host_module("hermes_cli.plugins")
    instance = plugins.PluginContext(plugins.PluginManifest(name="probe"), plugins.PluginManager())
    found = members(plugins.PluginContext, plugins)
    del found["__init__"]
    for name in vars(instance):
        found[name] = {"kind": "attribute"}
    return found


def describe_class(cls: type) -> dict[str, Any]:
    """Return the module and bases of a class."""
    return {"module": cls.__module__, "bases": [base.__name__ for base in cls.__bases__ if base is not object]}


def class_fact(cls: type, module: ModuleType) -> dict[str, Any]:
    """Return a class with its members."""
    abstract = sorted(getattr(cls, "__abstractmethods__", ()))
    return {**describe_class(cls), "abstract": abstract, "members": members(cls, module)}


def dataclass_fact(cls: Any, module: ModuleType) -> dict[str, Any]:
    """Return a dataclass with its fields in order; fields without a default are required."""
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
    return {**describe_class(cls), "frozen": cls.__dataclass_params__.frozen, "fields": fields, "members": methods}


def enum_fact(cls: type[enum.Enum]) -> dict[str, Any]:
    """Return an enum with its values; an open enum also creates members for other values."""
    values = {name: member.value for name, member in cls.__members__.items()}
    return {**describe_class(cls), "open": "_missing_" in vars(cls), "values": values}


def members(cls: type, module: ModuleType) -> dict[str, Any]:
    """Return the public members and constructor of a class, including those of bases that are not read separately."""
    found: dict[str, Any] = {}
    for base in cls.__mro__:
        if base is cls or is_neighbour(base, module):
            found = {**list_own_members(base, module), **found}
    return found


def list_own_members(cls: type, module: ModuleType) -> dict[str, Any]:
    """Return the public members and constructor that a class itself defines."""
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
    """Return the public functions that a module itself defines."""
    return {
        name: callable_fact(value, module, skip=0)
        for name, value in vars(module).items()
        if (inspect.ismethod(value) or (inspect.isfunction(value) and value.__module__ == module.__name__))
        and not name.startswith("_")
    }


def wrapped_functions(module: ModuleType, names: tuple[str, ...]) -> dict[str, Any]:
    """Return functions of a module by name, including private functions."""
    return {name: callable_fact(vars(module)[name], module, skip=0) for name in names if name in vars(module)}


def constants(module: ModuleType) -> dict[str, Any]:
    """Return the upper-case names of a module whose values can be written as JSON."""
    found = {}
    for name, value in vars(module).items():
        if not re.fullmatch(r"_?[A-Z][A-Z0-9_]*", name):
            continue
        value = sorted(value, key=str) if isinstance(value, set | frozenset) else value
        try:
            text = json.dumps(value)
        except TypeError:
            continue
        if len(text) <= MAX_CONSTANT_LENGTH or name in TABLES:
            found[name] = json.loads(text)  # Copy the value, since the host fills registries later.
    return found


def callable_fact(function: Callable[..., Any], module: ModuleType, *, skip: int) -> dict[str, Any]:
    """Return the signature of a function without its first `skip` parameters."""
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
    """Return an annotation with the author's spelling; None if there is none."""
    return None if annotation is inspect.Parameter.empty else str(annotation)


def source_text(value: Any, module: ModuleType) -> str:
    """Return an expression for a default: the literal, the enum member, or its name in its module."""
    if is_literal(value):
        return pprint.pformat(value, width=10**6, sort_dicts=False)
    if isinstance(value, enum.Enum):
        return f"{type(value).__name__}.{value.name}"
    if hasattr(value, "__qualname__"):
        return str(value.__qualname__)
    return next((name for name, other in vars(module).items() if other is value), "...")


def factory_text(factory: Callable[[], Any], module: ModuleType) -> str:
    """Return an expression for the result of a default factory."""
    default_value = factory()
    if is_literal(default_value):
        return source_text(default_value, module)
    return f"{factory.__qualname__}()" if "<" not in factory.__qualname__ else "..."


def is_literal(value: Any) -> bool:
    """Return whether the `repr` of a value is its source text on every machine."""
    if isinstance(value, dict):
        return all(is_literal(item) for pair in value.items() for item in pair)
    if isinstance(value, list | tuple | set | frozenset):
        return all(is_literal(item) for item in value)
    return value is None or type(value) in (bool, int, float, str, bytes)
