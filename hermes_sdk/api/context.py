"""`PluginContext`: the ``ctx`` that the host hands to ``register(ctx)``."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal, Protocol, Unpack, overload

from hermes_sdk.api.provider_registration import ProviderRegistration

if TYPE_CHECKING:
    import re
    from collections.abc import Callable
    from pathlib import Path

    from hermes_sdk.api import hooks, middleware
    from hermes_sdk.api.auxiliary import AuxiliaryTaskDefaults
    from hermes_sdk.api.base import OneOf, UncheckedMapping
    from hermes_sdk.api.commands import CliHandler, CliSetup, CommandHandler
    from hermes_sdk.api.llm import PluginLlm
    from hermes_sdk.api.manifest import PluginManifest
    from hermes_sdk.api.platforms import PlatformOptions, SlackActionHandler
    from hermes_sdk.api.tools import AsyncToolHandler, ToolHandler, ToolSchema


class PluginContext(ProviderRegistration, Protocol):
    """What a plugin registers with, in release 0.19.0; members without a mark exist since 0.13.0 at the latest.

    An exception that leaves ``register`` disables the plugin, but what it had registered before stays in effect. A
    member that the running release lacks is an AttributeError.

    Attributes:
        manifest: What the host knows about the plugin.
    """

    manifest: PluginManifest

    @property
    def llm(self) -> PluginLlm:
        """Requests to the user's model; built at the first access."""
        ...

    @property
    def profile_name(self) -> str:
        """The active profile: ``default``, its name, or ``custom`` for a home that is none. Since 0.18.0."""
        ...

    @overload
    def register_tool(
        self,
        name: str,
        toolset: str,
        schema: ToolSchema | UncheckedMapping,
        handler: ToolHandler,
        check_fn: Callable[[], bool] | None = None,
        requires_env: list[str] | None = None,
        is_async: Literal[False] = False,
        description: str = "",
        emoji: str = "",
        override: bool = False,
    ) -> None: ...
    @overload
    def register_tool(
        self,
        name: str,
        toolset: str,
        schema: ToolSchema | UncheckedMapping,
        handler: AsyncToolHandler,
        check_fn: Callable[[], bool] | None = None,
        requires_env: list[str] | None = None,
        *,
        is_async: Literal[True],
        description: str = "",
        emoji: str = "",
        override: bool = False,
    ) -> None: ...
    def register_tool(
        self,
        name: str,
        toolset: str,
        schema: ToolSchema | UncheckedMapping,
        handler: ToolHandler | AsyncToolHandler,
        check_fn: Callable[[], bool] | None = None,
        requires_env: list[str] | None = None,
        is_async: bool = False,
        description: str = "",
        emoji: str = "",
        override: bool = False,
    ) -> None:
        """Offer a tool to the model.

        A name that another toolset has already is refused with a logged error and no exception; within one toolset the
        later registration replaces the earlier one.

        Args:
            name: The tool. It wins over the name in the schema.
            toolset: The group that users switch on and off; a new name makes a new toolset.
            schema: What the model is told; write ``SCHEMA: ToolSchema = …`` to have it checked.
            handler: Called for each call of the tool.
            check_fn: Whether the tool can be used. While it is false or raises, the model does not see the tool. The
                host remembers the answer for 30 seconds.
            requires_env: Environment variables that the tool needs, for listings; the host does not check them.
            is_async: Whether the handler is a coroutine function.
            description: For listings; by default the schema's. The model reads the schema's.
            emoji: Shown beside the tool's name.
            override: Replace a tool of another toolset. Since 0.14.0. From 0.18.0 the user must allow it with
                ``plugins.entries.<key>.allow_tool_override: true``.

        Raises:
            PluginToolOverrideError: ``override`` is not allowed.
        """

    @overload
    def register_hook(self, hook_name: Literal["pre_tool_call"], callback: hooks.PreToolCallCallback) -> None: ...
    @overload
    def register_hook(self, hook_name: Literal["post_tool_call"], callback: hooks.PostToolCallCallback) -> None: ...
    @overload
    def register_hook(
        self, hook_name: Literal["transform_tool_result"], callback: hooks.TransformToolResultCallback
    ) -> None: ...
    @overload
    def register_hook(
        self, hook_name: Literal["transform_terminal_output"], callback: hooks.TransformTerminalOutputCallback
    ) -> None: ...
    @overload
    def register_hook(self, hook_name: Literal["pre_llm_call"], callback: hooks.PreLlmCallCallback) -> None: ...
    @overload
    def register_hook(self, hook_name: Literal["post_llm_call"], callback: hooks.PostLlmCallCallback) -> None: ...
    @overload
    def register_hook(
        self, hook_name: Literal["transform_llm_output"], callback: hooks.TransformLlmOutputCallback
    ) -> None: ...
    @overload
    def register_hook(self, hook_name: Literal["pre_verify"], callback: hooks.PreVerifyCallback) -> None: ...
    @overload
    def register_hook(self, hook_name: Literal["pre_api_request"], callback: hooks.PreApiRequestCallback) -> None: ...
    @overload
    def register_hook(self, hook_name: Literal["post_api_request"], callback: hooks.PostApiRequestCallback) -> None: ...
    @overload
    def register_hook(
        self, hook_name: Literal["api_request_error"], callback: hooks.ApiRequestErrorCallback
    ) -> None: ...
    @overload
    def register_hook(self, hook_name: Literal["on_session_start"], callback: hooks.OnSessionStartCallback) -> None: ...
    @overload
    def register_hook(self, hook_name: Literal["on_session_end"], callback: hooks.OnSessionEndCallback) -> None: ...
    @overload
    def register_hook(
        self, hook_name: Literal["on_session_finalize"], callback: hooks.OnSessionFinalizeCallback
    ) -> None: ...
    @overload
    def register_hook(self, hook_name: Literal["on_session_reset"], callback: hooks.OnSessionResetCallback) -> None: ...
    @overload
    def register_hook(self, hook_name: Literal["subagent_start"], callback: hooks.SubagentStartCallback) -> None: ...
    @overload
    def register_hook(self, hook_name: Literal["subagent_stop"], callback: hooks.SubagentStopCallback) -> None: ...
    @overload
    def register_hook(
        self, hook_name: Literal["pre_gateway_dispatch"], callback: hooks.PreGatewayDispatchCallback
    ) -> None: ...
    @overload
    def register_hook(
        self, hook_name: Literal["pre_approval_request"], callback: hooks.PreApprovalRequestCallback
    ) -> None: ...
    @overload
    def register_hook(
        self, hook_name: Literal["post_approval_response"], callback: hooks.PostApprovalResponseCallback
    ) -> None: ...
    @overload
    def register_hook(
        self, hook_name: Literal["kanban_task_claimed"], callback: hooks.KanbanTaskClaimedCallback
    ) -> None: ...
    @overload
    def register_hook(
        self, hook_name: Literal["kanban_task_completed"], callback: hooks.KanbanTaskCompletedCallback
    ) -> None: ...
    @overload
    def register_hook(
        self, hook_name: Literal["kanban_task_blocked"], callback: hooks.KanbanTaskBlockedCallback
    ) -> None: ...
    @overload
    def register_hook(self, hook_name: OneOf[hooks.HookName], callback: Callable[..., object]) -> None: ...
    def register_hook(  # type: ignore[misc]  # Nothing is of the type of the last overload.
        self, hook_name: hooks.HookName, callback: Callable[..., object]
    ) -> None:
        """Have a callback called whenever the host fires a hook.

        Args:
            hook_name: The hook. A name that the release does not know is stored with a warning and never fired.
            callback: Called with keywords only; it must end in ``**kwargs`` and must not be a coroutine function. What
                it gets and what its value does is told by its type in `hermes_sdk.api.hooks`.
        """

    @overload
    def register_middleware(
        self, kind: Literal["tool_request"], callback: middleware.ToolRequestMiddleware
    ) -> None: ...
    @overload
    def register_middleware(
        self, kind: Literal["tool_execution"], callback: middleware.ToolExecutionMiddleware
    ) -> None: ...
    @overload
    def register_middleware(self, kind: Literal["llm_request"], callback: middleware.LlmRequestMiddleware) -> None: ...
    @overload
    def register_middleware(
        self, kind: Literal["llm_execution"], callback: middleware.LlmExecutionMiddleware
    ) -> None: ...
    @overload
    def register_middleware(self, kind: OneOf[middleware.MiddlewareKind], callback: Callable[..., object]) -> None: ...
    def register_middleware(  # type: ignore[misc]  # Nothing is of the type of the last overload.
        self, kind: middleware.MiddlewareKind, callback: Callable[..., object]
    ) -> None:
        """Change requests, or wrap their execution, of tools or of the model. Since 0.17.0.

        Args:
            kind: What to change. A kind that the release does not know is stored with a warning and never called.
            callback: Called with keywords only; it must end in ``**kwargs``. See `hermes_sdk.api.middleware`.
        """

    def register_command(self, name: str, handler: CommandHandler, description: str = "", args_hint: str = "") -> None:
        """Add a slash command to interactive sessions and the gateway.

        The name of a built-in command is refused with a warning; of two plugins the later one wins.

        Args:
            name: The command without the slash; lower case, and with ``-`` for ``_``, which the gateway cannot reach.
            handler: Called with the text after the command.
            description: One line for ``/help``; ``Plugin command`` by default.
            args_hint: What to write after the command, such as ``<city>``.
        """

    def register_cli_command(
        self, name: str, help: str, setup_fn: CliSetup, handler_fn: CliHandler | None = None, description: str = ""
    ) -> None:
        """Add ``hermes <name>``.

        Take a name that the host does not use itself: a clash disables the commands of other plugins too.

        Args:
            name: The command; of two plugins the later one wins.
            help: One line for listings.
            setup_fn: Adds the options to the command's parser.
            handler_fn: Runs the command. By default ``setup_fn`` sets ``func`` on the parser.
            description: What ``hermes <name> --help`` says at its top.
        """

    def register_skill(self, name: str, path: Path, description: str = "") -> None:
        """Offer a skill as ``<plugin>:<name>``. The model finds it by that name only; no listing has it.

        Args:
            name: Letters, digits, ``_`` and ``-``.
            path: The skill's ``SKILL.md``. A str is an AttributeError.
            description: What the skill is for.

        Raises:
            ValueError: The name has other characters.
            FileNotFoundError: There is nothing at the path.
        """

    def dispatch_tool(self, tool_name: str, args: dict[str, Any], **kwargs: Any) -> str:
        """Run a tool at once, without hooks, middleware, coercion and approval.

        Args:
            tool_name: Any registered tool. An unknown one gives ``{"error": "Unknown tool: …"}``.
            args: Its arguments.
            **kwargs: Passed to the handler. In an interactive CLI session the host adds ``parent_agent``.

        Returns:
            The tool's result, JSON by convention.
        """
        ...

    def inject_message(self, content: str, role: str = "user") -> bool:
        """Say something in the interactive CLI session: a new turn when it is idle, an interruption when it is not.

        Args:
            content: The text.
            role: Who says it; another role than ``user`` is written in front of the text in brackets.

        Returns:
            Whether it was delivered; False, with a warning in the log, without an interactive CLI session.
        """
        ...

    def register_auxiliary_task(
        self,
        key: str,
        *,
        display_name: str,
        description: str,
        defaults: AuxiliaryTaskDefaults | UncheckedMapping | None = None,
    ) -> None:
        """Add a side job of the model with settings of its own under ``auxiliary.<key>``. Since 0.15.0.

        Args:
            key: Letters, digits and ``_``; not the key of a built-in task or of another plugin.
            display_name: Its name for people.
            description: One line about it.
            defaults: Its settings where the user has none; ``{"timeout": 60, "provider": "auto"}`` and otherwise empty
                ones by default.

        Raises:
            ValueError: The key is unfit or taken.
        """

    def register_platform(
        self,
        name: str,
        label: str,
        adapter_factory: Callable[[Any], Any],
        check_fn: Callable[[], bool],
        validate_config: Callable[[Any], bool] | None = None,
        required_env: list[str] | None = None,
        install_hint: str = "",
        **entry_kwargs: Unpack[PlatformOptions],
    ) -> None:
        """Add a platform to the gateway; of two registrations of one name the later one wins.

        Args:
            name: The platform; lower case, or it cannot be selected.
            label: Its name for people.
            adapter_factory: Makes the adapter, a `BasePlatformAdapter`, from its `PlatformConfig`.
            check_fn: Whether the requirements are met.
            validate_config: Whether a `PlatformConfig` is complete.
            required_env: Environment variables that it needs.
            install_hint: What to install when ``check_fn`` says no.
            **entry_kwargs: Further facts.

        Raises:
            TypeError: A keyword that the host does not know.
        """

    def register_slack_action_handler(
        self, action_id: str | re.Pattern[str] | dict[str, Any], callback: SlackActionHandler
    ) -> None:
        """Handle buttons and other actions in Slack messages. Since 0.17.0.

        Args:
            action_id: What ``App.action`` of slack_bolt takes: an id, a pattern, or a mapping of constraints.
            callback: A coroutine function.

        Raises:
            ValueError: The id is empty or the callback cannot be called.
        """
