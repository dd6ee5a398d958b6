"""Differences in behaviour between releases of Hermes, each described by a flag.

One file because it is one table. Each flag is declared once, with the first release that has the behaviour, the
conformance case that shows both settings, and the effect for plugins or users if the flag is on.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping, Sequence
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple, cast


class Flag(NamedTuple):
    """Releases and proof of a behaviour flag.

    Attributes:
        since: The first release with the behaviour.
        case: The conformance case that shows both settings: the number of its statement, a hyphen and its name. For
            behaviour of `operate` alone, the node id of a test.
        until: The first later release without the behaviour; None if all later ones have it.
    """

    since: str
    case: str
    until: str | None = None


def flag(since: str, case: str, *, until: str | None = None) -> bool:
    """Declare a flag of `Behaviour`, which is a bool on instances."""
    return cast("bool", Flag(since, case, until))


class Behaviour:
    """Behaviour of a release: a value for each flag.

    Not a dataclass, because the decorator takes longer than loading a contract.

    Args:
        values: A value for each flag.
        unverified: The flags whose values are guesses, because the release's behaviour is unknown.
    """

    __slots__ = ("__dict__", "unverified")

    def __init__(self, values: Mapping[str, bool], unverified: Sequence[str] = ()) -> None:
        vars(self).update(values)
        self.unverified = tuple(unverified)

    def refusing(self, refuse: Callable[[str], Exception]) -> Behaviour:
        """Return a copy that raises `refuse(name)` if an unverified flag is read."""

        def make_property(name: str) -> property:
            def read(_: Behaviour) -> bool:
                raise refuse(name)

            return property(read)

        kind = type("Behaviour", (Behaviour,), {name: make_property(name) for name in self.unverified})
        return cast("Behaviour", kind(vars(self), self.unverified))

    active_task_first = flag("0.20.2", "D33-todos_are_stored_and_nobody_answers_clarify")
    """The task list shows the task in progress before pending ones."""
    aliases_take_base_url = flag("0.21.4", "G24-the_configured_address_does_not_apply_to_an_alias")
    """`model.base_url` also applies to a model provider chosen by an alias."""
    all_tool_names_stored = flag("0.22.2", "H12-the_name_of_an_unknown_tool_is_stored_for_later_turns")
    """In later chat turns, a message about an unknown tool has its name as `tool_name`."""
    allowlists_match_addresses = flag("0.13.0", "H10-users_on_the_allowlist_can_write", until="0.21.5")
    """An allowlist of users also matches the part of an id before `@`."""
    allowlists_of_adapters = flag("0.20.1", "H10-settings_of_an_adapter_allow_users")
    """Settings of an adapter may list who writes: `allow_from`, `group_allow_from`, `group_allowed_chats`. The host
    asks an adapter that enforces an allowlist about each user through `_is_dm_allowed`, if it has that method."""
    approval_outcomes_told = flag("0.21.4", "D31-an_approval_request_times_out")
    """Adapters send a notice when nobody answers a question about a command in time. A question counts as withdrawn
    when its turn is stopped; before, as denied. The result of a command that was not approved has a summary for the
    user."""
    approval_prompts_interim = flag("0.20.6", "D31-a_command_is_approved_once")
    """The metadata of a message that asks for approval marks it as interim, not as an answer."""
    approval_prompts_marked = flag("0.21.0", "D31-a_command_is_approved_once")
    """The metadata of a message marks it as a request for approval."""
    approvals_off_for_plugins = flag("0.21.3", "D31-approval_mode_off_does_not_cover_plugin_rules")
    """`approvals.mode: off` also waives approvals that plugins request."""
    approve_directive = flag("0.18.1", "D30-only_a_block_with_a_message_blocks")
    """`pre_tool_call` may return `{action: approve}` to ask a person for approval."""
    auxiliary_tasks_owned_by_key = flag("0.20.1", "N89-a_plugin_asks_the_models_of_auxiliary_tasks")
    """An auxiliary task belongs to its plugin's key; before, to the name."""
    awaited_usage_silences = flag("0.21.5", "G15-the_number_of_compressions_can_be_configured")
    """After tool calls, the host does not consult an engine that does not reset
    `awaiting_real_usage_after_compression`."""
    backends_logged_as_kept = flag("0.20.1", "F19-backends_are_registered_by_name")
    """The log shows a backend's registered name, and omits backends that are rejected for a built-in name."""
    begun_calls_removed = flag("0.21.3", "D16-unfinished_calls_in_a_text_are_handled")
    """If an answer's text contains an unfinished call at the beginning of a line, the call and all text after it are
    removed."""
    block_beats_approve = flag("0.21.5", "D30-the_first_directive_wins_whichever_it_is")
    """A `pre_tool_call` directive that blocks wins over an earlier one that asks for approval."""
    brackets_closed_in_order = flag("0.21.4", "C17-arguments_that_are_almost_json_are_repaired")
    """Missing closing brackets in a call's arguments are added in nesting order."""
    browser_by_npx = flag("0.13.0", "C11-browser_tools_are_offered_with_an_installed_browser", until="0.20.6")
    """The browser tools are offered if Chromium and `npx`, which runs their program, are on `PATH`."""
    browser_harness = flag("0.22.2", "C11-a_plugin_tool_in_the_browser_toolset_is_offered")
    """`browser_exec` and `browser_vault` replace the browser tools on every machine."""
    bundled_platforms_by_path = flag("0.21.5", "A11-bundled_platforms_have_qualified_keys_in_some_releases")
    """A bundled platform's key is its path, such as `platforms/irc`; before, its name."""
    busy_in_chats = flag("0.21.0", "F9-help_lists_the_built_in_commands")
    """A chat has the command `/busy`."""
    called_names_made_safe = flag("0.21.4", "C18-invalid_names_of_tool_calls_are_repaired")
    """Names of called tools in requests have at most 64 characters: letters, digits, `_` and `-`."""
    capabilities_granted = flag("0.20.1", "N82-a_granted_capability_allows_overrides")
    """`granted_capabilities` in a plugin's configuration entry grants what the older keys grant one by one."""
    changed_files_resolved = flag("0.21.4", "D35-failed_file_changes_of_a_turn_are_reported")
    """A reply does not list a file as unchanged if it was changed later through another name or tool."""
    chat_variables_widened = flag("0.21.5", "L10-code_in_a_chat_sees_its_session")
    """`get_session_env` returns the chat's values in a plugin's command, and in callbacks of a streamed answer."""
    chats_have_shells = flag("0.20.6", "D21-chats_have_separate_shells_in_some_releases")
    """Each gateway chat has its own `terminal` shell, and hooks get the chat as the task."""
    check_fn_quiet = flag("0.21.4", "B19-a_failed_check_is_cached_for_half_a_minute")
    """The host logs no warning if a `check_fn` returns False; it still does if the function raises."""
    child_engines_ended = flag("0.20.2", "D24-a_delegated_task_has_its_own_engine")
    """The context engine of a delegated task is notified when its session ends."""
    children_not_streamed = flag("0.20.2", "D24-middleware_receives_the_answers_of_a_child", until="0.21.3")
    """Delegated tasks do not stream their answers."""
    choices_need_terminal = flag("0.20.6", "L12-setup_helpers_prompt_for_input")
    """Without a terminal, `hermes_cli.setup.prompt_choice` returns its default; before, it asked for a number."""
    cli_commands_labelled = flag("0.21.4", "F12-a_clash_with_a_late_command_of_hermes_breaks_the_cli")
    """`hermes` shows `<command>` in its usage and errors."""
    cli_handler_status = flag("0.20.1", "F11-a_cli_command_receives_a_namespace")
    """The return value of a CLI command's handler, if a number, is the exit status."""
    commands_explained = flag("0.20.2", "D21-a_command_returns_its_output_and_exit_status")
    """`terminal` explains signals, how to continue after a failure, where a command ended and where long output is, and
    that it has no argument `code`. Commands see `AI_AGENT` and `HERMES_AGENT`. A command's own `workdir` does not
    affect the next command."""
    commands_follow_references = flag("0.22.2", "L9-commands_are_recognised_after_attachment_references")
    """A command may follow lines such as `@file:notes.txt` in a message."""
    commands_may_be_indented = flag("0.20.1", "L9-adapters_work_without_a_gateway")
    """A message that begins with whitespace and a slash is a command."""
    compressed_aside = flag("0.20.2", "G15-an_engine_is_called_in_a_session")
    """Context engines compress in the thread `compress-ctx-timeout`. The remaining messages are stored as new
    rows, and the host reports when an announced compression is complete."""
    compression_end_kept_from_chats = flag("0.20.6", "G15-a_chat_is_notified_when_its_context_is_compressed")
    """Chats get no notice of a completed compression, unless `compression.progress_notices` is on."""
    compressions_await_usage = flag("0.21.3", "G15-the_number_of_compressions_can_be_configured")
    """After tool calls, an engine that does not reset `awaiting_real_usage_after_compression` does not compress again.
    The host warns if an engine wants another compression after a turn's three, and no longer replaces its
    `last_prompt_tokens` by a larger estimate before a turn."""
    compressions_configured = flag("0.20.1", "G15-the_number_of_compressions_can_be_configured")
    """A turn may have `compression.max_attempts` compressions, from one to ten; before, three. Chats get compression
    notices only with `compression.progress_notices`; before, they got the notices ahead of a request."""
    compressions_counted_together = flag("0.20.2", "G15-a_turn_continues_when_an_engine_compresses_nothing")
    """Compressions after tool calls count towards the three per turn, and receive the estimated tokens. If a compressed
    request is still over the threshold and nearly as long, no further compression precedes a request in that turn."""
    computer_use_exclusive = flag("0.22.2", "A28-words_for_schedulers_decide_the_kind_in_some_releases")
    """A plugin whose source mentions computer use is exclusive, like one that mentions a scheduler."""
    config_backup_aside = flag("0.21.3", "B10-a_linked_configuration_is_not_copied")
    """The copy of an unreadable `config.yaml` goes to the backup folder; before, to a file next to it."""
    config_errors_explained = flag("0.21.4", "B10-an_invalid_configuration_enables_nothing")
    """The message about an unreadable `config.yaml` says what to do."""
    config_keeps_last_good = flag("0.19.0", "B10-the_configuration_becomes_invalid_while_the_host_runs")
    """When `config.yaml` becomes unreadable, the last configuration stays in effect."""
    config_nulls_saved = flag("0.21.5", "L3-a_saved_configuration_contains_only_changed_values")
    """`save_config` keeps `null` where the default differs, and adds no empty section `agent`."""
    config_references_prefixed = flag("0.20.1", "L3-variables_in_a_configuration_are_expanded")
    """`${env:NAME}` in a configuration is a variable, and blanks around a name are ignored."""
    context_spill = flag("0.18.1", "D29-long_context_is_saved_to_a_file")
    """`pre_llm_call` context beyond 10,000 characters goes to a file and leaves a preview."""
    core_tools_deferred = flag("0.21.3", "C15-small_tool_definitions_are_not_deferred", until="0.21.4")
    """Some core tools are deferred although the configuration does not list them; later releases list them there."""
    corrections_tell_origin = flag("0.21.3", "H19-another_message_interrupts_a_turn")
    """A text that redirects a turn tells the model its chat and user. The notice that the turn continues omits the
    request limit if there is none."""
    custom_provider_labelled = flag("0.21.4", "D37-a_permanent_api_error_fails_the_turn", until="0.21.5")
    """The reply of a failed turn calls the provider `custom` `Custom endpoint`."""
    cut_off_answers_get_double_room = flag("0.21.3", "C17-arguments_that_are_not_json_are_requested_again")
    """Each continuation of a truncated answer doubles the token limit; before, it added to the limit."""
    cut_off_answers_get_more_room = flag("0.22.2", "C17-arguments_that_are_not_json_are_requested_again")
    """Each continuation of a truncated answer multiplies the token limit by a higher power of two."""
    cut_off_answers_joined = flag("0.20.2", "D16-an_answer_that_stays_truncated_ends_the_turn")
    """The parts of a repeatedly truncated answer become one message of the history, and parts that would touch are
    joined by a line break."""
    deferred_calls_listed = flag("0.21.3", "C15-deferred_tools_are_called_in_a_list_in_some_releases")
    """`tool_call` accepts a list of calls."""
    delegation_extended = flag("0.20.2", "D24-a_task_is_delegated")
    """`delegate_task` accepts ten tasks instead of three, rejects several tasks if one goal is short or a placeholder,
    and lets children run code. Its result reports each task's cost, truncation, and what its tools worked on."""
    directory_before_entry_point = flag("0.21.4", "A43-an_entry_point_that_is_not_enabled_hides_a_directory")
    """A directory plugin hides an entry point with its key; before, the entry point hid it."""
    discovery_retried = flag("0.20.2", "A24-a_list_as_the_name_of_a_nested_plugin_stops_discovery")
    """After an exception in the discovery of plugins, every hook that the host fires repeats the discovery, which
    fails; before, the host used the plugins that it had loaded."""
    dropped_messages_logged = flag("0.21.3", "L9-a_message_without_a_gateway_is_dropped")
    """An adapter without a gateway logs that it drops messages, once."""
    empty_messages_filled = flag("0.20.1", "D15-an_empty_message_before_others_is_replaced")
    """A message without content that is not a request's last one is sent with a placeholder."""
    empty_messages_not_restored = flag("0.20.1", "H12-pre_gateway_dispatch_rewrites_messages")
    """A message without text is left out of later chat turns."""
    empty_replies_explained_last = flag("0.21.5", "D36-an_empty_answer_is_requested_again")
    """`transform_llm_output` gets `(empty)` when the model said nothing; the text for the user and the note on
    unchanged files are added afterwards. Tool results without a comment stay in the history."""
    engine_clones_itself = flag("0.21.5", "G14-an_engine_creates_the_copy_for_an_agent")
    """A context engine's `clone_for_agent` copies it for an agent; before, `copy.deepcopy` did."""
    engine_consulted = flag("0.20.2", "G15-an_engine_is_called_in_a_session")
    """An engine writes or suppresses the compression message to the user. If it does not compress, the host asks it for
    a reason; after tool calls, to prune results; before turns, for maintenance."""
    engine_copied = flag("0.18.0", "G15-an_engine_is_called_in_a_session")
    """Each agent works on a copy of the context engine."""
    engine_lists_tools_again = flag("0.21.0", "G15-an_engine_is_called_in_a_session")
    """After a compression, the host asks the engine for its tools again."""
    engine_of_directory_first = flag("0.21.5", "G12-an_engine_is_loaded_from_the_directory_of_its_name")
    """`context.engine` prefers the engine in `plugins/<name>`, enabled or not, to a registered one."""
    engines_serve_children = flag("0.21.4", "D24-a_delegated_task_has_its_own_engine")
    """A context engine offers its tools to delegated tasks."""
    entry_point_called = flag("0.21.5", "A42-an_entry_point_to_a_function_fails")
    """A callable entry point is called even if it has a function `register`."""
    entry_points_imported_first = flag("0.20.1", "G20-model_providers_load_from_entry_points")
    """Enabled entry points are imported before plugins are discovered, to find model providers; a function without
    required arguments is called."""
    event_lists_required = flag("0.21.3", "H14-hook_events_must_be_a_list")
    """A gateway does not start if an event hook's events are not a list."""
    exits_of_hooks_lost = flag("0.20.6", "D2-sys_exit_of_pre_llm_call", until="0.21.4")
    """A turn hook callback that raises SystemExit or KeyboardInterrupt returns None; nothing is logged."""
    exits_swallowed = flag("0.21.4", "N65-sys_exit_of_a_callback_counts_as_a_failure")
    """`sys.exit` in a hook callback is an ordinary failure; before, it ended the host."""
    extra_goes_first = flag("0.22.2", "H4-two_blocks_of_platform_settings_are_merged")
    """A platform's `extra` values override those next to it, including for `apply_yaml_config_fn`."""
    failed_children_told = flag("0.21.0", "D24-a_failing_child_is_reported")
    """A delegated task whose requests fail counts as failed; before, as completed. `delegate_task` accepts a list with
    one task."""
    failed_files_told = flag("0.20.2", "H8-failed_sends_of_files_are_reported")
    """A notice follows a file of a reply that an adapter failed to send."""
    failed_files_told_as_replies = flag("0.21.4", "H8-failed_sends_of_files_are_reported")
    """An adapter gets `reply_to` with the notice about a file that it failed to send."""
    failed_looks_counted = flag("0.13.0", "D17-a_turn_fails_when_middleware_returns_a_list", until="0.21.3")
    """A middleware response whose attributes cannot be listed counts as an attempt before it fails."""
    failed_turns_marked = flag("0.21.5", "D37-a_permanent_api_error_fails_the_turn")
    """The host message about a failed turn has the kind `failed_turn`."""
    failing_policy_blocks = flag("0.21.5", "N67-a_policy_hook_that_raises_blocks_the_call")
    """A `pre_tool_call` callback that raises blocks the tool; before, the tool ran."""
    failures_described = flag("0.22.2", "D37-a_permanent_api_error_fails_the_turn")
    """The host message about a failed turn describes the failure in `display_metadata`."""
    failures_explained = flag("0.21.4", "D37-a_permanent_api_error_fails_the_turn")
    """The reply of a failed turn says what happened and what to do, and quotes the provider at the end. If the turn
    leaves the user's message unanswered, the history ends with a host message."""
    failures_logged_once = flag("0.21.4", "N68-the_same_failure_is_logged_once")
    """Each exception in a hook or middleware callback is logged once, with the names that it could accept."""
    failures_reported = flag("0.20.1", "D19-a_call_fails_when_its_result_is_an_object_with_an_error")
    """Hooks see every failure that the agent loop counts, not only a truthy `error`."""
    files_explained = flag("0.20.2", "D35-a_written_file_can_be_read")
    """File tools report more: that a file holds what was written, is empty or ends before the region, the type of a
    file that is not text, where an ambiguous text matches, and whitespace differences. `search_files` reports absolute
    paths for text matches."""
    files_forgotten_after_turns = flag("0.21.4", "D35-an_ended_turn_is_not_a_concurrent_writer")
    """File reads and writes are forgotten at the end of a turn, so the next one gets no warning that a subagent changed
    a file."""
    first_choice_recommended = flag("0.20.1", "D33-a_user_chooses_an_answer")
    """`clarify` marks the first of several choices as recommended. In a chat with buttons, other texts and a
    second press are not accepted as answers."""
    first_note_in_private = flag("0.22.2", "H8-the_first_message_can_come_from_a_group")
    """Only a direct message gets the note about the user's very first message."""
    foreground_arguments_checked = flag("0.20.6", "D21-unusable_arguments_of_a_command_are_reported")
    """`terminal` rejects `notify` and `pty` for foreground commands."""
    foreign_directories_skipped = flag("0.21.5", "A16-directories_without_a_plugin_are_skipped_in_some_releases")
    """Directories such as `__x__` and `.claude-plugin` are never plugins."""
    gateway_asks = flag("0.13.0", "C11-tools_for_scheduled_jobs_are_offered_in_a_gateway", until="0.20.2")
    """`HERMES_EXEC_ASK` is set in a gateway, which offers `cronjob` with the command line's tools."""
    gateway_checks_tools = flag("0.21.0", "B17-a_gateway_checks_its_tools_when_it_starts")
    """A gateway that starts calls the `check_fn` of every tool; before, the first turn did."""
    gateway_commands_in_threads = flag("0.21.5", "F9-plugin_commands_run_in_a_chat")
    """A gateway runs slash command handlers in a thread, unless they are coroutine functions."""
    gateway_housekeeping_aside = flag("0.21.4", "H19-a_session_is_renewed_while_a_turn_runs")
    """When a user renews a session, `on_session_finalize` fires in a thread named `hermes-gateway-hk`."""
    gateway_messages_identified = flag("0.21.3", "N77-stored_messages_of_a_chat_have_ids")
    """A chat user's message carries the platform's id, and an id of the turn's owner."""
    generated_media_apart = flag("0.22.2", "L2-helpers_of_image_providers_are_available")
    """Images and videos are saved in the home's `cache/generated`; before, in `cache`."""
    handlers_narrowed = flag("0.21.5", "C19-handlers_receive_one_positional_argument_and_keywords")
    """A tool handler receives only the keyword arguments that it declares."""
    home_channels_configured = flag("0.20.1", "H11-a_chosen_home_channel_is_saved")
    """`/sethome` also writes the chat to `platforms` in `config.yaml`, with the user's id."""
    home_model_providers_win = flag("0.21.5", "L6-a_model_provider_can_be_constructed")
    """A model provider in the home wins over a registered one with its name."""
    homebrew_manages_nothing = flag("0.20.1", "K3-hermes_managed_marks_the_configuration_as_managed")
    """`HERMES_MANAGED=brew` and `homebrew` do not make the configuration read-only."""
    hook_arguments_narrowed = flag("0.20.1", "D3-a_callback_without_kwargs_meets_the_telemetry_argument")
    """A hook callback gets only the arguments that it declares; before, all of them."""
    hook_calls_told_apart = flag("0.21.0", "D34-file_tools_with_different_paths_run_in_parallel")
    """A turn hook callback runs for several tool calls at once; before, it was skipped while running."""
    hooks_awaited = flag("0.21.3", "N70-coroutine_callbacks_are_awaited")
    """Coroutines that hook callbacks return are awaited, and their values count."""
    hooks_bounded = flag("0.20.6", "N65-a_callback_over_its_timeout_is_abandoned")
    """Turn hook callbacks run in their own threads and time out after `plugins.hook_callback_timeout` seconds."""
    hooks_declared = flag("0.21.5", "N21-hooks_of_a_manifest_are_read")
    """`hooks` in a manifest counts as `provides_hooks`."""
    identical_calls_noted = flag("0.20.6", "C16-warnings_about_repeated_failures_can_be_disabled")
    """The third consecutive equal call with an equal result gets a note. From the second on, a reference replaces a
    long result."""
    image_backend_errors_told = flag("0.21.3", "G19-an_image_backend_that_raises_counts_as_unavailable")
    """An exception in an image backend's `is_available` reaches the tool registry, which logs it."""
    image_controls = flag("0.22.2", "G18-an_image_backend_receives_its_declared_controls")
    """An image backend gets the creative controls that its capabilities list."""
    impostors_ignored = flag("0.21.5", "N12-a_user_plugin_with_the_key_of_a_bundled_plugin_is_ignored")
    """A plugin named like a bundled plugin's key is ignored, unless its directory has that plugin's name."""
    incomplete_results_noted = flag("0.20.6", "C28-results_that_announce_more_are_recognised")
    """A result from an external source gets a note if it announces more content."""
    interim_texts_anchored = flag("0.21.0", "H8-a_text_beside_tool_calls_is_sent_in_some_releases")
    """The metadata of text next to tool calls names the message that the text answers. Adapters send the text as a
    reply to that message."""
    interim_texts_marked = flag("0.20.6", "H8-a_text_beside_tool_calls_is_sent_in_some_releases")
    """The metadata of text next to tool calls marks it as interim, not as an answer."""
    interim_texts_rarely_reply = flag("0.21.3", "H8-a_text_beside_tool_calls_is_sent_in_some_releases")
    """Only Buzz, Feishu, Mattermost and Slack send text next to tool calls as a reply."""
    judges_without_reasoning = flag("0.22.2", "D31-a_model_approves_a_command")
    """The model that assesses a command is asked not to reason."""
    keyless_error_named = flag("0.22.2", "G24-a_provider_without_keys_cannot_be_selected")
    """Choosing a model provider that needs no key raises ProviderNotConfiguredError; before, RuntimeError."""
    keyless_providers_unconfigured = flag("0.21.4", "G24-a_provider_without_keys_cannot_be_selected")
    """A model provider that needs no key counts as none; before, as an unknown one."""
    last_chunks_closed = flag("0.20.2", "L9-truncation_handles_unclosed_code_blocks")
    """`truncate_message` closes a code block that the last chunk continues and the text leaves open."""
    last_reply_kept = flag("0.21.5", "G15-a_last_reply_dropped_by_an_engine_is_restored")
    """The host restores the last reply if a context engine drops it."""
    libyaml = flag("0.18.0", "A21-a_directory_with_an_invalid_manifest_is_not_a_plugin")
    """Manifests are parsed by libyaml, whose error messages differ."""
    lines_counted = flag("0.21.3", "D35-a_written_file_can_be_read")
    """`read_file` counts a last line without a line end, and shows no empty line after the last one."""
    llm_async_logged = flag("0.20.1", "E13-only_sync_calls_are_logged")
    """Async `ctx.llm` calls are logged like sync ones."""
    llm_configured_providers_only = flag("0.21.3", "E6-the_model_of_the_first_call_lasts")
    """`ctx.llm` falls back only to configured providers. For `vendor/model` it uses the configured model, unless that
    has such a name too."""
    llm_unavailable_told = flag("0.21.4", "E7-without_a_provider_every_call_fails")
    """Without a provider, `ctx.llm` raises `AuxiliaryClientUnavailable`, a kind of RuntimeError; before, RuntimeError
    itself."""
    loading_contained = flag("0.21.5", "N22-a_plugin_over_the_load_timeout_is_unloaded")
    """Import and `register` run in their own thread. After `plugins.load_timeout_seconds` or a SystemExit in
    `register`, the plugin fails and the host continues."""
    logins_replaced = flag("0.20.6", "F19-secret_sources_and_dashboard_logins_are_validated")
    """A dashboard login replaces one with the same name."""
    long_commands_moved = flag("0.21.3", "D21-a_timeout_beyond_the_limit_moves_a_command_to_the_background")
    """A command whose timeout exceeds the limit runs in the background."""
    longer_histories_kept = flag("0.18.0", "H8-a_prompt_follows_an_empty_answer_in_some_releases", until="0.20.2")
    """A chat may continue with the history in memory if that has more messages than the database."""
    loop_results_transformed = flag("0.21.5", "N63-results_of_agent_loop_tools_are_transformed")
    """`transform_tool_result` also fires for agent-loop tools, after `post_tool_call`."""
    managed_may_be_off = flag("0.21.3", "K3-hermes_managed_marks_the_configuration_as_managed")
    """`HERMES_MANAGED` may be `false`, `no`, `off` or `0`. Before, these values make the configuration read-only."""
    managed_scope = flag("0.17.0", "B11-a_managed_list_replaces_the_list_of_the_user")
    """`config.yaml` in `HERMES_MANAGED_DIR` overrides the user's, value by value."""
    managed_scope_read_as_text = flag("0.21.3", "B11-a_managed_file_that_cannot_be_read_is_ignored")
    """The message about an unreadable managed `config.yaml` shows its text and not its path."""
    managed_scope_read_by_libyaml = flag("0.21.5", "B11-a_managed_file_that_cannot_be_read_is_ignored")
    """A managed `config.yaml` is parsed by libyaml."""
    manifest_fields_read = flag("0.20.1", "N1-fields_of_later_manifests_are_read")
    """Fields of manifest version 2 are read. Plugins load after those they require, otherwise by key. Entry points have
    the version, summary and kind of their package."""
    manifest_mapping_checked = flag("0.21.5", "A21-a_directory_with_an_invalid_manifest_is_not_a_plugin")
    """The warning about a manifest that is not a mapping names its type."""
    manifest_version_two_installed = flag(
        "0.21.4", "tests/operate/test_install.py::test_installer_of_release_checks_the_manifest"
    )
    """`hermes plugins install` accepts manifest version 2."""
    media_tags_in_markup = flag("0.20.2", "L9-media_tags_are_extracted_from_texts")
    """`MEDIA:` tags may be in bold, italics or inline code, end a sentence and follow each other on a line; paths to
    files of unknown kinds may have blanks. Only audio becomes a voice message. Tags in code, quotations and JSON are
    shown unchanged."""
    memory_batches_refused_briefly = flag("0.21.4", "D33-a_batch_of_memory_changes_is_atomic")
    """`memory` rejects several changes without listing the entries."""
    memory_cli_of_honcho = flag("0.13.0", "G10-the_handler_of_another_memory_provider_is_not_used", until="0.22.2")
    """A memory provider's command may be the function `honcho_command`, whatever the provider's name."""
    memory_gets_no_secrets = flag("0.22.2", "N85-a_memory_provider_receives_no_secrets")
    """Memory providers receive texts with secrets masked."""
    memory_modules_by_source = flag("0.21.3", "G3-submodules_of_a_memory_provider_are_executed_first")
    """The module name of a memory provider ends with a digest of its directory."""
    memory_modules_parsed = flag("0.22.2", "G1-a_memory_provider_can_be_imported_from_a_submodule")
    """A memory provider may be defined in any top-level module of its directory."""
    memory_offered_when_enabled = flag("0.20.6", "D33-memory_can_be_disabled")
    """`memory` is not offered when disabled, and rejects an unknown target with another message."""
    memory_patched = flag("0.22.2", "D33-facts_are_added_to_the_named_memory")
    """`memory` requires a target, and patches entries instead of replacing them."""
    memory_prompt_gated = flag("0.20.6", "G6-a_memory_provider_without_its_toolset_sees_each_turn")
    """A memory provider whose tools are not offered adds nothing to the system prompt."""
    memory_provider_hooks_replaced = flag("0.21.3", "N96-a_memory_provider_registers_in_every_session")
    """When a memory provider registers again, its hooks are replaced; before, they accumulated."""
    memory_providers_disabled = flag("0.21.5", "B8-a_memory_provider_loads_although_it_is_disabled")
    """A memory provider in `plugins.disabled` is not loaded."""
    memory_providers_installed = flag("0.20.1", "G1-an_entry_point_of_a_provider_can_name_several_objects")
    """A memory provider may be an entry point of an installed package."""
    memory_providers_register_all = flag("0.20.1", "G4-a_memory_provider_registers_other_parts")
    """Other registrations of a memory provider take effect; before, they were ignored or an error."""
    memory_removals_told = flag("0.21.5", "D33-a_batch_of_memory_changes_is_atomic")
    """`memory` returns removed entries, and memory providers get the entries that it replaced or removed."""
    memory_replacements_told = flag("0.21.4", "D33-a_batch_of_memory_changes_is_atomic")
    """`memory` returns replaced entries, and explains that `replace` replaces a whole entry."""
    memory_siblings_removed = flag("0.21.5", "G3-submodules_of_a_memory_provider_are_executed_first")
    """A failed module in the directory of a memory provider does not stay imported."""
    memory_skips_trivial_prompts = flag("0.20.2", "N95-greetings_do_not_recall_memory")
    """Greetings, acknowledgements and slash commands trigger no memory prefetch."""
    memory_takes_new_text = flag("0.20.1", "D33-memory_accepts_new_text_for_content")
    """`memory` takes `new_text` where one of several operations lacks `content`."""
    memory_told_session = flag("0.21.3", "G6-a_memory_provider_is_called_in_two_turns")
    """A memory provider's `on_turn_start` receives the message's author, and its `prefetch` the session id; before, an
    empty string."""
    memory_tools_claimed_at_once = flag("0.21.3", "G8-a_memory_provider_raises_in_get_tool_schemas_once_started")
    """The host reads a memory provider's tools once before the provider starts; before, twice."""
    merged_messages_kept_apart = flag("0.22.2", "D17-a_first_request_over_the_size_limit_fails_the_turn")
    """Adjacent user messages become the first one; before, the last one."""
    messages_counted_as_sent = flag("0.20.2", "G15-an_engine_is_called_in_a_session")
    """Message tokens are estimated one by one, without host-only data."""
    messages_counted_in_bytes = flag("0.21.3", "G15-an_engine_is_called_in_a_session")
    """Message tokens are estimated by bytes, not characters."""
    messages_identified = flag("0.22.2", "N77-stored_messages_have_ids")
    """Stored messages and their tool calls carry stable ids. Messages that a gateway reads from its database carry
    `_db_persisted` from the start."""
    messages_know_their_rows = flag("0.21.0", "N77-stored_messages_have_ids")
    """Stored messages carry their database row number as `_row_id`."""
    messages_timestamped = flag("0.20.1", "N77-messages_have_timestamps")
    """Every message in the history has its time as `timestamp`."""
    middleware_chained = flag("0.22.2", "C31-request_middleware_is_chained")
    """Request middleware sees the previous middleware's payload; before, the first."""
    middleware_exits_swallowed = flag("0.21.4", "C32-sys_exit_of_middleware_counts_as_a_failure")
    """`sys.exit` in request middleware is an ordinary failure; before, it ended the host."""
    missing_connections_told = flag("0.20.2", "D17-every_status_has_a_reason")
    """A turn that ends for lack of credit tells the user what to do. A chat is notified that the host cannot connect to
    the provider; before, that the provider failed."""
    missing_files_resolved = flag("0.21.5", "D35-another_call_resets_the_count_of_repeated_reads")
    """`read_file` names a missing file, and files with similar names, by absolute paths, and reports cut lines."""
    modify_directive = flag("0.20.2", "N61-pre_tool_call_modifies_arguments")
    """`pre_tool_call` may return `{action: modify}` to change a call's arguments, in a shell hook too."""
    modules_forgotten = flag("0.20.1", "A38-modules_of_a_failed_plugin_stay_imported_in_some_releases")
    """After a failed import and before a rescan, all modules of a plugin leave `sys.modules`."""
    nameless_calls_sent_named = flag("0.20.2", "C18-unknown_tools_are_reported_to_the_model")
    """Only requests show a tool call without a name as `invalid_tool_call`; before, the history did."""
    notes_replayed_at_once = flag("0.21.3", "H8-pending_results_are_noted_in_some_releases")
    """A chat message with a host note has `api_content` from the first request; before, from the end of the turn."""
    notices_marked_interim = flag("0.22.2", "H5-platform_settings_come_from_the_environment")
    """The metadata of a shutdown notice marks it as interim, not as an answer."""
    null_sections_ignored = flag("0.19.0", "B11-a_managed_null_does_not_replace_a_section")
    """A null section in a configuration keeps the section that it overlays."""
    odd_files_recognised = flag("0.20.1", "D35-files_that_are_not_utf8_are_read_as_binary_or_replaced")
    """`read_file` treats a file that does not begin with UTF-8 as binary, and suggests files whose names are nearly
    that of a missing one. Tools may change files below `/private/var`, except for those of the system."""
    offers_without_surrogates = flag("0.20.2", "D16-lone_surrogates_are_replaced")
    """The model gets the definitions of tools without lone surrogates; before, the request failed."""
    old_configurations_refused = flag("0.20.2", "N93-a_configuration_that_is_too_old_is_not_migrated")
    """A configuration with a version below 12 is not migrated."""
    outages_waited_out = flag("0.21.4", "D37-a_lasting_api_error_fails_the_turn")
    """After the last attempt, the host waits for a provider that is overloaded, fails or does not answer, and repeats
    all attempts `agent.auto_recovery_cycles` times."""
    outbound_webhooks = flag("0.20.1", "N108-events_for_python_plugins_only_are_rejected_for_shell_hooks")
    """`hooks.outbound` is not a hook: it holds the webhooks that the host calls."""
    pager_replaced = flag("0.20.6", "D21-commands_run_without_a_pager")
    """`terminal` sets `PAGER` and `GIT_PAGER` to `cat` for its commands if they are unset."""
    parts_sent_plain = flag("0.20.2", "C28-one_part_is_sent_as_text")
    """Requests show a result of one text part as text, and no part with `cache_control`."""
    placeholder_keys_refused = flag("0.21.4", "G24-a_short_key_is_checked")
    """A model provider's key counts as missing if it has fewer than four characters or is an example value."""
    placeholders_replayed = flag("0.20.6", "H19-a_correction_is_stored_in_some_releases")
    """The placeholder for an answer that the user interrupted is stored as `api_content`."""
    placeholders_restored = flag("0.21.4", "H19-a_correction_is_stored_in_some_releases")
    """The placeholder for an answer that the user interrupted is part of later chat turns."""
    platform_checks_caught = flag("0.20.1", "H7-the_check_of_a_platform_raises")
    """A `check_fn` that raises counts as False; before, the host went on to look for a built-in adapter."""
    platform_keys_in_extra = flag("0.21.3", "H4-a_top_level_block_enables_a_platform")
    """Unknown keys of a platform's block are adapter settings."""
    platforms_beside_settings = flag("0.20.2", "H4-platform_settings_can_be_beside_the_settings_of_the_gateway")
    """The section `gateway` may have the settings of a platform under its name, beside those in `platforms`."""
    plugin_approvals_told = flag("0.20.1", "D31-an_unanswered_approval_request_is_denied")
    """Approval hooks also fire at a terminal for a call that a plugin wants approved, and get its ids. If the question
    could not be sent, `post_approval_response` fires with `notify_failed`."""
    plugin_skill_sources_told = flag("0.22.2", "F3-a_skill_is_served_with_a_banner")
    """`skill_view` reports the file and folder of a plugin's skill."""
    plugin_skills_listed = flag("0.20.1", "F5-skills_of_plugins_are_not_listed")
    """`skills_list` shows plugin skills."""
    plugins_isolated = flag("0.22.2", "N29-an_unknown_isolation_loads_plugins_in_process")
    """`plugins.isolation: host` runs plugins in a separate process."""
    portable_plugins = flag("0.20.1", "N16-portable_plugins_load_next_to_ordinary_ones")
    """A directory with a `plugin.json` but no YAML manifest is a portable plugin."""
    portable_servers_declared = flag("0.21.5", "N18-a_portable_plugin_provides_mcp_servers")
    """The extension `com.nousresearch.hermes` of a `plugin.json` declares what its MCP servers need. They have the
    names in `mcp.json`, and the first plugin with a name wins; before, the plugin's namespace preceded the name."""
    profile_gets_cache_scope = flag("0.22.2", "G23-hooks_of_a_model_provider_run_in_a_turn")
    """A model provider's `build_api_kwargs_extras` receives `cache_scope_id`."""
    prompt_sections_renewed = flag("0.21.0", "N78-sections_are_rendered_again_in_a_new_session")
    """The sections of the system prompt are rendered again for the session after `/new`."""
    provider_errors_advise = flag("0.21.4", "H8-provider_errors_are_hidden_from_a_chat")
    """A chat's replacement for a provider error names useful commands, and checks for limits before keys."""
    questions_listed = flag("0.20.6", "D33-todos_are_stored_and_nobody_answers_clarify")
    """`clarify` accepts a list of questions, and `session_search` explains how to name a session."""
    questions_required = flag("0.22.2", "D33-todos_are_stored_and_nobody_answers_clarify")
    """`clarify` accepts only a list of questions."""
    rate_limits_redelivered = flag("0.21.3", "H8-a_send_that_keeps_failing_is_abandoned")
    """No notice follows an answer that could not be sent because of a rate limit."""
    read_results_marked = flag("0.22.2", "D35-another_call_resets_the_count_of_repeated_reads")
    """`read_file` reports whether the file is missing."""
    reasoning_sent_to_local_models = flag("0.22.2", "D16-reasoning_is_removed_from_the_reply")
    """Requests to a local model include earlier reasoning, as `reasoning` and `reasoning_content`."""
    received_audio_recognised = flag("0.20.2", "L9-the_format_of_received_audio_is_detected")
    """The file of received audio has the suffix of its format; before, the suffix that the adapter passes."""
    received_files_private = flag("0.22.2", "L9-received_media_files_are_private")
    """Only the owner may read the images, audio and videos that adapters store, and list their folders."""
    refusals_are_no_failures = flag("0.21.4", "C16-repeated_failures_are_pointed_out")
    """Rejecting a repeated call does not count as a tool failure. The results of such rejected reads are marked."""
    refusals_streamed = flag("0.21.4", "C32-middleware_receives_an_answer_assembled_from_a_stream")
    """The message of a streamed response has the model's refusal."""
    registrations_undone = flag("0.20.1", "A38-registrations_of_a_failed_plugin_are_rolled_back_in_some_releases")
    """When `register` raises, nothing stays registered. A forced rescan undoes all registrations, latest first. Every
    registration that `register` does not undo counts."""
    relay_plugins_refused = flag("0.20.6", "N15-plugins_that_hermes_replaced_are_not_loaded")
    """The former NeMo Relay plugins are rejected."""
    release_candidates_read = flag("0.21.5", "N13-a_plugin_can_require_a_release")
    """`requires_hermes` may name a pre-release: `>=0.22.2rc1` means `>=0.22.2`. Before, such a clause is ignored."""
    repairs_told = flag("0.22.2", "C32-middleware_receives_an_answer_assembled_from_a_stream")
    """Tool calls of a streamed response state whether the host repaired their arguments."""
    repeated_call_ids_renamed = flag("0.20.2", "C18-calls_share_an_id")
    """Of calls in one answer that share an id, the later ones get another. Before, the model got only the first,
    including in different answers."""
    repeated_calls_watched = flag("0.21.3", "C16-repeated_equal_calls_are_pointed_out")
    """A repeating cycle of up to four calls gets a note; with hard stops on, equal calls end the turn. In gateway
    chats, calls that fail too often end it by default. A change between equal failing calls resets the count, and some
    tools may fail any number of times."""
    replies_follow_corrections = flag("0.21.4", "H19-another_message_interrupts_a_turn")
    """The reply of a redirected turn answers the text that redirected it."""
    replies_may_be_muted = flag("0.21.4", "H8-an_adapter_raises_when_processing_starts_or_completes")
    """After a turn, an event says whether the reply was muted."""
    replies_without_surrogates = flag("0.20.2", "D16-lone_surrogates_are_replaced")
    """The reply of a turn has no lone surrogates, which are replaced after all hooks."""
    requests_ask_for_reasoning = flag("0.21.4", "D8-hooks_fire_in_a_turn_with_a_tool_call")
    """Requests to a custom provider ask for medium reasoning effort."""
    requests_limit_tokens = flag("0.13.0", "D3-a_callback_can_be_none", until="0.21.3")
    """Requests to a custom provider carry `max_tokens`; result messages carry the tool's name."""
    required_always_listed = flag("0.21.4", "C14-object_schemas_list_required_properties_in_some_releases")
    """Every object in a tool schema has a list `required`, which may be empty; defaults are not treated as schemas."""
    requires_hermes_gates = flag("0.21.3", "N13-a_plugin_can_require_a_release")
    """A plugin whose `requires_hermes` excludes the release is not loaded."""
    requires_hermes_gates_installer = flag(
        "0.22.2", "tests/operate/test_install.py::test_installer_of_release_checks_the_manifest"
    )
    """`hermes plugins install` rejects a plugin that requires another release."""
    restored_tool_messages_marked = flag("0.20.6", "N77-stored_messages_of_a_chat_have_ids")
    """Tool calls and results that a gateway reads from its database carry `_db_persisted` from the start."""
    retired_expiry_told = flag("0.22.2", "D12-a_session_over_the_idle_limit_is_renewed")
    """A gateway warns of settings for session expiry, which now happens only through a plugin."""
    rows_uncounted = flag("0.21.5", "G15-an_engine_that_does_not_count_receives_an_estimate")
    """Estimates of message tokens leave out `_row_id`, `display_kind` and `display_metadata`."""
    save_in_chats = flag("0.20.1", "F9-help_lists_the_built_in_commands")
    """A chat has the command `/save`."""
    schedulers_exclusive = flag("0.21.5", "A28-words_for_schedulers_decide_the_kind_in_some_releases")
    """A plugin whose source mentions a scheduler is exclusive, like one that mentions a memory provider."""
    schema_references_followed = flag("0.22.2", "C20-arguments_are_coerced_by_referenced_definitions")
    """Arguments are coerced through `$ref` in a tool schema."""
    schema_version_from_file = flag("0.16.0", "B12-a_configuration_without_a_version_counts_as_old")
    """A `config.yaml` without a numeric `_config_version` is migrated as an old one."""
    search_hints_in_json = flag("0.21.3", "D35-search_results_are_limited")
    """A truncated result of `search_files` is JSON with `_hint`, and its total a lower bound; before, text followed."""
    searches_listed = flag("0.20.6", "C15-failed_tool_search_calls_explain_the_reason")
    """`tool_search` accepts several searches, and `tool_describe` several names."""
    secret_scope_overlays = flag("0.20.2", "L3-secrets_can_be_bound_to_a_context")
    """A secret that a scope lacks is looked up in the process environment."""
    secret_settings = flag("0.21.5", "N9-settings_are_checked_for_known_types_only")
    """A `config_schema` may have the type `secret`."""
    secret_sources_fetched = flag("0.20.2", "F19-an_enabled_secret_source_fetches_nothing_when_plugins_load")
    """Secrets of an enabled source of a plugin are fetched into the environment once all plugins are loaded."""
    section_exits_skipped = flag("0.21.4", "N78-a_section_that_exits_ends_the_program")
    """A section of the system prompt that calls `sys.exit` is skipped; before, it ended the host."""
    server_errors_repeated = flag("0.22.2", "D17-a_transient_api_error_is_retried")
    """After a server error, a streamed request is retried at once without streaming, at most once a minute; on success,
    hooks see neither error."""
    session_approvals_offered = flag("0.20.1", "D31-an_adapter_requests_approval_with_buttons")
    """`send_exec_approval` gets `allow_session`."""
    session_search_detail = flag("0.20.2", "D33-todos_are_stored_and_nobody_answers_clarify")
    """`session_search` accepts a level of detail, and reports it."""
    sessions_expire = flag("0.13.0", "D12-a_session_over_the_idle_limit_is_renewed", until="0.21.3")
    """A gateway renews sessions that were idle too long, or every day, as configured."""
    sessions_finalised_in_thread = flag("0.20.1", "H19-a_session_is_renewed_while_a_turn_runs")
    """When a user renews a session, `on_session_finalize` fires in a thread; before, on the gateway's loop."""
    settings_edited_in_place = flag("0.21.5", "N34-settings_are_written_to_the_configuration")
    """`set_config` changes one place in `config.yaml`; before, it rewrote the file."""
    setup_saves_variables = flag("0.20.6", "G22-memory_setup_runs_over_existing_settings")
    """`hermes memory setup` writes variables as `save_env_value` does, and skips variables that it rejects."""
    shell_hook_output_replaced = flag("0.20.1", "I6-output_that_is_not_text_is_an_error")
    """Shell hook output that is not UTF-8 is decoded with replacements; before, the command failed."""
    shell_hook_status_fails_closed = flag("0.22.2", "N106-a_failing_guard_command_blocks_a_call")
    """With `fail_closed`, a non-zero exit status blocks a call if the command prints no answer."""
    shell_hooks_approve = flag("0.21.5", "N107-a_command_changes_arguments_or_asks_the_user")
    """A `pre_tool_call` shell hook may request the user's approval."""
    shell_hooks_fail_closed = flag("0.20.1", "N106-a_failing_guard_command_blocks_a_call")
    """A `pre_tool_call` shell hook blocks a call with exit status 2 and, with `fail_closed`, by failing."""
    shell_hooks_told_profile = flag("0.21.3", "I5-a_missing_session_is_replaced_by_that_of_the_parent")
    """A shell hook receives its profile's name."""
    short_contexts_explained = flag("0.20.0", "G15-a_context_below_the_minimum_length_is_reported")
    """The error about a model with too short a context says what to change on its server."""
    silent_skill_commands_told = flag("0.21.4", "F4-commands_in_a_skill_are_run_when_configured")
    """A command in a skill that fails without output leaves a note in the text."""
    skill_copies_resolved = flag("0.22.2", "F5-duplicate_skill_names_are_resolved")
    """Skills with the same name in the home are listed with their paths. The home's own folder takes precedence, and
    identical copies count as one."""
    skill_files_owned = flag("0.21.4", "F5-duplicate_skill_names_are_resolved")
    """Markdown files below a skill's folder are not skills."""
    skill_output_elided = flag("0.22.2", "F4-commands_in_a_skill_are_run_when_configured")
    """Truncated output of a command in a skill ends with the number of missing characters."""
    skill_output_replaced = flag("0.20.2", "F4-output_of_a_skill_command_can_be_binary")
    """Output of a command in a skill that is not UTF-8 is decoded with replacements; before, it was an error."""
    skill_paths_converted = flag("0.21.5", "F1-skills_are_validated_at_registration")
    """A skill's path may be registered as a string."""
    skill_provenance_told = flag("0.20.2", "F5-a_skill_of_the_home_is_found_by_path_folder_and_name", until="0.22.2")
    """`skill_view` names the organisation that shares a skill in the home."""
    skill_reads_watched = flag("0.21.3", "C16-repeated_skill_calls_are_pointed_out")
    """`skills_list` and `skill_view` get a warning when they return the same result to the same call again."""
    skill_views_detailed = flag("0.20.2", "F5-a_skill_of_the_home_is_found_by_path_folder_and_name")
    """`skill_view` names the file it shows, shows an unchanged file once per conversation, and shows the files beside a
    plugin's skill. It drops a byte order mark and replaces bytes that are not UTF-8."""
    spaced_variables_replaced = flag("0.21.0", "G22-memory_setup_runs_over_existing_settings")
    """`save_env_value` also replaces the first line that sets a variable if its name has spaces around it."""
    speech_files_spared = flag("0.22.2", "F19-speech_replaces_an_existing_file_only_on_success")
    """Speech replaces an existing file once it is complete; before, the backend wrote to the file."""
    speech_in_parts = flag("0.20.1", "F19-the_configured_speech_backend_is_used")
    """`text_to_speech` speaks a long text in parts instead of cutting it, and reports all files. `prepare_tts_text`
    spells out symbols and units; before, it only dropped markup."""
    spills_private = flag("0.20.2", "D29-the_file_with_long_context_is_private")
    """Only the owner may read the file with long `pre_llm_call` context. It is not written if its folder is a link."""
    stopped_turns_incomplete = flag("0.21.4", "D23-a_turn_is_stopped_by_the_user")
    """A turn that the user stops while the model answers is not complete."""
    streams_identified = flag("0.21.3", "C32-middleware_receives_an_answer_assembled_from_a_stream")
    """A streamed response has the provider's id, and names the upstream provider."""
    summaries_compact = flag("0.22.2", "D22-a_turn_over_the_request_limit_ends_with_a_summary")
    """The request for a summary has texts without blanks around them, and arguments of calls without blanks."""
    summaries_offer_tools = flag("0.21.3", "D22-a_turn_over_the_request_limit_ends_with_a_summary")
    """When a turn has no requests left, the request for a summary offers the turn's tools."""
    task_defaults_unpacked = flag("0.21.3", "F18-keys_and_defaults_of_auxiliary_tasks_are_validated")
    """Auxiliary task defaults that are not a mapping raise a TypeError; before, an AttributeError."""
    tasks_revised = flag("0.21.0", "D33-todos_are_stored_and_nobody_answers_clarify")
    """The result of the task list counts how often the list changed."""
    thoughts_left_out = flag("0.20.2", "D36-an_answer_with_reasoning_only_is_requested_again")
    """Answers that contain only thoughts are not sent back to the model."""
    thoughts_quoted = flag("0.20.2", "D36-an_answer_with_reasoning_only_is_requested_again", until="0.22.2")
    """A turn in which the model only thinks replies with its last thoughts."""
    thoughts_told = flag("0.22.2", "D16-reasoning_is_removed_from_the_reply")
    """Reasoning within an answer's text also appears as `reasoning_content`."""
    tool_errors_bounded = flag("0.20.2", "C24-an_exception_becomes_an_error_without_markup")
    """Errors in tool results are cut after 2048 characters, including a handler's own."""
    tool_result_contract = flag("0.19.0", "C23-results_are_text_or_multimodal")
    """A handler's result that is neither text nor multimodal becomes an error."""
    tool_schemas_checked = flag("0.21.3", "C9-a_schema_is_any_mapping_and_is_not_copied")
    """Registering a tool raises a ValueError if its schema, or `parameters` in it, is not a dict."""
    tools_always_deferred = flag("0.20.2", "C15-small_tool_definitions_are_not_deferred")
    """Plugin tools are deferred unless `tools.tool_search` says otherwise; before, only when they filled much of the
    context. A search without matches, or a call that lacks arguments, names the deferred toolsets."""
    tools_by_home = flag("0.20.1", "C3-a_built_in_tool_reclaims_its_name_in_its_toolset")
    """Plugin tools are kept per home and take precedence over the host's. A tool that the host registered first needs
    `override`."""
    tools_checked_within_middleware = flag("0.20.2", "N74-middleware_and_hooks_run_in_order_within_a_tool_call")
    """In a turn, `pre_tool_call` fires inside `tool_execution` middleware, and `post_tool_call` after it."""
    transformed_reply_kept = flag("0.21.5", "D22-a_transformed_reply_is_stored_in_the_history")
    """The history holds the reply as changed by `transform_llm_output`."""
    turns_redirected = flag("0.20.1", "H19-another_message_interrupts_a_turn")
    """A text sent while the model answers redirects the turn; before, it ended the turn and began another."""
    typing_paused_before_replies = flag("0.21.4", "D25-an_approval_request_that_cannot_be_sent_fails")
    """Adapters stop the typing indicator before a turn's reply is sent."""
    uncompressed_length_told = flag("0.20.6", "G15-a_long_request_causes_a_warning_when_compression_is_off")
    """With compression off, the host warns of requests longer than the context."""
    unknown_commands_suggested = flag("0.21.4", "F12-unknown_subcommands_are_reported_in_some_releases")
    """`hermes` and its commands answer an unknown subcommand with similar ones instead of a list of all."""
    unseen_files_kept = flag("0.21.4", "D35-overwriting_unread_content_is_reported")
    """`write_file` does not replace a file whose current content the model has not read; before, it warned."""
    unsent_files_explained = flag("0.21.3", "H8-missing_and_private_files_are_not_sent")
    """The log says why a tagged file was not sent: it is missing, or may not be sent."""
    unusable_calls_closed = flag("0.20.2", "C18-three_unknown_tools_end_the_turn")
    """A turn that ends without a usable tool call has its error as the last message."""
    unversioned_left_alone = flag("0.21.5", "B12-a_configuration_without_a_version_counts_as_old")
    """A migration enables no plugins if the configuration has no version."""
    upstream_provider_told = flag("0.22.2", "D16-post_api_request_receives_usage")
    """`post_api_request` receives the upstream provider."""
    usage_anchored = flag("0.21.3", "G15-an_engine_is_called_in_a_session")
    """A request's length is the provider's last count plus an estimate of what followed; engines are then not asked to
    wait."""
    usage_read_widely = flag("0.20.1", "D16-usage_is_normalised_across_providers")
    """The counts of tokens in a response may be a mapping or have the names `input_tokens`, `output_tokens`,
    `cached_tokens` and `cache_write_tokens`; counts below zero are zero."""
    used_call_ids_renamed = flag("0.22.2", "C18-calls_share_an_id")
    """A call that repeats an id of the session gets a new id."""
    variables_scoped = flag("0.20.1", "L3-secrets_can_be_bound_to_a_context")
    """`hermes_cli.config.get_env_value` returns the secrets of the context."""
    video_models_configured = flag("0.21.4", "F19-a_video_backend_receives_the_tool_arguments")
    """`video_generate` ignores `model` in a call."""
    video_seeds = flag("0.21.0", "L2-base_classes_of_providers_have_defaults")
    """A video backend's capabilities state whether it accepts a seed and upscales."""
    voice_messages_told = flag("0.21.0", "H8-audio_is_sent_as_voice")
    """`send_voice` gets `is_voice`, even if it does not accept it."""
    web_backends_strict = flag("0.20.6", "F19-an_unregistered_web_backend_is_an_error")
    """The configured web backend is called even if unavailable; an unregistered one is an error. The host falls back to
    free public services. Searches request at least ten results; results and pages are cached for 20 minutes."""
    web_extract_deadline = flag("0.21.3", "F19-an_extraction_that_times_out_is_reported")
    """A backend that reads pages times out after `web.extract_timeout` seconds (default: 120)."""
    withdrawn_plugins_refused = flag("0.21.5", "N14-plugins_removed_from_the_catalogue_are_not_loaded")
    """A plugin that was withdrawn from the catalogue is rejected."""
    written_files_follow_umask = flag("0.21.3", "L5-written_files_have_permissions")
    """A file that `atomic_json_write` or `atomic_yaml_write` creates has the permissions of the umask; before, only its
    owner may read it."""
    yaml_read_by_ruamel = flag("0.22.2", "A21-a_manifest_with_duplicate_keys_or_short_booleans")
    """YAML is read by ruamel.yaml, before by PyYAML: a duplicate key is an error, `y` and `n` are booleans, `1e3` is a
    number, a key may be a list, and errors number their lines."""
    zero_user_ids_kept = flag("0.21.4", "L9-a_message_without_a_gateway_is_dropped")
    """An adapter's `build_source` keeps a user whose id is the number 0."""


FLAGS: Mapping[str, Flag] = {name: one for name, one in vars(Behaviour).items() if isinstance(one, Flag)}
"""The declarations of all flags, by name."""


def read_meanings() -> dict[str, str]:
    """Return the description below each flag's declaration, by name."""
    module = ast.parse(Path(__file__).read_text(encoding="utf-8"))
    table = next(node for node in module.body if isinstance(node, ast.ClassDef) and node.name == Behaviour.__name__)
    return {
        declared.targets[0].id: " ".join(text.value.value.split())
        for declared, text in pairwise(table.body)
        if isinstance(declared, ast.Assign)
        and isinstance(declared.targets[0], ast.Name)
        and isinstance(text, ast.Expr)
        and isinstance(text.value, ast.Constant)
        and isinstance(text.value.value, str)
    }
