"""Data model of a release's contract: the API of the host, and the calls that it makes."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import cached_property
from typing import Any, NamedTuple, TypeVar

from hermes_sdk.contract.behaviour import Behaviour

_T = TypeVar("_T")


class Parameter(NamedTuple):
    """A parameter of a function or method.

    Attributes:
        name: Its name, without stars.
        kind: As in `inspect`, in lower case: ``positional_or_keyword``, ``keyword_only``, ``var_positional``, …
        default: Source text of the default, such as ``"None"`` or ``"''"``; None if the parameter is required.
        annotation: Source text of the annotation, or None.
    """

    name: str
    kind: str
    default: str | None
    annotation: str | None


class Member(NamedTuple):
    """A member of a class.

    Attributes:
        kind: ``method``, ``property`` or ``attribute``.
        parameters: The parameters of a method without ``self``, in order.
        returns: Source text of the return annotation, or None.
    """

    name: str
    kind: str
    parameters: tuple[Parameter, ...]
    returns: str | None

    @property
    def signature(self) -> str:
        """The parameters in Python's syntax, without annotations: ``(name, handler, description='')``."""
        texts: list[str] = []
        for parameter in self.parameters:
            if parameter.kind == "keyword_only" and not any(text.startswith("*") for text in texts):
                texts.append("*")
            stars = {"var_positional": "*", "var_keyword": "**"}.get(parameter.kind, "")
            default = "" if parameter.default is None else f"={parameter.default}"
            texts.append(f"{stars}{parameter.name}{default}")
        return f"({', '.join(texts)})"


class HookFact(NamedTuple):
    """Keyword arguments of a hook's callbacks, without those that the host adds to every call.

    Attributes:
        always: Arguments of every call, sorted.
        sometimes: Arguments of only some calls, sorted.
    """

    name: str
    always: tuple[str, ...]
    sometimes: tuple[str, ...]

    @property
    def arguments(self) -> frozenset[str]:
        """All possible arguments."""
        return frozenset((*self.always, *self.sometimes))


class Section:
    """Facts of a section, as plain JSON values; releases with the same facts share them, so do not change them."""

    def __init__(self, facts: Any) -> None:
        self.facts = facts
        self._derived: dict[Callable[[Any], Any], Any] = {}

    def compute(self, derive: Callable[[Any], _T]) -> _T:
        """Return the result of a function of the facts, which is called only once."""
        if derive not in self._derived:
            self._derived[derive] = derive(self.facts)
        derived_value: _T = self._derived[derive]
        return derived_value


class Contract:
    """Contract of a release. Each attribute reads only the sections that it needs, and only once.

    Args:
        base: The real release that provides the data: the release itself, unless an overlay describes it.
        sections: The names of the raw sections.
    """

    def __init__(
        self,
        release: str,
        base: str,
        sections: tuple[str, ...],
        read: Callable[[str], Section],
        behaviour: Callable[[], Behaviour],
    ) -> None:
        self.release = release
        self.base = base
        self.sections = sections
        self._read = read
        self._read_behaviour = behaviour
        self._sections: dict[str, Section] = {}

    def __repr__(self) -> str:
        return f"<Contract {self.release}>"

    def section(self, name: str) -> Any:
        """Return the raw data of a section: plain JSON values, shared, so callers must not change them.

        Raises:
            KeyError: There is no such section; `sections` has the names.
        """
        return self._find(name).facts

    def _find(self, name: str) -> Section:
        if name not in self._sections:
            self._sections[name] = self._read(name)
        return self._sections[name]

    def _derive(self, section: str, derive: Callable[[Any], _T]) -> _T:
        """Return the result of a function of a section, which all releases with the same section share."""
        return self._find(section).compute(derive)

    @cached_property
    def behaviour(self) -> Behaviour:
        """The release's behaviour where releases differ."""
        return self._read_behaviour()

    def with_behaviour(self, behaviour: Behaviour) -> Contract:
        """Return a copy of the contract with another behaviour."""
        return Contract(self.release, self.base, self.sections, self._read, lambda: behaviour)

    @cached_property
    def context(self) -> Mapping[str, Member]:
        """The members of instances of the plugin context, ``ctx``, without the constructor."""
        return self._derive("context", _Members)

    @cached_property
    def hooks(self) -> Mapping[str, HookFact]:
        """The hooks of the release, by name."""
        return self._derive(
            "hooks",
            lambda facts: {
                name: HookFact(name, tuple(fact["always"]), tuple(fact["sometimes"])) for name, fact in facts.items()
            },
        )

    @cached_property
    def injected_hook_arguments(self) -> Mapping[str, Any]:
        """The arguments that the host adds to every hook call, by name; empty before 0.16.0."""
        added: Mapping[str, Any] = self.section("injected_hook_arguments")
        return added

    def host_call_arguments(self, callee: str) -> frozenset[str]:
        """Return the keyword arguments that the host passes to plugin code other than hooks.

        Args:
            callee: A name of the section ``host_calls``, such as ``"ImageGenProvider.generate"`` or ``"tool handler"``.

        Raises:
            KeyError: There is no such name.
        """
        return self._host_calls[callee]

    @cached_property
    def _host_calls(self) -> Mapping[str, frozenset[str]]:
        return self._derive("host_calls", _merge_host_calls)

    @cached_property
    def middleware_kinds(self) -> tuple[str, ...]:
        """The kinds of middleware, sorted; empty before 0.17.0."""
        return self._derive("middleware_kinds", tuple)

    @cached_property
    def plugin_kinds(self) -> tuple[str, ...]:
        """The values of ``kind`` in plugin.yaml, sorted."""
        return self._derive("plugin_kinds", tuple)

    @cached_property
    def slash_commands(self) -> frozenset[str]:
        """Names and aliases of the built-in slash commands, without the slash."""
        return self._derive("slash_commands", lambda commands: frozenset(commands).union(*commands.values()))

    def resolve_slash_command(self, name: str | None) -> str | None:
        """Return the built-in slash command with a name or alias, or None."""
        word = (name or "").lower().lstrip("/")
        commands: Mapping[str, list[str]] = self.section("slash_commands")
        return next((command for command, aliases in commands.items() if word == command or word in aliases), None)

    @cached_property
    def cli_commands(self) -> Mapping[str, tuple[str, ...]]:
        """Names and aliases of the subcommands of ``hermes`` in the order of its parser, in two groups.

        The parser has the group ``before``, then the commands of plugins, then the group ``after``. If a plugin's
        command has a name in the first group, the host adds no further commands of plugins; with a name in the second
        group, building the parser fails (statement F12).
        """
        return {group: tuple(names) for group, names in self.section("cli_commands").items()}

    @cached_property
    def cli_options(self) -> tuple[str, ...]:
        """The sorted long options of ``hermes`` itself, which precede a subcommand."""
        return tuple(self.section("cli_options"))

    @cached_property
    def tools(self) -> Mapping[str, str]:
        """The built-in tools with their toolsets."""
        tools: Mapping[str, str] = self.section("tools")
        return tools

    @cached_property
    def tool_parameters(self) -> Mapping[str, Mapping[str, Any]]:
        """The parameters in the schemas of built-in tools, each with its default, or None.

        Parameters of nested objects, including objects in lists, have dotted names, such as ``tasks.goal``.
        """
        parameters: Mapping[str, Mapping[str, Any]] = self.section("tool_parameters")
        return parameters

    @cached_property
    def core_tools(self) -> frozenset[str]:
        """The built-in tools that every platform offers; tools of memory providers must not use these names."""
        return self._derive("core_tools", frozenset)

    @cached_property
    def toolsets(self) -> frozenset[str]:
        """The toolsets of the built-in tools."""
        return self._derive("toolsets", frozenset)

    @cached_property
    def composed_toolsets(self) -> Mapping[str, Mapping[str, Any]]:
        """The toolsets that contain more than the tools registered under their name, with the additional contents.

        Each has ``core`` (whether it contains all `core_tools`), ``tools``, ``includes`` (other toolsets), ``posture``
        (whether it only selects tools of other toolsets), and ``former`` (whether it is a former name, which plugins
        may use).
        """
        composed: Mapping[str, Mapping[str, Any]] = self.section("composed_toolsets")
        return composed

    @cached_property
    def auxiliary_tasks(self) -> frozenset[str]:
        """The built-in auxiliary tasks."""
        return self._derive("auxiliary_tasks", frozenset)

    @cached_property
    def host_modules(self) -> frozenset[str]:
        """Dotted names of the modules of hermes-agent."""
        return self._derive("host_modules", frozenset)

    @cached_property
    def host_packages(self) -> frozenset[str]:
        """Top-level names of the modules of hermes-agent."""
        return self._derive("host_modules", lambda modules: frozenset(name.partition(".")[0] for name in modules))

    @cached_property
    def bundled_memory_providers(self) -> frozenset[str]:
        """The memory providers bundled with hermes-agent; up to 0.15.1, its wheels lack the manifests of plugins."""
        listed = self.section("bundled_plugins") or (name.replace(".", "/") for name in self.host_modules)
        paths = (path.removeprefix("plugins/").split("/") for path in listed)
        return frozenset(path[1] for path in paths if path[0] == "memory" and len(path) == 2)

    @cached_property
    def module_names(self) -> Mapping[str, frozenset[str]]:
        """The importable names of modules of hermes-agent that plugins use, by module."""
        return self._derive("module_names", lambda facts: {module: frozenset(names) for module, names in facts.items()})

    def names_in(self, module: str) -> frozenset[str]:
        """Return the importable names of a module; if `module_names` lacks it, only the names in other sections."""
        if module in self.module_names:
            return self.module_names[module]
        sections = ("classes", "dataclasses", "enums", "exceptions")
        classes = (name for one in sections for name, fact in self.section(one).items() if fact["module"] == module)
        named = (self.section(one).get(module, ()) for one in ("functions", "constants"))
        return frozenset(classes).union(*named)

    @cached_property
    def third_party_modules(self) -> frozenset[str]:
        """Top-level import names installed with the release, except those of the host and the standard library."""
        return self._derive("third_party_modules", frozenset)


class _Members(Mapping[str, Member]):
    """Members by name, created lazily: a check uses few members of many releases."""

    def __init__(self, facts: Mapping[str, Any]) -> None:
        self._facts = facts
        self._created: dict[str, Member] = {}

    def __getitem__(self, name: str) -> Member:
        if name not in self._created:
            self._created[name] = member(name, self._facts[name])
        return self._created[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._facts)

    def __len__(self) -> int:
        return len(self._facts)

    def __contains__(self, name: object) -> bool:
        return name in self._facts

    def __eq__(self, other: object) -> bool:
        return self._facts == other._facts if isinstance(other, _Members) else super().__eq__(other)

    def __hash__(self) -> int:
        return id(self)


def _merge_host_calls(facts: Mapping[str, Any]) -> Mapping[str, frozenset[str]]:
    return {
        callee: frozenset(name for call in calls for name in (*call["always"], *call["sometimes"]))
        for callee, calls in facts.items()
    }


def member(name: str, fact: Mapping[str, Any]) -> Member:
    """Create a member from a raw fact of the section ``context`` or ``classes``."""
    return Member(name, fact["kind"], tuple(map(parameter, fact.get("parameters", ()))), fact.get("returns"))


def parameter(fact: Mapping[str, Any]) -> Parameter:
    """Create a parameter from a raw fact, which omits the most common kind."""
    kind = fact.get("kind", "positional_or_keyword")
    return Parameter(fact["name"], kind, fact.get("default"), fact.get("annotation"))
