"""What a release does where releases differ. `python docs` writes this file from `behaviour.toml`.

One file because it is one class with an attribute for each flag.
"""

from __future__ import annotations

from collections.abc import Mapping


class Behaviour:
    """What a release does; each attribute is a flag of `behaviour.toml`.

    Not a dataclass, whose decorator takes longer than everything else that loads a contract.

    Args:
        flags: A value for each attribute.
    """

    def __init__(self, flags: Mapping[str, bool]) -> None:
        vars(self).update(flags)

    active_task_first: bool
    """The task list shows the task in progress before pending ones."""
    adapters_get_runner: bool
    """Every adapter gets the gateway as `gateway_runner`; before, only if its class declared it."""
    adapters_may_get_runner: bool
    """An adapter whose class declares `gateway_runner` gets the gateway."""
    aliases_take_base_url: bool
    """`model.base_url` also applies to a model provider chosen by an alias."""
    all_tool_names_stored: bool
    """In later chat turns, a message about an unknown tool has its name as `tool_name`."""
    allowlists_match_addresses: bool
    """A list of users that may write also matches the part of an id before an at sign."""
    apologies_logged: bool
    """The log records an error message that could not be sent to the user."""
    approval_messages_marked: bool
    """Adapters learn from metadata that a message asks for approval, and send a notice when nobody answers in time."""
    approval_pending: bool
    """A command that waits for approval returns `pending_approval`."""
    approval_reasons: bool
    """Text after `/deny` reaches the model."""
    approval_timeout_long: bool
    """Without `approvals.timeout`, a chat user has 300 seconds to answer; before, 60."""
    approval_timeout_shared: bool
    """A chat user has `approvals.timeout` seconds to answer; before, `approvals.gateway_timeout`."""
    approvals_in_words: bool
    """In a chat, words such as `yes` answer an approval question, and `/stop` ends the wait."""
    approvals_off_for_plugins: bool
    """`approvals.mode: off` also waives approvals that plugins want."""
    approvals_smart: bool
    """A model judges commands that need approval, unless `approvals.mode` says otherwise."""
    approve_directive: bool
    """`pre_tool_call` may return `{action: approve}` to ask a person for approval."""
    arguments_must_be_object: bool
    """A call whose arguments are JSON but not an object is not run."""
    async_context_copied: bool
    """An async handler on a new thread sees the caller's context variables."""
    auxiliary_tasks_owned_by_key: bool
    """An auxiliary task belongs to its plugin's key; before, to the name."""
    awaited_usage_silences: bool
    """An engine that does not reset `awaiting_real_usage_after_compression` is asked nothing after tool calls."""
    backends_logged_as_kept: bool
    """The log shows a backend's registered name, and omits one that a built-in backend keeps out."""
    billing_explained: bool
    """A turn that ends for lack of credit tells the user what to do."""
    block_beats_approve: bool
    """A `pre_tool_call` directive that blocks wins over an earlier one that asks for approval."""
    brackets_closed_in_order: bool
    """Missing closing brackets in a call's arguments are added where they belong."""
    browser_by_npx: bool
    """The browser tools are offered if Chromium and `npx`, which runs their program, are on `PATH`."""
    browser_harness: bool
    """`browser_exec` and `browser_vault` replace the browser tools on every machine."""
    bundled_platforms_by_path: bool
    """A bundled platform's key is its path, such as `platforms/irc`; before, its name."""
    busy_text_interrupts: bool
    """A text interrupts the running turn, unless `display.busy_input_mode` says otherwise; before, it waited."""
    capabilities_granted: bool
    """`granted_capabilities` in a plugin's configuration entry grants what the older keys grant one by one."""
    changed_files_resolved: bool
    """A reply does not list a file as unchanged if another name or tool changed it later."""
    chat_status_without_title: bool
    """`/status` in a chat omits the session's title."""
    chats_have_shells: bool
    """Each gateway chat has its own `terminal` shell, and hooks get the chat as the task."""
    chats_in_context: bool
    """A chat's session key is only in its turn's context; before, also in the process environment."""
    check_fn_grace: bool
    """When a `check_fn` fails shortly after a success, its tools stay available."""
    check_fn_quiet: bool
    """A `check_fn` that returns False logs no warning; one that raises does."""
    check_fn_uncached: bool
    """`check_fn` runs each time tool definitions are built; its failure is not logged."""
    children_not_streamed: bool
    """Delegated tasks do not stream their answers."""
    choices_need_terminal: bool
    """Without a terminal, `hermes_cli.setup.prompt_choice` returns its default; before, it asked for a number."""
    cli_commands_labelled: bool
    """`hermes` shows `<command>` in its usage and errors."""
    cli_handler_status: bool
    """The return value of a CLI command's handler, if a number, is the exit status."""
    command_answers_notify: bool
    """Metadata also marks the answer to a command that bypasses a turn as final."""
    commands_allowlisted: bool
    """`command_allowlist` may hold commands and patterns."""
    commands_denied: bool
    """`approvals.deny` holds patterns of commands that never run."""
    commands_explained: bool
    """`terminal` explains signals, how to continue after a failure, where a command ended and where long output is, and
    that it has no argument `code`. Commands see `AI_AGENT` and `HERMES_AGENT`."""
    commands_know_chat: bool
    """`get_session_env` tells a plugin's command about its chat."""
    commands_may_be_indented: bool
    """A message that begins with whitespace and a slash is a command."""
    compressed_aside: bool
    """Context engines compress in the thread `compress-ctx-timeout`."""
    compressed_history_rewritten: bool
    """Messages that a compression leaves are stored anew, with new row numbers."""
    compression_end_kept_from_chats: bool
    """Chats are not told that a compression is complete, unless `compression.progress_notices` is on."""
    compression_end_told: bool
    """The host reports when an announced compression is complete."""
    compression_notices_optional: bool
    """Chats get compression notices only with `compression.progress_notices`; before, they got those ahead of a
    request."""
    compressions_await_usage: bool
    """After tool calls, an engine that does not reset `awaiting_real_usage_after_compression` does not compress
    again."""
    compressions_configured: bool
    """A turn may have `compression.max_attempts` compressions, from one to ten; before, three."""
    compressions_counted_together: bool
    """Compressions after tool calls count towards the three per turn, and receive the estimated tokens."""
    compressions_keep_session: bool
    """A session keeps its id when its history is compressed."""
    compressions_used_up_told: bool
    """The host warns if an engine wants another compression after a turn's three."""
    config_backup: bool
    """An unreadable `config.yaml` is copied to a file beside it."""
    config_defaults_stripped: bool
    """`save_config` omits values that equal the default and were not in the file."""
    config_keeps_last_good: bool
    """When `config.yaml` becomes unreadable, the last configuration stays in effect."""
    config_nulls_saved: bool
    """`save_config` keeps `null` where the default differs, and adds no empty section `agent`."""
    context_engine_directory: bool
    """Context engines in `plugins/context_engine/<name>/` are found without being enabled."""
    context_spill: bool
    """`pre_llm_call` context beyond 10,000 characters goes to a file and leaves a preview."""
    corrections_tell_origin: bool
    """A text that redirects a turn tells the model its chat and user."""
    credited_by_handles: bool
    """A plugin is credited with every registration that it makes and does not undo in `register`, including repeated
    names."""
    cut_off_answers_continued_more: bool
    """A truncated answer is continued three times; before, twice."""
    cut_off_answers_get_more_room: bool
    """Each continuation of a truncated answer multiplies the token limit by a higher power of two."""
    cut_off_answers_joined: bool
    """The parts of a repeatedly truncated answer become one message of the history."""
    cut_off_calls_asked_again_more: bool
    """A tool call with unreadable arguments is retried four times."""
    cut_off_calls_asked_thrice: bool
    """A tool call with unreadable arguments is retried three times instead of once."""
    data_files_checked: bool
    """Invalid JSON, YAML and TOML is not written."""
    deferred_calls_listed: bool
    """`tool_call` accepts a list of calls."""
    deferred_tools_told: bool
    """A search without matches, or a call that lacks arguments, names the deferred toolsets."""
    delegated_goals_checked: bool
    """`delegate_task` refuses several tasks if one goal is short or a placeholder."""
    delegates_in_background: bool
    """A delegated task runs in the background, and the session gets its result later, unless nothing could deliver
    it."""
    delegation_detailed: bool
    """The result of `delegate_task` reports each task's cost, truncation, and what its tools worked on."""
    delegation_transcripts: bool
    """The result of `delegate_task` names a transcript for each task."""
    delegation_widened: bool
    """`delegate_task` accepts ten tasks instead of three, and children may run code."""
    directory_before_entry_point: bool
    """A directory plugin hides an entry point with its key; before, the entry point hid it."""
    disabled_bundles_keep_core: bool
    """Disabling a toolset bundle in `agent.disabled_toolsets` removes no core tool."""
    discovery_retried: bool
    """After an exception in the discovery of plugins, every hook that the host fires starts the discovery anew, which
    fails; before, the host uses the plugins that it has loaded."""
    empty_caches_left: bool
    """Empty folders of older releases, such as `audio_cache`, are ignored."""
    empty_messages_not_restored: bool
    """A message without text is left out of later chat turns."""
    empty_messages_restored: bool
    """A message without text is part of later chat turns."""
    empty_replies_explained_last: bool
    """`transform_llm_output` gets `(empty)` when the model said nothing; what the user reads instead, and the note on
    unchanged files, are added afterwards."""
    empty_reply_kept: bool
    """The history ends with `(empty)` when the model said nothing."""
    engine_asked_before_requests: bool
    """A context engine is asked before each request whether to compress."""
    engine_asked_before_turns: bool
    """Before a turn, a context engine is asked whether a history of many messages is too long."""
    engine_asked_for_large_turns: bool
    """Before a turn, a context engine is also asked about a large history of few messages."""
    engine_asked_why_not: bool
    """An engine that does not compress is asked for a reason; after tool calls, to prune results; before turns, for
    upkeep."""
    engine_clones_itself: bool
    """A context engine's `clone_for_agent` copies it for an agent; before, `copy.deepcopy` did."""
    engine_copied: bool
    """Each agent works on a copy of the context engine."""
    engine_given_estimates: bool
    """Before a turn, a larger token estimate replaces a context engine's `last_prompt_tokens`."""
    engine_lists_tools_again: bool
    """An engine is asked for its tools again after it compressed."""
    engine_of_directory_first: bool
    """`context.engine` selects the engine in `plugins/<name>`, enabled or not, before a registered one."""
    engine_resets_guarded: bool
    """What a context engine raises in `on_session_reset` is hidden; before, `/new` fails with it."""
    engine_signature_read: bool
    """A context engine gets the arguments that its `compress` accepts, and what memory keeps; before, all arguments or,
    after a TypeError, few."""
    engine_told_more: bool
    """A context engine receives the API mode and every token count."""
    engine_words_status: bool
    """A context engine words or suppresses the compression message to the user."""
    entry_point_called: bool
    """A callable entry point is called even if it has a function `register`."""
    entry_points_always_enabled: bool
    """A plugin in an installed package loads without being enabled."""
    event_lists_required: bool
    """A gateway does not start if an event hook's events are not a list."""
    exits_swallowed: bool
    """`sys.exit` in a hook callback is an ordinary failure; before, it ended the host."""
    extra_goes_first: bool
    """A platform's `extra` values override those beside it, including for `apply_yaml_config_fn`."""
    failed_children_told: bool
    """A delegated task whose requests fail counts as failed; before, as completed."""
    failed_looks_counted: bool
    """A middleware response whose attributes cannot be listed counts as an attempt before it fails."""
    failed_register_rolled_back: bool
    """When `register` raises, nothing stays registered."""
    failed_turns_closed: bool
    """A turn that leaves the user's message unanswered ends with a host message of kind `failed_turn` in the
    history."""
    failed_turns_reply: bool
    """The reply of a failed turn is its error."""
    failing_policy_blocks: bool
    """A `pre_tool_call` callback that raises blocks the tool; before, the tool ran."""
    failures_explained: bool
    """The reply of a failed turn says what happened and what to do, and quotes the provider at the end."""
    failures_logged_once: bool
    """Each exception in a hook or middleware callback is logged once, with the names that it could accept."""
    failures_reported: bool
    """Hooks see every failure that the agent loop counts, not only a truthy `error`."""
    file_paths_told: bool
    """File tools that write report the full path, which `pre_verify` gets; `read_file` numbers lines without
    padding."""
    files_explained: bool
    """File tools report more: that a file holds what was written, is empty or ends before the region, the type of a
    file that is not text, where an ambiguous text matches, and whitespace differences."""
    files_forgotten_after_turns: bool
    """File reads and writes are forgotten at the end of a turn, so the next one is not told that a subagent changed a
    file."""
    filtered_answers_reported: bool
    """An answer that the provider's content filter stopped ends the turn with an error; `api_request_error` fires."""
    foreground_arguments_checked: bool
    """`terminal` refuses `notify` and `pty` for foreground commands."""
    foreign_directories_skipped: bool
    """Directories such as `__x__` and `.claude-plugin` are never plugins."""
    gateway_asks: bool
    """`HERMES_EXEC_ASK` is set in a gateway, which offers `cronjob` with the command line's tools."""
    gateway_commands_in_threads: bool
    """A gateway runs slash command handlers in a thread, unless they are coroutine functions."""
    gateway_commands_with_underscore: bool
    """The gateway accepts slash commands with an underscore in the name."""
    gateway_housekeeping_aside: bool
    """When a user renews a session, `on_session_finalize` fires in a thread named `hermes-gateway-hk`."""
    gateway_messages_identified: bool
    """A chat user's message carries the platform's id and who takes the turn."""
    gateway_messages_stamped: bool
    """In later turns of a chat, user messages are distinguished by their time."""
    gateway_notes_in_message: bool
    """The gateway's notes on a first message go into the message; before, into the system prompt."""
    gateway_outlives_platforms: bool
    """A gateway keeps running when no platform connects, and retries later."""
    gateway_platforms_read: bool
    """`gateway.platforms.<name>` is read too."""
    gateway_skills_command: bool
    """Chats have the command `/skills`."""
    gateway_threads_named: bool
    """Gateway agents run their turns in threads named `hermes-gateway`."""
    gateway_turns_stamped: bool
    """When a chat turn ends, hooks see when the user wrote."""
    generated_media_apart: bool
    """Images and videos are saved in the home's `cache/generated`; before, in `cache`."""
    grandfathers_on_start: bool
    """The first start after an upgrade enables existing user plugins."""
    handlers_narrowed: bool
    """A tool handler receives only the keyword arguments that it declares."""
    home_channel_of_config_counts: bool
    """A home channel may come from the configuration; before, only from the environment."""
    home_model_providers_win: bool
    """A model provider in the home wins over one with the same name that code registers at run time."""
    hook_args_uncoerced: bool
    """Tool call hooks receive the arguments as the model sent them."""
    hook_arguments_narrowed: bool
    """A hook callback gets only the arguments that it declares; before, all of them."""
    hook_counts_by_growth: bool
    """A hook that several plugins register counts for each of them, not only for the first."""
    hook_stops_at_first_block: bool
    """`pre_tool_call` callbacks after one that blocks are not called."""
    hooks_awaited: bool
    """Coroutines that hook callbacks return are awaited, and their values count."""
    hooks_bounded: bool
    """Turn hook callbacks run in their own threads and time out after `plugins.hook_callback_timeout` seconds."""
    hooks_declared: bool
    """`hooks` in a manifest counts as `provides_hooks`."""
    identical_calls_noted: bool
    """The third consecutive equal call with an equal result gets a note. From the second on, a reference replaces a
    long result."""
    identical_cycles_noted: bool
    """A repeating cycle of up to four calls gets a note. With hard stops on, equal calls end the turn."""
    idle_compressions_ignored: bool
    """A compression that changes nothing has no effect; before, it ended the session and began another."""
    image_backend_configured: bool
    """`image_generate` is offered only if the configured backend is available; before, any backend was enough."""
    image_backend_errors_told: bool
    """An exception in an image backend's `is_available` reaches the tool registry, which logs it."""
    image_controls: bool
    """An image backend gets the creative controls that its capabilities list."""
    image_provider_by_default: bool
    """Image generation uses an available provider even if none is configured."""
    images_summarised: bool
    """A model without image input gets the summary of a multimodal result."""
    impostors_ignored: bool
    """A plugin whose name is a bundled plugin's key is ignored, unless its directory has that plugin's name."""
    injected_context_replayed: bool
    """`pre_llm_call` context is stored and sent again in later turns."""
    interim_texts_anchored: bool
    """Adapters learn from metadata which message text beside tool calls belongs to, and send it as a reply to that
    message."""
    interim_texts_marked: bool
    """Adapters learn from metadata that text beside tool calls is not an answer."""
    interim_texts_rarely_reply: bool
    """Only Buzz, Feishu, Mattermost and Slack send text beside tool calls as a reply."""
    interim_texts_sent_once: bool
    """Text that the model repeats before it calls tools is sent to a chat once per turn."""
    interrupted_calls_closed: bool
    """A turn that is stopped after tool calls leaves an answer in the history."""
    judges_without_reasoning: bool
    """The model that judges a command is asked not to reason."""
    kept_reply_dropped_by_tools: bool
    """Calls of other tools discard text that was kept as the reply beside housekeeping calls."""
    kept_reply_in_history: bool
    """Text that was kept as the reply is its own answer in the history."""
    keyless_providers_unconfigured: bool
    """A model provider that needs no key counts as none; before, as an unknown one."""
    known_tools_run_beside_unknown: bool
    """Calls of known tools run even if the answer also calls an unknown tool."""
    last_reply_kept: bool
    """The host restores the last reply if a context engine drops it."""
    last_requests_complete: bool
    """A turn is complete if its last allowed request is answered."""
    ledger_in_own_module: bool
    """The registration handle class is in `hermes_cli.plugins_ledger`."""
    libyaml: bool
    """Manifests are parsed by libyaml, whose error messages differ."""
    line_endings_kept: bool
    """File tools keep Windows line endings."""
    lines_counted: bool
    """`read_file` counts a last line without a line end, shows no empty line after the last one, and reports missing
    files."""
    llm_async_logged: bool
    """Async `ctx.llm` calls are logged like sync ones."""
    llm_auth_fallback: bool
    """A `ctx.llm` call falls back to another provider on status 401."""
    llm_client_retries_off: bool
    """The client behind `ctx.llm` sends each request once; before, up to three times on 408, 409, 429 and 5xx."""
    llm_cost_reported: bool
    """`usage.cost_usd` of a `ctx.llm` result is a number when the provider reports one."""
    llm_fallback_configured: bool
    """A `ctx.llm` call falls back only to configured providers."""
    llm_first_error_raised: bool
    """A `ctx.llm` call raises the first error if the fallback provider answers 401."""
    llm_foreign_models_dropped: bool
    """A `ctx.llm` call for `vendor/model` uses the configured model, unless that has such a name too."""
    llm_gate_literal: bool
    """The trust gate of `ctx.llm` accepts only booleans as flags and compares models exactly."""
    llm_identity_applied: bool
    """`agent_id` and `profile` of a `ctx.llm` call select the model and credentials."""
    llm_max_tokens_dropped: bool
    """`max_tokens` of a `ctx.llm` call is not sent to the model."""
    llm_model_per_call: bool
    """A `ctx.llm` call without a model uses the configured one, whatever model an earlier call named."""
    llm_parameters_applied: bool
    """`max_tokens` reaches every provider, images go to a vision model, and the timeout comes from the
    configuration."""
    llm_transient_retry: bool
    """A `ctx.llm` call is retried on status 408 and 5xx."""
    llm_two_retries: bool
    """A `ctx.llm` call is retried `auxiliary.transient_retries` times (default: two) after a transient error."""
    llm_unavailable_told: bool
    """Without a provider, `ctx.llm` raises `AuxiliaryClientUnavailable`, a kind of RuntimeError; before, RuntimeError
    itself."""
    loading_timed: bool
    """Import and `register` run in their own thread. The plugin fails after `plugins.load_timeout_seconds`."""
    logins_replaced: bool
    """A dashboard login replaces one with the same name."""
    long_commands_moved: bool
    """A command whose timeout exceeds the limit runs in the background."""
    long_results_saved_in_home: bool
    """Long results are saved in the home's `cache/spillover`, with or without a terminal."""
    loop_results_transformed: bool
    """`transform_tool_result` also fires for agent-loop tools, after `post_tool_call`."""
    managed_scope: bool
    """`config.yaml` in `HERMES_MANAGED_DIR` overrides the user's, value by value."""
    manifest_fields_read: bool
    """Manifest version 2: fields are read, kept and warned about. Plugins load after those they require, otherwise by
    key. Entry points have the version, summary and kind of their package."""
    manifest_mapping_checked: bool
    """The warning about a manifest that is not a mapping names its type."""
    manifest_version_two_installed: bool
    """`hermes plugins install` accepts manifest version 2."""
    markup_cut_from_tool_names: bool
    """Tool names are cut at the first quote or angle bracket before the lookup."""
    memory_batches: bool
    """`memory` accepts several operations at once, and tells the model to stop after a write."""
    memory_cli_of_honcho: bool
    """A memory provider's command may be the function `honcho_command`, whatever the provider's name."""
    memory_consolidates: bool
    """`memory` shows its entries to a model that names none, and gives up if the model persists."""
    memory_core_names_reserved: bool
    """A memory provider's tool is refused if a core tool has its name, even one that is not offered."""
    memory_modules_by_source: bool
    """The module name of a memory provider ends with a digest of its directory."""
    memory_namespace: bool
    """A user's memory provider may use `from . import module`, because its parent package exists."""
    memory_patched: bool
    """`memory` requires a target, patches entries instead of replacing them, and is not offered when disabled."""
    memory_prefetch_in_session: bool
    """A memory provider's `prefetch` gets the session id; before, an empty string."""
    memory_prefetch_limited: bool
    """`prefetch` runs in a thread; a turn waits at most 8 seconds for it."""
    memory_prompt_gated: bool
    """A memory provider whose tools are not offered adds nothing to the system prompt."""
    memory_provider_hooks_replaced: bool
    """When a memory provider registers again, its hooks are replaced; before, they accumulated."""
    memory_providers_disabled: bool
    """A memory provider in `plugins.disabled` is not loaded."""
    memory_providers_installed: bool
    """A memory provider may be an entry point of an installed package."""
    memory_providers_register_all: bool
    """What a memory provider registers besides itself takes effect; before, it was ignored or an error."""
    memory_siblings_removed: bool
    """When a memory provider's neighbouring module fails, it does not stay imported."""
    memory_skips_trivial_prompts: bool
    """Greetings, acknowledgements and slash commands trigger no memory prefetch."""
    memory_switched_aside: bool
    """Memory providers receive `/new` on their thread."""
    memory_told_authors: bool
    """A memory provider's `on_turn_start` receives the message's author."""
    memory_tools_claimed_at_once: bool
    """A memory provider is asked for its tools once before it starts; before, twice."""
    memory_tools_gated: bool
    """A memory provider's tools are offered only with the toolset `memory`."""
    memory_works_aside: bool
    """`sync_turn` and `queue_prefetch` run in a background thread."""
    memory_writes_checked: bool
    """A memory provider learns of successful writes only, of each write in a batch, and of what was replaced or
    removed."""
    merged_messages_kept_apart: bool
    """Adjacent user messages become the first one, which lists the others' rows; before, the last one."""
    messages_counted_as_sent: bool
    """Message tokens are estimated one by one, without host-only data."""
    messages_counted_in_bytes: bool
    """Message tokens are estimated by bytes, not characters."""
    messages_forgotten: bool
    """`MessageDeduplicator` can check whether a message was seen without remembering it, and can forget one."""
    messages_identified: bool
    """Stored messages and their tool calls carry stable ids."""
    messages_know_their_rows: bool
    """Stored messages carry their database row number as `_row_id`."""
    messages_marked_stored: bool
    """Messages in the history carry `_db_persisted` once they are in the session's database."""
    messages_timestamped: bool
    """Every message in the history has its time as `timestamp`."""
    middleware_chained: bool
    """Request middleware sees the payload that the previous middleware returned; before, all saw the first."""
    middleware_exits_swallowed: bool
    """`sys.exit` in request middleware is an ordinary failure; before, it ended the host."""
    missing_connections_told: bool
    """A chat is told that the host cannot connect to the provider; before, that the provider failed."""
    missing_key_is_auth_error: bool
    """Without a model provider's key, a turn fails with an AuthError that names all its variables; before, with a
    RuntimeError that names one."""
    missing_limits_untold: bool
    """The notice that a turn continues omits the request limit if there is none."""
    missing_summaries_kept: bool
    """The host's substitute for a summary stays in the history."""
    model_providers_lazy: bool
    """Model providers are imported at the first provider lookup, not by every command."""
    modify_directive: bool
    """`pre_tool_call` may return `{action: modify}` to change a call's arguments."""
    modules_forgotten: bool
    """When a plugin's import fails, and before a rescan imports it again, all its modules leave `sys.modules`."""
    nameless_calls_named: bool
    """The history shows a tool call without a name as `invalid_tool_call`."""
    nameless_calls_sent_named: bool
    """Requests show a tool call without a name as `invalid_tool_call`; the history leaves it unnamed."""
    names_must_be_text: bool
    """An enabled plugin whose name YAML reads as a number stops discovery; before, only that plugin failed to load."""
    nested_coercion: bool
    """JSON text nested in a tool's arguments is repaired by the schema."""
    notes_forgotten_before_reply: bool
    """`post_llm_call` gets a chat message without the host's preceding note."""
    notes_replayed_at_once: bool
    """A chat message with a host note has `api_content` from the first request; before, from the end of the turn."""
    notices_marked_interim: bool
    """Adapters learn from metadata that a shutdown notice is not an answer."""
    null_sections_ignored: bool
    """A null section in a configuration keeps the section that it overlays."""
    old_configurations_refused: bool
    """A configuration with a version below 12 is not migrated."""
    old_folders_made: bool
    """The host creates `audio_cache`, `image_cache` and `pairing` in the home and uses them; later releases store those
    files elsewhere."""
    outages_waited_out: bool
    """After the last attempt, the host waits for a provider that is overloaded, fails or does not answer, and repeats
    all attempts `agent.auto_recovery_cycles` times."""
    outbound_webhooks: bool
    """`hooks.outbound` is not a hook: it holds the webhooks that the host calls."""
    override_gated: bool
    """`register_tool(override=True)` raises unless the configuration allows it for the plugin."""
    pager_replaced: bool
    """`terminal` sets `PAGER` and `GIT_PAGER` to `cat` for its commands if they are unset."""
    pages_cut: bool
    """`web_extract` cuts a long page and saves all of it in a file; before, a model shortened it."""
    parallel_segments: bool
    """Adjacent read-only tools run in parallel, even in a batch with other tools."""
    pending_results_noted: bool
    """After a turn that ended with tool results, the next message tells the model to ignore them."""
    placeholder_keys_refused: bool
    """A model provider's key counts as missing if it has fewer than four characters or is an example value."""
    placeholders_replayed: bool
    """The placeholder for an answer that the user interrupted is stored as `api_content`."""
    platform_checks_caught: bool
    """A `check_fn` that raises counts as False; before, the host went on to look for a built-in adapter."""
    platform_keys_in_extra: bool
    """Unknown keys of a platform's block are adapter settings."""
    platforms_by_gateway_config: bool
    """Only `gateway.platforms.<name>.enabled` turns a channel on."""
    platforms_stay_off: bool
    """A plugin's platform that the configuration turns off stays off."""
    plugin_approvals_identified: bool
    """Approval hooks get the ids of a call that a plugin wants approved; before, empty ones."""
    plugin_approvals_told: bool
    """At a terminal, too, approval hooks fire for a call that a plugin wants approved."""
    plugin_skill_files: bool
    """`skill_view` lists and shows the files beside a plugin's skill."""
    plugin_skill_sources_told: bool
    """`skill_view` reports the file and folder of a plugin's skill."""
    plugin_skills_listed: bool
    """`skills_list` shows plugin skills."""
    plugins_isolated: bool
    """`plugins.isolation: host` runs plugins in a separate process."""
    portable_plugins: bool
    """A directory with a `plugin.json` but no YAML manifest is a portable plugin."""
    portable_servers_declared: bool
    """The extension `com.nousresearch.hermes` of a `plugin.json` declares what its MCP servers need."""
    portable_servers_plainly_named: bool
    """The MCP server of a portable plugin has the name that `mcp.json` gives it, and only the first plugin gets a name;
    before, the plugin's namespace is in front of it."""
    post_tool_call_on_block: bool
    """`post_tool_call` also fires for blocked calls and agent-loop tools."""
    profile_gets_base_url: bool
    """A model provider's `build_api_kwargs_extras` receives `base_url`."""
    profile_gets_cache_scope: bool
    """A model provider's `build_api_kwargs_extras` receives `cache_scope_id`."""
    progress_forgives_failures: bool
    """A change between equal failing calls resets the count. Some tools may fail any number of times."""
    provider_errors_advise: bool
    """A chat's replacement for a provider error names useful commands, and checks for limits before keys."""
    provider_errors_kept_from_chats: bool
    """On all platforms, chats get a sentence about the kind of error instead of the provider's text; before, only on
    Telegram."""
    provider_errors_summarised: bool
    """A provider error that ends a turn reads `HTTP <status>: <message>`."""
    provider_tools_unwrapped: bool
    """Tools of memory providers and context engines are skipped if they have no name; `type: function` is unwrapped."""
    questions_listed: bool
    """`clarify` accepts a list of questions, and `session_search` explains how to name a session."""
    rate_limits_redelivered: bool
    """No notice follows an answer that could not be sent because of too many messages."""
    reasoning_not_sent_back: bool
    """Requests to a custom provider omit earlier reasoning, except answers that contain nothing else."""
    reasoning_sent_to_local_models: bool
    """Requests to a local model include earlier reasoning, as `reasoning` and `reasoning_content`."""
    recovery_mark_not_sent: bool
    """Requests omit the host's internal mark on recovery messages."""
    refusals_are_no_failures: bool
    """Refusing a repeated call does not count as a tool failure."""
    refusals_streamed: bool
    """The message of a streamed response has the model's refusal."""
    refusals_summarised: bool
    """The result of a command that a person did not approve has a summary for that person."""
    register_exit_contained: bool
    """A plugin whose `register` raises SystemExit is disabled; the host continues."""
    registers_once: bool
    """`register` runs once per process, even when plugins are discovered again."""
    relay_plugins_refused: bool
    """The former NeMo Relay plugins are refused."""
    repairs_told: bool
    """Tool calls of a streamed response state whether the host repaired their arguments."""
    replies_follow_corrections: bool
    """The reply of a redirected turn answers the text that redirected it."""
    replies_may_be_muted: bool
    """After a turn, an event says whether the reply was muted."""
    request_max_tokens: bool
    """Requests to a custom provider carry `max_tokens`."""
    request_reasoning_effort: bool
    """Requests ask for medium reasoning effort."""
    required_always_listed: bool
    """Every object in a tool schema has a list `required`, which may be empty; defaults are not treated as schemas."""
    requires_env_gates: bool
    """A plugin with an unset `requires_env` variable is disabled with a message that names it."""
    requires_hermes_gates: bool
    """A plugin whose `requires_hermes` excludes the release is not loaded."""
    requires_hermes_gates_installer: bool
    """`hermes plugins install` refuses a plugin that requires another release."""
    rescan_undoes: bool
    """A forced rescan undoes all registrations, latest first, before it reloads the plugins."""
    restored_messages_marked: bool
    """Messages that a gateway reads from its database carry `_db_persisted` from the start."""
    restored_tool_messages_marked: bool
    """Tool calls and results that a gateway reads from its database carry `_db_persisted` from the start."""
    result_sizes_scaled: bool
    """The length limit of results depends on the model's context."""
    retired_expiry_told: bool
    """A gateway warns of settings for session expiry, which now happens only through a plugin."""
    retries_told_at_the_end: bool
    """Chat notices about retried requests are held until the turn fails."""
    safe_mode: bool
    """`HERMES_SAFE_MODE` disables plugin discovery."""
    saved_results_unwrapped: bool
    """If a long result is a JSON object with text in `result`, only that text is saved and previewed."""
    schedulers_exclusive: bool
    """Source words for schedulers and computer use make a plugin exclusive, as those for memory do."""
    schema_ref_default_dropped: bool
    """A tool schema loses `default` beside `$ref`."""
    schema_type_unions: bool
    """A tool schema keeps a list of types as `anyOf`; before, only the first type."""
    schema_version_from_file: bool
    """A `config.yaml` without a numeric `_config_version` is migrated as an old one."""
    search_paths_absolute: bool
    """`search_files` reports absolute paths for text matches."""
    search_results_grouped: bool
    """Many `search_files` matches are returned as text that names each file once."""
    searches_listed: bool
    """`tool_search` accepts several searches, and `tool_describe` several names."""
    secret_scope_overlays: bool
    """A secret that a scope lacks is looked up in the process environment."""
    secrets_unreadable: bool
    """`read_file` refuses files with credentials."""
    server_errors_repeated: bool
    """A streamed request that ends with a server error is retried at once without streaming, at most once a minute; on
    success, hooks see neither error."""
    session_approvals_offered: bool
    """`send_exec_approval` gets `allow_session`."""
    session_end_always: bool
    """`on_session_end` fires at the end of every run, also when the model's API failed for good."""
    session_ids_of_new_agents: bool
    """In a chat, `get_session_env` returns a session's id only in its first turn; before, in every turn."""
    session_reset_gateway_only: bool
    """`on_session_reset` fires only in the gateway."""
    session_search_detail: bool
    """`session_search` accepts a level of detail, and reports it."""
    session_search_finds_itself: bool
    """`session_search` finds the calling session and leaves it out."""
    session_search_modes: bool
    """`session_search` reports its mode."""
    sessions_finalised_in_thread: bool
    """When a user renews a session, `on_session_finalize` fires in a thread; before, on the gateway's loop."""
    settings_edited_in_place: bool
    """`set_config` changes one place in `config.yaml`; before, it rewrote the file."""
    setup_saves_variables: bool
    """`hermes memory setup` writes variables as `save_env_value` does, and skips those that nobody may set."""
    shell_hook_output_replaced: bool
    """Shell hook output that is not UTF-8 is decoded with replacements; before, the command failed."""
    shell_hook_status_fails_closed: bool
    """With `fail_closed`, every non-zero exit status blocks a call if the command prints no answer."""
    shell_hooks_approve: bool
    """A `pre_tool_call` shell hook may request the user's approval."""
    shell_hooks_fail_closed: bool
    """A `pre_tool_call` shell hook blocks a call with exit status 2 and, with `fail_closed`, by failing."""
    shell_hooks_modify: bool
    """A `pre_tool_call` shell hook may change a call's arguments."""
    shell_hooks_safe_mode: bool
    """`HERMES_SAFE_MODE` disables shell hooks."""
    shell_hooks_told_profile: bool
    """A shell hook receives its profile's name."""
    short_contexts_explained: bool
    """The error about a model with too short a context says what to change on its server."""
    silent_skill_commands_told: bool
    """A command in a skill that fails without output leaves a note in the text."""
    single_tasks_listed: bool
    """`delegate_task` accepts a list with one task."""
    skill_copies_resolved: bool
    """Skills with the same name in the home are listed with their paths. The home's own folder takes precedence, and
    identical copies count as one."""
    skill_files_owned: bool
    """Markdown files below a skill's folder are not skills."""
    skill_mark_dropped: bool
    """A skill's front matter may follow a byte order mark."""
    skill_names_in_front_matter: bool
    """A skill in the home is also found by its front matter name; its linked files are not skills."""
    skill_output_elided: bool
    """Truncated output of a command in a skill ends with the number of missing characters."""
    skill_path_checked: bool
    """A skill name that looks like a Windows drive is refused, so one-letter plugins have no reachable skills."""
    skill_paths_converted: bool
    """A skill's path may be registered as a string."""
    skill_provenance_told: bool
    """`skill_view` names the organisation that shares a skill in the home."""
    skill_uses_told: bool
    """`on_skill_lifecycle` fires when `skill_view` shows a skill."""
    skill_views_remembered: bool
    """`skill_view` names the file it shows, and shows an unchanged file once per conversation."""
    skills_decoded_leniently: bool
    """A skill is shown without its byte order mark; bytes that are not UTF-8 are replaced."""
    skills_folder_made: bool
    """The home's skills folder exists before a skill is looked up in it."""
    smart_approvals_told: bool
    """Hooks receive the model that judges a command, and the user may overrule it."""
    spaced_variables_replaced: bool
    """`save_env_value` also replaces the first line that sets a variable if its name has spaces around it."""
    speech_backend_counts: bool
    """A plugin's backend is enough to offer `text_to_speech`."""
    speech_files_spared: bool
    """Speech replaces an existing file once it is complete; before, the backend wrote to the file."""
    speech_in_parts: bool
    """`text_to_speech` speaks a long text in parts instead of cutting it, and reports all files."""
    speech_scripted: bool
    """`prepare_tts_text` spells out symbols and units; before, it only dropped markup."""
    stopped_approvals_withdrawn: bool
    """When its turn is stopped, a question about a command counts as withdrawn; before, as denied."""
    stopped_turns_incomplete: bool
    """A turn that the user stops while the model answers is not complete."""
    stream_hooks_in_context: bool
    """`get_session_env` tells callbacks of a streamed answer about the chat."""
    streams_identified: bool
    """A streamed response has the provider's id, and names the upstream provider."""
    subagent_platform: bool
    """A delegated task's session has the platform `subagent`; before, the parent's."""
    subagent_stop_on_parent_thread: bool
    """`subagent_stop` fires in the parent's thread, after all children are done."""
    summaries_offer_tools: bool
    """When a turn has no requests left, the request for a summary offers the turn's tools."""
    summary_requests_sent_once: bool
    """A summary request at the iteration limit is sent once; before, it was retried twice after server errors."""
    task_defaults_unpacked: bool
    """Auxiliary task defaults that are not a mapping raise a TypeError; before, an AttributeError."""
    terminal_directory_per_task: bool
    """In each turn, `terminal` starts in the host's working directory."""
    terminal_keeps_directory: bool
    """`terminal` starts in the directory where its last command ended."""
    terminal_output_bounded: bool
    """Command output is cut while it is read, so `transform_terminal_output` gets only what is shown."""
    thoughts_left_out: bool
    """Answers that contain only thoughts are not sent back to the model."""
    thoughts_quoted: bool
    """A turn in which the model only thinks replies with its last thoughts."""
    thoughts_told: bool
    """Reasoning within an answer's text also appears as `reasoning_content`."""
    timeouts_repeated: bool
    """A request is retried on status 408."""
    todo_items_checked: bool
    """`todo` accepts a JSON list, and tasks that are not objects."""
    todo_lists_bounded: bool
    """`todo` keeps 256 tasks of 4000 characters each."""
    tool_error_prefix: bool
    """The model sees an exception in a tool handler with the prefix `[TOOL_ERROR]`."""
    tool_errors_bounded: bool
    """Errors in tool results are cut after 2048 characters, including those that the handler wrote."""
    tool_messages_named: bool
    """Tool messages in the history also carry `tool_name`."""
    tool_output_risk: bool
    """The history notes the risk of web results."""
    tool_result_contract: bool
    """A handler's result that is neither text nor multimodal becomes an error."""
    tool_results_sent_nameless: bool
    """Requests omit the tool's name from result messages."""
    tool_schemas_checked: bool
    """Registering a tool raises a ValueError if its schema, or `parameters` in it, is not a dict."""
    tool_search: bool
    """Plugin tools may be deferred: the model searches for them when it needs them."""
    tools_always_deferred: bool
    """Plugin tools are deferred unless `tools.tool_search` says otherwise; before, only when they filled much of the
    context."""
    tools_by_home: bool
    """Plugin tools are kept per home and take precedence over the host's. A tool that the host registered first needs
    `override`."""
    tools_checked_within_middleware: bool
    """In a turn, `pre_tool_call` fires inside `tool_execution` middleware, and `post_tool_call` after it."""
    tools_counted_by_content: bool
    """Tool tokens are estimated from names, descriptions and parameters; before, from the definitions as text."""
    transformed_reply_kept: bool
    """The history holds the reply as changed by `transform_llm_output`."""
    turn_call_ids: bool
    """In a turn, `pre_tool_call` receives the session and the call id."""
    turns_redirected: bool
    """A text sent while the model answers redirects the turn; before, it ended the turn and began another."""
    typing_paused_before_replies: bool
    """Adapters stop the typing indicator before a turn's reply is sent."""
    typing_shown_first: bool
    """An adapter shows that the agent types before the session of a message begins; before, once its turn begins."""
    unattended_turns_stopped: bool
    """In gateway chats, calls that fail too often end the turn by default."""
    unchanged_files_quoted: bool
    """When a reply lists unchanged files, all paths are in backticks."""
    uncompressed_length_told: bool
    """With compression off, the host warns of requests longer than the context."""
    unseen_files_kept: bool
    """`write_file` refuses to replace a file whose current content the model has not read; before, it warned."""
    unsent_approvals_told: bool
    """`post_approval_response` fires with `notify_failed` if the question could not be sent."""
    unsuccessful_results_counted: bool
    """A result with `success: false` and a message counts as a repeated tool failure."""
    untrusted_defused: bool
    """A framed result cannot close its frame. Parts of multimodal results are framed too."""
    untrusted_framed: bool
    """Results of web tools are framed as data."""
    unusable_calls_closed: bool
    """A turn that ends because no usable tool call came has its error as the last message."""
    unused_results_kept: bool
    """Tool results stay in the history even if the model said nothing about them."""
    unversioned_left_alone: bool
    """A migration enables no plugins if the configuration has no version."""
    upstream_provider_told: bool
    """`post_api_request` receives the upstream provider."""
    usage_anchored: bool
    """A request's length is the provider's last count plus an estimate of what followed; engines are then not asked to
    wait."""
    usage_awaited_after_compression: bool
    """After a compression, a context engine's `last_prompt_tokens` is -1 until the provider counts; before, an
    estimate."""
    useless_compressions_end: bool
    """If a compressed request is still over the threshold and nearly as long, no further compression precedes a request
    in that turn."""
    user_memory_providers_first: bool
    """A memory provider in the home's `plugins/memory/<name>/` replaces a bundled one."""
    user_message_stored_first: bool
    """The user's message is stored before `pre_llm_call` fires."""
    verify_nudges_dropped: bool
    """What `pre_verify` made the model do leaves no messages in the history."""
    video_backend_available: bool
    """If `video_gen.provider` is not set, the only available backend is used; an unregistered one has no substitute."""
    video_edits_refused: bool
    """`video_generate` refuses `operation` and `video_url`."""
    video_models_configured: bool
    """`video_generate` ignores `model` in a call."""
    video_seeds: bool
    """A video backend's capabilities state whether it accepts a seed and upscales."""
    web_backends_of_plugins: bool
    """A plugin's backend is enough to offer `web_search` and `web_extract`, and may be configured for just one of
    them."""
    web_extract_deadline: bool
    """A backend that reads pages times out after `web.extract_timeout` seconds (default: 120)."""
    web_items_checked: bool
    """`web_extract` accepts search results as addresses, and reports addresses that it does not read in place."""
    web_rescued: bool
    """When a web backend fails, the host falls back to free public services."""
    web_results_kept: bool
    """Searches request at least ten results from a backend. Results and pages are cached for 20 minutes."""
    web_selection_strict: bool
    """The configured web backend is called even if it is unavailable; an unregistered one is an error."""
    withdrawn_plugins_refused: bool
    """A plugin that was withdrawn from the catalogue is refused."""
    workdir_transient: bool
    """A command's own `workdir` does not affect the next command."""
    yaml_errors_numbered: bool
    """Manifest errors show the line and its number. Configuration errors say what to do, and a copy goes to the backup
    folder."""
    yaml_read_by_libyaml: bool
    """File tools word YAML errors as libyaml does."""
    yes_no_default_at_end: bool
    """An unanswered `hermes_cli.setup.prompt_yes_no` returns its default; before, it ended the program."""


SPANS: Mapping[str, tuple[str, str | None]] = {
    "active_task_first": ("0.20.2", None),
    "adapters_get_runner": ("0.19.0", None),
    "adapters_may_get_runner": ("0.15.0", None),
    "aliases_take_base_url": ("0.21.4", None),
    "all_tool_names_stored": ("0.22.2", None),
    "allowlists_match_addresses": ("0.13.0", "0.21.5"),
    "apologies_logged": ("0.18.0", None),
    "approval_messages_marked": ("0.22.2", None),
    "approval_pending": ("0.15.0", None),
    "approval_reasons": ("0.18.2", None),
    "approval_timeout_long": ("0.20.1", None),
    "approval_timeout_shared": ("0.19.0", None),
    "approvals_in_words": ("0.18.0", None),
    "approvals_off_for_plugins": ("0.21.3", None),
    "approvals_smart": ("0.19.0", None),
    "approve_directive": ("0.18.1", None),
    "arguments_must_be_object": ("0.19.0", None),
    "async_context_copied": ("0.18.0", None),
    "auxiliary_tasks_owned_by_key": ("0.20.1", None),
    "awaited_usage_silences": ("0.21.5", None),
    "backends_logged_as_kept": ("0.20.1", None),
    "billing_explained": ("0.20.2", None),
    "block_beats_approve": ("0.21.5", None),
    "brackets_closed_in_order": ("0.21.4", None),
    "browser_by_npx": ("0.13.0", "0.20.6"),
    "browser_harness": ("0.22.2", None),
    "bundled_platforms_by_path": ("0.21.5", None),
    "busy_text_interrupts": ("0.17.0", None),
    "capabilities_granted": ("0.20.1", None),
    "changed_files_resolved": ("0.22.2", None),
    "chat_status_without_title": ("0.19.0", None),
    "chats_have_shells": ("0.20.6", None),
    "chats_in_context": ("0.18.0", None),
    "check_fn_grace": ("0.18.0", None),
    "check_fn_quiet": ("0.22.2", None),
    "check_fn_uncached": ("documented", None),
    "children_not_streamed": ("0.20.2", "0.21.3"),
    "choices_need_terminal": ("0.20.6", None),
    "cli_commands_labelled": ("0.21.4", None),
    "cli_handler_status": ("0.20.1", None),
    "command_answers_notify": ("0.17.0", None),
    "commands_allowlisted": ("0.17.0", None),
    "commands_denied": ("0.18.1", None),
    "commands_explained": ("0.20.2", None),
    "commands_know_chat": ("0.21.5", None),
    "commands_may_be_indented": ("0.20.1", None),
    "compressed_aside": ("0.20.2", None),
    "compressed_history_rewritten": ("0.20.2", None),
    "compression_end_kept_from_chats": ("0.20.6", None),
    "compression_end_told": ("0.20.2", None),
    "compression_notices_optional": ("0.20.1", None),
    "compressions_await_usage": ("0.21.3", None),
    "compressions_configured": ("0.20.1", None),
    "compressions_counted_together": ("0.20.2", None),
    "compressions_keep_session": ("0.18.0", None),
    "compressions_used_up_told": ("0.21.3", None),
    "config_backup": ("0.16.0", None),
    "config_defaults_stripped": ("0.18.0", None),
    "config_keeps_last_good": ("0.19.0", None),
    "config_nulls_saved": ("0.21.5", None),
    "context_engine_directory": ("documented", None),
    "context_spill": ("0.18.1", None),
    "corrections_tell_origin": ("0.21.3", None),
    "credited_by_handles": ("0.20.1", None),
    "cut_off_answers_continued_more": ("0.18.0", None),
    "cut_off_answers_get_more_room": ("0.22.2", None),
    "cut_off_answers_joined": ("0.20.2", None),
    "cut_off_calls_asked_again_more": ("0.18.0", None),
    "cut_off_calls_asked_thrice": ("0.16.0", None),
    "data_files_checked": ("0.19.0", None),
    "deferred_calls_listed": ("0.21.3", None),
    "deferred_tools_told": ("0.20.2", None),
    "delegated_goals_checked": ("0.20.2", None),
    "delegates_in_background": ("0.18.0", None),
    "delegation_detailed": ("0.20.2", None),
    "delegation_transcripts": ("0.19.0", None),
    "delegation_widened": ("0.20.2", None),
    "directory_before_entry_point": ("0.21.4", None),
    "disabled_bundles_keep_core": ("0.18.0", None),
    "discovery_retried": ("0.20.2", None),
    "empty_caches_left": ("0.18.0", None),
    "empty_messages_not_restored": ("0.20.1", None),
    "empty_messages_restored": ("0.18.0", None),
    "empty_replies_explained_last": ("0.22.2", None),
    "empty_reply_kept": ("0.18.0", None),
    "engine_asked_before_requests": ("0.18.1", None),
    "engine_asked_before_turns": ("0.16.0", None),
    "engine_asked_for_large_turns": ("0.18.0", None),
    "engine_asked_why_not": ("0.20.2", None),
    "engine_clones_itself": ("0.21.5", None),
    "engine_copied": ("0.18.0", None),
    "engine_given_estimates": ("0.16.0", "0.21.3"),
    "engine_lists_tools_again": ("0.22.2", None),
    "engine_of_directory_first": ("0.21.5", None),
    "engine_resets_guarded": ("0.15.0", None),
    "engine_signature_read": ("0.19.0", None),
    "engine_told_more": ("0.15.0", None),
    "engine_words_status": ("0.20.2", None),
    "entry_point_called": ("0.21.5", None),
    "entry_points_always_enabled": ("documented", None),
    "event_lists_required": ("0.21.3", None),
    "exits_swallowed": ("0.21.0", None),
    "extra_goes_first": ("0.22.2", None),
    "failed_children_told": ("0.22.2", None),
    "failed_looks_counted": ("0.13.0", "0.21.3"),
    "failed_register_rolled_back": ("0.20.1", None),
    "failed_turns_closed": ("0.22.2", None),
    "failed_turns_reply": ("0.18.0", None),
    "failing_policy_blocks": ("0.21.5", None),
    "failures_explained": ("0.22.2", None),
    "failures_logged_once": ("0.21.4", None),
    "failures_reported": ("0.20.1", None),
    "file_paths_told": ("0.16.0", None),
    "files_explained": ("0.20.2", None),
    "files_forgotten_after_turns": ("0.21.3", None),
    "filtered_answers_reported": ("0.17.0", None),
    "foreground_arguments_checked": ("0.20.6", None),
    "foreign_directories_skipped": ("0.21.5", None),
    "gateway_asks": ("0.13.0", "0.20.2"),
    "gateway_commands_in_threads": ("0.21.5", None),
    "gateway_commands_with_underscore": ("documented", None),
    "gateway_housekeeping_aside": ("0.21.4", None),
    "gateway_messages_identified": ("0.21.3", None),
    "gateway_messages_stamped": ("0.18.0", None),
    "gateway_notes_in_message": ("0.19.0", None),
    "gateway_outlives_platforms": ("0.14.0", None),
    "gateway_platforms_read": ("0.16.0", None),
    "gateway_skills_command": ("0.17.0", None),
    "gateway_threads_named": ("0.17.0", None),
    "gateway_turns_stamped": ("0.19.0", None),
    "generated_media_apart": ("0.22.2", None),
    "grandfathers_on_start": ("documented", None),
    "handlers_narrowed": ("0.21.5", None),
    "home_channel_of_config_counts": ("0.19.0", None),
    "home_model_providers_win": ("0.21.5", None),
    "hook_args_uncoerced": ("documented", None),
    "hook_arguments_narrowed": ("0.20.1", None),
    "hook_counts_by_growth": ("0.17.0", None),
    "hook_stops_at_first_block": ("documented", None),
    "hooks_awaited": ("0.21.4", None),
    "hooks_bounded": ("0.20.6", None),
    "hooks_declared": ("0.21.5", None),
    "identical_calls_noted": ("0.20.6", None),
    "identical_cycles_noted": ("0.21.3", None),
    "idle_compressions_ignored": ("0.19.0", None),
    "image_backend_configured": ("0.19.0", None),
    "image_backend_errors_told": ("0.21.3", None),
    "image_controls": ("0.22.2", None),
    "image_provider_by_default": ("documented", None),
    "images_summarised": ("0.14.0", None),
    "impostors_ignored": ("0.21.5", None),
    "injected_context_replayed": ("0.19.0", None),
    "interim_texts_anchored": ("0.21.0", None),
    "interim_texts_marked": ("0.20.6", None),
    "interim_texts_rarely_reply": ("0.21.3", None),
    "interim_texts_sent_once": ("0.19.0", None),
    "interrupted_calls_closed": ("0.18.0", None),
    "judges_without_reasoning": ("0.22.2", None),
    "kept_reply_dropped_by_tools": ("0.19.0", None),
    "kept_reply_in_history": ("0.18.0", None),
    "keyless_providers_unconfigured": ("0.22.2", None),
    "known_tools_run_beside_unknown": ("0.19.0", None),
    "last_reply_kept": ("0.21.5", None),
    "last_requests_complete": ("0.18.0", None),
    "ledger_in_own_module": ("0.21.3", None),
    "libyaml": ("0.18.0", None),
    "line_endings_kept": ("0.15.0", None),
    "lines_counted": ("0.22.2", None),
    "llm_async_logged": ("0.20.1", None),
    "llm_auth_fallback": ("0.18.0", None),
    "llm_client_retries_off": ("0.18.0", None),
    "llm_cost_reported": ("documented", None),
    "llm_fallback_configured": ("0.21.3", None),
    "llm_first_error_raised": ("0.18.1", None),
    "llm_foreign_models_dropped": ("0.21.3", None),
    "llm_gate_literal": ("documented", None),
    "llm_identity_applied": ("documented", None),
    "llm_max_tokens_dropped": ("0.16.0", None),
    "llm_model_per_call": ("0.18.1", None),
    "llm_parameters_applied": ("documented", None),
    "llm_transient_retry": ("0.17.0", None),
    "llm_two_retries": ("0.18.1", None),
    "llm_unavailable_told": ("0.21.4", None),
    "loading_timed": ("0.21.5", None),
    "logins_replaced": ("0.20.6", None),
    "long_commands_moved": ("0.22.2", None),
    "long_results_saved_in_home": ("0.20.6", None),
    "loop_results_transformed": ("0.21.5", None),
    "managed_scope": ("0.17.0", None),
    "manifest_fields_read": ("0.20.1", None),
    "manifest_mapping_checked": ("0.21.5", None),
    "manifest_version_two_installed": ("0.21.4", None),
    "markup_cut_from_tool_names": ("0.17.0", None),
    "memory_batches": ("0.17.0", None),
    "memory_cli_of_honcho": ("0.13.0", "0.22.2"),
    "memory_consolidates": ("0.18.0", None),
    "memory_core_names_reserved": ("0.17.0", None),
    "memory_modules_by_source": ("0.21.4", None),
    "memory_namespace": ("0.16.0", None),
    "memory_patched": ("0.22.2", None),
    "memory_prefetch_in_session": ("0.22.2", None),
    "memory_prefetch_limited": ("0.19.0", None),
    "memory_prompt_gated": ("0.20.6", None),
    "memory_provider_hooks_replaced": ("0.21.4", None),
    "memory_providers_disabled": ("0.21.5", None),
    "memory_providers_installed": ("0.20.1", None),
    "memory_providers_register_all": ("0.20.1", None),
    "memory_siblings_removed": ("0.21.5", None),
    "memory_skips_trivial_prompts": ("0.20.2", None),
    "memory_switched_aside": ("0.19.0", None),
    "memory_told_authors": ("0.22.2", None),
    "memory_tools_claimed_at_once": ("0.21.3", None),
    "memory_tools_gated": ("0.15.0", None),
    "memory_works_aside": ("0.17.0", None),
    "memory_writes_checked": ("0.18.0", None),
    "merged_messages_kept_apart": ("0.22.2", None),
    "messages_counted_as_sent": ("0.20.2", None),
    "messages_counted_in_bytes": ("0.21.3", None),
    "messages_forgotten": ("0.19.0", None),
    "messages_identified": ("0.22.2", None),
    "messages_know_their_rows": ("0.21.0", None),
    "messages_marked_stored": ("0.18.0", None),
    "messages_timestamped": ("0.20.1", None),
    "middleware_chained": ("0.22.2", None),
    "middleware_exits_swallowed": ("0.21.4", None),
    "missing_connections_told": ("0.20.2", None),
    "missing_key_is_auth_error": ("0.19.0", None),
    "missing_limits_untold": ("0.21.3", None),
    "missing_summaries_kept": ("0.18.0", None),
    "model_providers_lazy": ("documented", None),
    "modify_directive": ("0.20.2", None),
    "modules_forgotten": ("0.20.1", None),
    "nameless_calls_named": ("0.18.0", "0.20.2"),
    "nameless_calls_sent_named": ("0.20.2", None),
    "names_must_be_text": ("0.18.0", None),
    "nested_coercion": ("0.18.1", None),
    "notes_forgotten_before_reply": ("0.19.0", None),
    "notes_replayed_at_once": ("0.21.3", None),
    "notices_marked_interim": ("0.22.2", None),
    "null_sections_ignored": ("0.19.0", None),
    "old_configurations_refused": ("0.20.2", None),
    "old_folders_made": ("0.14.0", "0.18.0"),
    "outages_waited_out": ("0.22.2", None),
    "outbound_webhooks": ("0.20.1", None),
    "override_gated": ("0.18.0", None),
    "pager_replaced": ("0.22.2", None),
    "pages_cut": ("0.18.0", None),
    "parallel_segments": ("0.19.0", None),
    "pending_results_noted": ("0.18.0", None),
    "placeholder_keys_refused": ("0.21.4", None),
    "placeholders_replayed": ("0.20.6", None),
    "platform_checks_caught": ("0.20.1", None),
    "platform_keys_in_extra": ("0.21.3", None),
    "platforms_by_gateway_config": ("documented", None),
    "platforms_stay_off": ("0.18.0", None),
    "plugin_approvals_identified": ("0.20.1", None),
    "plugin_approvals_told": ("0.20.1", None),
    "plugin_skill_files": ("0.20.2", None),
    "plugin_skill_sources_told": ("0.22.2", None),
    "plugin_skills_listed": ("0.20.1", None),
    "plugins_isolated": ("0.22.2", None),
    "portable_plugins": ("0.20.1", None),
    "portable_servers_declared": ("0.21.5", None),
    "portable_servers_plainly_named": ("0.21.5", None),
    "post_tool_call_on_block": ("0.16.0", None),
    "profile_gets_base_url": ("0.17.0", None),
    "profile_gets_cache_scope": ("0.22.2", None),
    "progress_forgives_failures": ("0.21.3", None),
    "provider_errors_advise": ("0.21.4", None),
    "provider_errors_kept_from_chats": ("0.18.0", None),
    "provider_errors_summarised": ("0.17.0", None),
    "provider_tools_unwrapped": ("0.18.0", None),
    "questions_listed": ("0.22.2", None),
    "rate_limits_redelivered": ("0.21.3", None),
    "reasoning_not_sent_back": ("0.18.0", None),
    "reasoning_sent_to_local_models": ("0.22.2", None),
    "recovery_mark_not_sent": ("0.15.0", None),
    "refusals_are_no_failures": ("0.21.4", None),
    "refusals_streamed": ("0.21.4", None),
    "refusals_summarised": ("0.22.2", None),
    "register_exit_contained": ("0.21.5", None),
    "registers_once": ("documented", None),
    "relay_plugins_refused": ("0.20.6", None),
    "repairs_told": ("0.22.2", None),
    "replies_follow_corrections": ("0.21.4", None),
    "replies_may_be_muted": ("0.21.4", None),
    "request_max_tokens": ("0.17.0", "0.22.2"),
    "request_reasoning_effort": ("0.22.2", None),
    "required_always_listed": ("0.21.4", None),
    "requires_env_gates": ("documented", None),
    "requires_hermes_gates": ("0.21.3", None),
    "requires_hermes_gates_installer": ("0.22.2", None),
    "rescan_undoes": ("0.20.1", None),
    "restored_messages_marked": ("0.22.2", None),
    "restored_tool_messages_marked": ("0.20.6", None),
    "result_sizes_scaled": ("0.18.0", None),
    "retired_expiry_told": ("0.22.2", None),
    "retries_told_at_the_end": ("0.15.0", None),
    "safe_mode": ("0.17.0", None),
    "saved_results_unwrapped": ("0.22.2", None),
    "schedulers_exclusive": ("0.21.5", None),
    "schema_ref_default_dropped": ("0.17.0", None),
    "schema_type_unions": ("0.18.1", None),
    "schema_version_from_file": ("0.16.0", None),
    "search_paths_absolute": ("0.20.2", None),
    "search_results_grouped": ("0.17.0", None),
    "searches_listed": ("0.20.6", None),
    "secret_scope_overlays": ("0.20.2", None),
    "secrets_unreadable": ("0.15.0", None),
    "server_errors_repeated": ("0.22.2", None),
    "session_approvals_offered": ("0.20.1", None),
    "session_end_always": ("documented", None),
    "session_ids_of_new_agents": ("0.19.0", None),
    "session_reset_gateway_only": ("documented", None),
    "session_search_detail": ("0.20.2", None),
    "session_search_finds_itself": ("0.18.0", None),
    "session_search_modes": ("0.15.0", None),
    "sessions_finalised_in_thread": ("0.20.1", None),
    "settings_edited_in_place": ("0.21.5", None),
    "setup_saves_variables": ("0.20.6", None),
    "shell_hook_output_replaced": ("0.20.1", None),
    "shell_hook_status_fails_closed": ("0.22.2", None),
    "shell_hooks_approve": ("0.21.5", None),
    "shell_hooks_fail_closed": ("0.20.1", None),
    "shell_hooks_modify": ("0.20.2", None),
    "shell_hooks_safe_mode": ("0.18.1", None),
    "shell_hooks_told_profile": ("0.21.3", None),
    "short_contexts_explained": ("0.20.0", None),
    "silent_skill_commands_told": ("0.21.4", None),
    "single_tasks_listed": ("0.22.2", None),
    "skill_copies_resolved": ("0.22.2", None),
    "skill_files_owned": ("0.21.4", None),
    "skill_mark_dropped": ("0.19.0", None),
    "skill_names_in_front_matter": ("0.17.0", None),
    "skill_output_elided": ("0.22.2", None),
    "skill_path_checked": ("0.17.0", None),
    "skill_paths_converted": ("0.21.5", None),
    "skill_provenance_told": ("0.20.2", "0.22.2"),
    "skill_uses_told": ("0.20.1", None),
    "skill_views_remembered": ("0.20.2", None),
    "skills_decoded_leniently": ("0.20.2", None),
    "skills_folder_made": ("0.14.0", None),
    "smart_approvals_told": ("0.19.0", None),
    "spaced_variables_replaced": ("0.21.0", None),
    "speech_backend_counts": ("0.19.0", None),
    "speech_files_spared": ("0.22.2", None),
    "speech_in_parts": ("0.20.1", None),
    "speech_scripted": ("0.20.1", None),
    "stopped_approvals_withdrawn": ("0.22.2", None),
    "stopped_turns_incomplete": ("0.21.4", None),
    "stream_hooks_in_context": ("0.21.5", None),
    "streams_identified": ("0.21.3", None),
    "subagent_platform": ("0.17.0", None),
    "subagent_stop_on_parent_thread": ("documented", None),
    "summaries_offer_tools": ("0.22.2", None),
    "summary_requests_sent_once": ("0.18.0", None),
    "task_defaults_unpacked": ("0.21.3", None),
    "terminal_directory_per_task": ("0.19.0", None),
    "terminal_keeps_directory": ("0.16.0", None),
    "terminal_output_bounded": ("0.19.0", None),
    "thoughts_left_out": ("0.20.2", None),
    "thoughts_quoted": ("0.20.2", "0.22.2"),
    "thoughts_told": ("0.22.2", None),
    "timeouts_repeated": ("0.18.1", None),
    "todo_items_checked": ("0.18.0", None),
    "todo_lists_bounded": ("0.17.0", None),
    "tool_error_prefix": ("0.14.0", None),
    "tool_errors_bounded": ("0.20.2", None),
    "tool_messages_named": ("0.15.0", None),
    "tool_output_risk": ("0.19.0", None),
    "tool_result_contract": ("0.19.0", None),
    "tool_results_sent_nameless": ("0.22.2", None),
    "tool_schemas_checked": ("0.21.3", None),
    "tool_search": ("0.16.0", None),
    "tools_always_deferred": ("0.20.2", None),
    "tools_by_home": ("0.20.1", None),
    "tools_checked_within_middleware": ("0.20.2", None),
    "tools_counted_by_content": ("0.19.0", None),
    "transformed_reply_kept": ("0.21.5", None),
    "turn_call_ids": ("0.16.0", None),
    "turns_redirected": ("0.20.1", None),
    "typing_paused_before_replies": ("0.22.2", None),
    "typing_shown_first": ("0.18.0", None),
    "unattended_turns_stopped": ("0.21.3", None),
    "unchanged_files_quoted": ("0.16.0", None),
    "uncompressed_length_told": ("0.20.6", None),
    "unseen_files_kept": ("0.22.2", None),
    "unsent_approvals_told": ("0.20.1", None),
    "unsuccessful_results_counted": ("0.15.0", None),
    "untrusted_defused": ("0.18.0", None),
    "untrusted_framed": ("0.15.0", None),
    "unusable_calls_closed": ("0.20.2", None),
    "unused_results_kept": ("0.22.2", None),
    "unversioned_left_alone": ("0.22.2", None),
    "upstream_provider_told": ("0.22.2", None),
    "usage_anchored": ("0.22.2", None),
    "usage_awaited_after_compression": ("0.16.0", None),
    "useless_compressions_end": ("0.20.2", None),
    "user_memory_providers_first": ("documented", None),
    "user_message_stored_first": ("0.18.0", "0.19.0"),
    "verify_nudges_dropped": ("0.19.0", None),
    "video_backend_available": ("0.19.0", None),
    "video_edits_refused": ("0.18.0", None),
    "video_models_configured": ("0.21.4", None),
    "video_seeds": ("0.22.2", None),
    "web_backends_of_plugins": ("0.18.1", None),
    "web_extract_deadline": ("0.21.3", None),
    "web_items_checked": ("0.19.0", None),
    "web_rescued": ("0.20.6", None),
    "web_results_kept": ("0.20.6", None),
    "web_selection_strict": ("0.20.6", None),
    "withdrawn_plugins_refused": ("0.21.5", None),
    "workdir_transient": ("0.20.2", None),
    "yaml_errors_numbered": ("0.22.2", None),
    "yaml_read_by_libyaml": ("0.22.2", None),
    "yes_no_default_at_end": ("0.18.0", None),
}
"""The first release with each flag, and the first one without it again; read at every start, when TOML takes long."""
