"""`PluginContext`: the ``ctx`` that the host passes to ``register(ctx)``."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal, Protocol, Unpack, overload

from hermes_sdk.api.context_services import PluginServices
from hermes_sdk.api.hook_registration import with_callback_of_hook
from hermes_sdk.api.provider_registration import ProviderRegistration

if TYPE_CHECKING:
    import re
    from collections.abc import Callable, Iterable, Mapping, Sequence
    from pathlib import Path

    from hermes_sdk.api import hooks, middleware, providers
    from hermes_sdk.api.base import KnownNameForThisCallback, UncheckedMapping, UncheckedSchema
    from hermes_sdk.api.manifest import PluginManifest
    from hermes_sdk.api.registrations import (
        AuxiliaryTaskDefaults,
        CliHandler,
        CliSetup,
        CommandHandler,
        PlatformOptions,
        SlackActionHandler,
    )
    from hermes_sdk.api.services import PluginRegistration
    from hermes_sdk.api.tools import AsyncToolHandler, ToolHandler, ToolSchema

__all__ = ["PluginContext"]


class PluginContext(ProviderRegistration, PluginServices, Protocol):
    """The ``ctx`` that the host passes to ``register``, as of 0.22.2. Members without a release exist since 0.13.0.

    An exception in ``register`` disables the plugin; before 0.20.1, its earlier registrations stay in effect. A member
    that the running release lacks raises AttributeError. ``register_…`` methods return None for a rejected
    registration, and before 0.20.1 always.

    Attributes:
        manifest: The manifest of the plugin.
    """

    manifest: PluginManifest

    @overload
    def register_tool(
        self,
        name: str,
        toolset: str,
        schema: ToolSchema | UncheckedSchema,
        handler: ToolHandler,
        check_fn: Callable[[], bool] | None = None,
        requires_env: list[str] | None = None,
        is_async: Literal[False] = False,
        description: str = "",
        emoji: str = "",
        override: bool = False,
    ) -> PluginRegistration | None: ...
    @overload
    def register_tool(
        self,
        name: str,
        toolset: str,
        schema: ToolSchema | UncheckedSchema,
        handler: AsyncToolHandler,
        check_fn: Callable[[], bool] | None = None,
        requires_env: list[str] | None = None,
        *,
        is_async: Literal[True],
        description: str = "",
        emoji: str = "",
        override: bool = False,
    ) -> PluginRegistration | None: ...
    def register_tool(
        self,
        name: str,
        toolset: str,
        schema: ToolSchema | UncheckedSchema,
        handler: ToolHandler | AsyncToolHandler,
        check_fn: Callable[[], bool] | None = None,
        requires_env: list[str] | None = None,
        is_async: bool = False,
        description: str = "",
        emoji: str = "",
        override: bool = False,
    ) -> PluginRegistration | None:
        """Register a tool that the model can call.

        If another toolset has a tool of that name, the registration is rejected with a logged error. Within a toolset,
        the later registration wins.

        Args:
            name: The tool's name; overrides the name in the schema.
            toolset: Tools that users enable or disable together; a new name creates one.
            schema: Description of the tool for the model; annotate it as `ToolSchema` to have its keys checked.
            handler: Called for each call of the tool.
            check_fn: While it returns false or raises, the model does not see the tool. Cached for 30 seconds.
            requires_env: Environment variables that the tool needs; only listed, not checked.
            is_async: Whether the handler is a coroutine function.
            description: Description in listings; by default the schema's, which the model reads.
            emoji: Shown next to the tool's name.
            override: Whether to replace a tool of another toolset. Since 0.14.0. From 0.18.0 only with
                ``plugins.entries.<key>.allow_tool_override: true``.

        Raises:
            PluginToolOverrideError: The user has not allowed ``override``.
        """

    @with_callback_of_hook
    def register_hook(self, hook_name: hooks.HookName, callback: Callable[..., object]) -> PluginRegistration | None:
        """Register a callback for a hook.

        Args:
            hook_name: Name of the hook. An unknown one is stored with a warning and never fired.
            callback: Called with keyword arguments only. Before 0.20.1 it must accept ``**kwargs``, and before 0.21.3
                it must not be a coroutine function.

        Hooks and their arguments besides telemetry_schema_version:
            ``agent_loop_stopped``: session_key, platform, reason, invalidation_reason
            ``api_request_error``: task_id, turn_id, api_request_id, session_id, platform, model, provider, base_url,
                api_mode, api_call_count, started_at, api_duration, ended_at, status_code, retry_count, max_retries,
                retryable, reason, error, request
            ``gateway_platform_event``: platform, event_type, payload
            ``kanban_task_blocked``: task_id, board, assignee, run_id, profile_name, reason
            ``kanban_task_claimed``: task_id, board, assignee, run_id, profile_name
            ``kanban_task_completed``: task_id, board, assignee, run_id, profile_name, summary
            ``on_human_input_request``: kind, request_id, session_id, session_key, platform, prompt
            ``on_human_input_resolved``: kind, request_id, session_id, session_key, platform, prompt, outcome
            ``on_interim_message``: turn_id, iteration, session_id, model, provider, surface, text, already_streamed
            ``on_kanban_dispatch_tick``: board, profile_name, dry_run, outcome, result
            ``on_kanban_task_updated``: task_id, board, assignee, run_id, profile_name, changed_fields
            ``on_kanban_worker_exited``: task_id, board, assignee, run_id, profile_name, worker_pid, exit_kind,
                exit_code, outcome, retry_status
            ``on_kanban_worker_spawned``: task_id, board, assignee, run_id, profile_name, worker_pid, workspace_path
            ``on_kanban_worker_stale_claim``: task_id, board, assignee, run_id, profile_name, worker_pid,
                heartbeat_stale, retry_status
            ``on_room_member_activity``: room_id, thread_id, member_id, turn_id, task_id, execution_generation, kind,
                seq, payload
            ``on_session_end``: session_id, completed, interrupted, model, platform, task_id, turn_id, api_request_id,
                reason, failed, turn_exit_reason
            ``on_session_finalize``: session_id, platform, reason, old_session_id, new_session_id
            ``on_session_reset``: session_id, platform, reason, old_session_id, new_session_id
            ``on_session_start``: session_id, model, platform
            ``on_skill_lifecycle``: action, skill_name, provenance, task_id, session_id, use_count, reused,
                reuse_after_patch
            ``on_stream_delta``: turn_id, iteration, session_id, model, provider, surface, delta, kind
            ``on_stream_end``: turn_id, iteration, session_id, model, provider, surface, final_text, finished, error
            ``on_stream_start``: turn_id, iteration, session_id, model, provider, surface
            ``post_api_request``: task_id, turn_id, api_request_id, session_id, platform, model, provider, base_url,
                api_mode, api_call_count, started_at, api_duration, ended_at, finish_reason, message_count,
                response_model, response, usage, assistant_message, assistant_content_chars, assistant_tool_call_count,
                moa_references, first_chunk_at, context_length
            ``post_approval_response``: command, description, pattern_key, pattern_keys, session_key, surface, turn_id,
                tool_call_id, session_id, request_id, request_digest, coalesced, choice, decided_by, cancelled
            ``post_auxiliary_call``: task_id, turn_id, api_request_id, session_id, platform, model, provider, base_url,
                api_mode, api_call_count, started_at, aux_task, streaming, retry_count, message_count, api_duration,
                ended_at, error, error_type, finish_reason, response_model, response, usage, assistant_content_chars,
                assistant_tool_call_count
            ``post_gateway_admission``: session_key, platform, source, message_id, text
            ``post_llm_call``: session_id, task_id, turn_id, user_message, conversation_history, model, platform,
                assistant_response
            ``post_tool_call``: tool_name, args, task_id, session_id, tool_call_id, turn_id, api_request_id, result,
                duration_ms, status, error_type, error_message, middleware_trace
            ``pre_api_request``: task_id, turn_id, api_request_id, session_id, platform, model, provider, base_url,
                api_mode, api_call_count, started_at, user_message, conversation_history, request_messages,
                message_count, tool_count, approx_input_tokens, request_char_count, max_tokens, middleware_trace,
                request, retry_count, system_prompt
            ``pre_approval_request``: command, description, pattern_key, pattern_keys, session_key, surface, turn_id,
                tool_call_id, session_id, request_id, request_digest, coalesced
            ``pre_auxiliary_call``: task_id, turn_id, api_request_id, session_id, platform, model, provider, base_url,
                api_mode, api_call_count, started_at, aux_task, streaming, retry_count, message_count, request_messages,
                system_prompt, tool_count, approx_input_tokens, request_char_count, max_tokens, request
            ``pre_command``: surface, command, alias_used, args_raw, session_key, platform
            ``pre_gateway_dispatch``: event, gateway, session_store
            ``pre_llm_call``: session_id, task_id, turn_id, user_message, conversation_history, model, platform,
                is_first_turn, sender_id, parent_session_id
            ``pre_tool_call``: tool_name, args, task_id, session_id, tool_call_id, turn_id, api_request_id,
                middleware_trace
            ``pre_transcription``: file_path, provider, model, language, prompt, source
            ``pre_verify``: session_id, platform, model, coding, attempt, final_response, changed_paths
            ``subagent_start``: parent_session_id, parent_turn_id, parent_subagent_id, child_session_id,
                child_subagent_id, child_role, child_goal
            ``subagent_stop``: parent_session_id, parent_turn_id, child_session_id, child_role, child_summary,
                child_status, duration_ms, tool_call_history
            ``transform_api_error_classification``: provider, model, status_code, error_type, error_code, error_message,
                error_body, error, approx_tokens, context_length, num_messages
            ``transform_llm_output``: response_text, session_id, model, platform, turn_id
            ``transform_terminal_output``: command, output, returncode, task_id, env_type, tool_call_id
            ``transform_tool_result``: tool_name, args, task_id, session_id, tool_call_id, turn_id, api_request_id,
                result, duration_ms, status, error_type, error_message
        """

    @overload
    def register_middleware(
        self, kind: Literal["tool_request"], callback: middleware.ToolRequestMiddleware
    ) -> PluginRegistration | None: ...
    @overload
    def register_middleware(
        self, kind: Literal["tool_execution"], callback: middleware.ToolExecutionMiddleware
    ) -> PluginRegistration | None: ...
    @overload
    def register_middleware(
        self, kind: Literal["llm_request"], callback: middleware.LlmRequestMiddleware
    ) -> PluginRegistration | None: ...
    @overload
    def register_middleware(
        self, kind: Literal["llm_execution"], callback: middleware.LlmExecutionMiddleware
    ) -> PluginRegistration | None: ...
    @overload
    def register_middleware(
        self, kind: Sequence[KnownNameForThisCallback], callback: Callable[..., object]
    ) -> PluginRegistration | None: ...
    def register_middleware(  # type: ignore[misc]  # No value has the type of the last overload.
        self, kind: middleware.MiddlewareKind, callback: Callable[..., object]
    ) -> PluginRegistration | None:
        """Register middleware, which changes or wraps tool calls or model requests. Since 0.17.0.

        Args:
            kind: Kind of middleware. An unknown one is stored with a warning and never called.
            callback: Called with keyword arguments only; must accept ``**kwargs``.
        """

    def register_command(
        self,
        name: str,
        handler: CommandHandler,
        description: str = "",
        args_hint: str = "",
        argument_mode: str | None = None,
    ) -> PluginRegistration | None:
        """Add a slash command to interactive sessions and the gateway.

        Built-in names are rejected with a warning. If two plugins register a name, the later one wins.

        Args:
            name: Lower case, without the slash. The gateway cannot call commands with ``_``; use ``-``.
            handler: Called with the text after the command.
            description: One line for ``/help``.
            args_hint: Placeholder for the arguments, such as ``<city>``.
            argument_mode: How menus ask for arguments: ``options``, ``text`` or ``mixed``; by default ``text`` if there
                is a hint. Since 0.21.0.
        """

    def register_cli_command(
        self, name: str, help: str, setup_fn: CliSetup, handler_fn: CliHandler | None = None, description: str = ""
    ) -> PluginRegistration | None:
        """Add the command ``hermes <name>``.

        A name that the host uses disables the CLI commands of all plugins.

        Args:
            name: If two plugins register a name, the later one wins.
            help: One line for listings.
            setup_fn: Adds the options to the command's parser.
            handler_fn: Runs the command. Without it, ``setup_fn`` must set ``func`` on the parser.
            description: Introduction of ``hermes <name> --help``.
        """

    def register_skill(
        self, name: str, path: Path, description: str = "", frontmatter: Mapping[str, Any] | None = None
    ) -> PluginRegistration | None:
        """Register a skill as ``<plugin>:<name>``. Releases before 0.20.1 do not list it.

        Args:
            name: Letters, digits, ``_`` and ``-``.
            path: The skill's ``SKILL.md``. Before 0.22.2, a str raises AttributeError.
            description: Purpose of the skill.
            frontmatter: Metadata for listings, as in a ``SKILL.md``. Since 0.20.1.

        Raises:
            ValueError: The name has other characters.
            FileNotFoundError: The path does not exist.
        """

    def register_auxiliary_task(
        self,
        key: str,
        *,
        display_name: str,
        description: str,
        defaults: AuxiliaryTaskDefaults | UncheckedMapping | None = None,
        inherit_from: str | None = None,
    ) -> PluginRegistration | None:
        """Add an auxiliary model task with its own settings under ``auxiliary.<key>``. Since 0.15.0.

        Args:
            key: Letters, digits and ``_``; not that of another task.
            display_name: Display name.
            description: One-line summary.
            defaults: Settings that the user can override.
            inherit_from: Key of the task whose settings are the defaults. Since 0.22.2.

        Raises:
            ValueError: The key is invalid or taken.
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
    ) -> PluginRegistration | None:
        """Add a messaging platform to the gateway. If a name is registered twice, the later one wins.

        Args:
            name: Lower case, to be selectable.
            label: Display name.
            adapter_factory: Creates the adapter, a `BasePlatformAdapter`, from its `PlatformConfig`.
            check_fn: Returns whether the requirements are met.
            validate_config: Returns whether a `PlatformConfig` is complete.
            required_env: Environment variables that it needs.
            install_hint: What to install when ``check_fn`` returns false.
            **entry_kwargs: The options in `PlatformOptions`.

        Raises:
            TypeError: The host does not know a keyword.
        """

    def register_slack_action_handler(
        self, action_id: str | re.Pattern[str] | dict[str, Any], callback: SlackActionHandler
    ) -> PluginRegistration | None:
        """Register a handler for buttons and other actions in Slack messages. Since 0.17.0.

        Args:
            action_id: As for ``App.action`` of slack_bolt.
            callback: A coroutine function.

        Raises:
            ValueError: The id is empty or the callback is not callable.
        """

    def register_system_prompt_section(
        self,
        id: str,
        content: str | Callable[[Mapping[str, Any]], str],
        *,
        position: str = "after_memory",
        max_chars: int = 4000,
    ) -> PluginRegistration | None:
        """Add a section to the system prompt of every session. Since 0.20.1.

        Rendered once, before the session starts. A section that is too long or raises is omitted with a warning.

        Args:
            id: Lower-case letters, digits and ``. _ -``; unique among plugins.
            content: The text, or a function of a mapping with ``session_id``, ``model``, ``provider``, ``platform``,
                ``profile_name`` and ``cwd``.
            position: Only ``after_memory`` is valid.
            max_chars: Maximum length, up to 4,000 characters; all sections together have up to 8,000.

        Raises:
            ValueError: An argument is invalid, or the id is taken.
            TypeError: The content is neither text nor a function.
        """

    def register_redaction_patterns(self, patterns: Iterable[str]) -> int:
        """Mask further secrets in logs and tool output. Since 0.20.1.

        Args:
            patterns: Regular expressions; those that do not begin with two literal characters are skipped with a
                warning.

        Returns:
            The number of added patterns.
        """
        ...

    def register_context_reference(self, provider: providers.ContextReferenceProvider) -> None:
        """Register a provider that expands references such as ``@issue:17`` in messages. Since 0.20.1.

        A prefix of the host or of another plugin is rejected with a warning.

        Args:
            provider: The provider.
        """

    def register_approval_transport(self, name: str, present_fn: Callable[..., Any]) -> None:
        """Register an approval transport, selected in ``security.approval.transport``. Since 0.20.1.

        Args:
            name: Lower-case letters, digits, ``_`` and ``-``; not ``builtin``.
            present_fn: Called with the request, to ask a person; may be a coroutine function.

        Raises:
            ValueError: The name is invalid or taken.
            TypeError: The function is not callable.
        """

    def register_platform_handler(self, platform: str, factory: Callable[[Any, Any], object]) -> None:
        """Register a function to call when the adapter of a platform connects. Since 0.21.0.

        Args:
            platform: The name of the platform, such as ``telegram``.
            factory: Called with the platform's client and the adapter.

        Raises:
            ValueError: The function is not callable, or the name of the platform is empty.
        """

    def register_telegram_handler(self, factory: Callable[[Any, Any], object]) -> None:
        """Register a function to call when the Telegram adapter connects. Since 0.21.0.

        Args:
            factory: See `register_platform_handler`.
        """

    def register_automation_blueprint(
        self,
        key: str,
        *,
        title: str,
        description: str,
        schedule_template: str,
        prompt_template: str,
        category: str = "general",
        slots: Iterable[Any] = (),
        deliver_default: str = "origin",
        skills: Iterable[str] = (),
        tags: Iterable[str] = (),
    ) -> PluginRegistration | None:
        """Register a template for scheduled jobs, whose slots users fill in. Since 0.22.2.

        A malformed blueprint is rejected with a warning.

        Args:
            key: Lower-case letters, digits, ``_`` and ``-``.
            title: Display name.
            description: Purpose of the job.
            schedule_template: Schedule; ``{name}`` is replaced by a slot.
            prompt_template: Prompt for the agent.
            category: Group in listings.
            slots: Mappings with ``name``, ``type`` and ``label``.
            deliver_default: Default destination.
            skills: Skills that the job needs.
            tags: Search keywords.
        """

    def register_locale(
        self,
        lang: str,
        source: str | Path | Mapping[str, Any],
        *,
        endonym: str | None = None,
        rtl: bool = False,
        surface: str = "core",
    ) -> PluginRegistration:
        """Add a translation of the host's texts. Since 0.22.2.

        Args:
            lang: The language, such as ``pl`` or ``pt-br``.
            source: The texts: a YAML file or a mapping.
            endonym: Its name in the language itself.
            rtl: Whether it is written from right to left.
            surface: ``core``, ``tui`` or ``desktop``.

        Raises:
            ValueError: The language, the surface or the file is invalid.
            FileNotFoundError: The file does not exist.
        """
        ...

    def register_locale_dir(
        self, path: str | Path, *, metadata: Mapping[str, Mapping[str, Any]] | None = None
    ) -> list[PluginRegistration]:
        """Add the translations in the files ``<language>[.<surface>].yaml`` of a directory. Since 0.22.2.

        Args:
            path: The directory.
            metadata: ``endonym`` and ``rtl`` by language.
        """
        ...
