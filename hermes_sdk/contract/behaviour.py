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
    """The list of tasks has the one in progress before those that are pending."""
    adapters_get_runner: bool
    """Every adapter gets the gateway as `gateway_runner`; before, only one whose class declares it."""
    adapters_may_get_runner: bool
    """An adapter whose class declares `gateway_runner` gets the gateway."""
    aliases_take_base_url: bool
    """`model.base_url` is the address of a provider of models that is chosen by an alias, too."""
    all_tool_names_stored: bool
    """In later turns of a chat, a message about an unknown tool has the tool's name as `tool_name`."""
    allowlists_match_addresses: bool
    """A list of users that may write matches the part of an id before an at sign, too."""
    apologies_logged: bool
    """The log reports an error message that could not be sent to the user either."""
    approval_messages_marked: bool
    """Adapters learn from the metadata that a message asks for approval, and send a notice when nobody answered in
    time."""
    approval_pending: bool
    """A command that waits for approval is answered with `pending_approval`."""
    approval_reasons: bool
    """What a user says with `/deny` reaches the model."""
    approval_timeout_long: bool
    """Without `approvals.timeout` the user of a chat has 300 seconds to answer; before, 60."""
    approval_timeout_shared: bool
    """The user of a chat has `approvals.timeout` seconds to answer; before, `approvals.gateway_timeout`."""
    approvals_in_words: bool
    """Words such as `yes` answer a question for approval in a chat, and `/stop` ends the wait for an answer."""
    approvals_off_for_plugins: bool
    """`approvals.mode: off` waives the approvals that plugins want, too."""
    approvals_smart: bool
    """A model judges commands that need approval, unless `approvals.mode` says otherwise."""
    approve_directive: bool
    """`pre_tool_call` may return `{action: approve}` to have a person decide."""
    arguments_must_be_object: bool
    """A call whose arguments are JSON but no object is not run."""
    async_context_copied: bool
    """An async handler that runs on a fresh thread sees the caller's context variables."""
    auxiliary_tasks_owned_by_key: bool
    """An auxiliary task belongs to the key of its plugin; before, to the name."""
    awaited_usage_silences: bool
    """Such an engine is then asked nothing after calls of tools."""
    backends_logged_as_kept: bool
    """The log names a backend by the name that it is kept under, and omits one that a built-in one keeps out."""
    billing_explained: bool
    """A turn that ends for want of money tells the user what to do."""
    block_beats_approve: bool
    """A directive of `pre_tool_call` that blocks counts even if an earlier one asks for approval."""
    brackets_closed_in_order: bool
    """Missing closing brackets in the arguments of a call are added where they belong."""
    browser_by_npx: bool
    """The browser tools are offered where Chromium and `npx`, which runs their program, are on `PATH`."""
    browser_harness: bool
    """`browser_exec` and `browser_vault` replace the browser tools on every machine."""
    bundled_platforms_by_path: bool
    """The key of a platform that comes with the host is its path, such as `platforms/irc`, and not its name."""
    busy_text_interrupts: bool
    """A text interrupts the turn that runs, unless `display.busy_input_mode` says otherwise; before, it waited."""
    capabilities_granted: bool
    """`granted_capabilities` of a plugin's entry in the configuration allows what the older keys allow one by one."""
    changed_files_resolved: bool
    """A reply does not list a file as not changed if it was changed later under another name or by another tool."""
    chat_status_without_title: bool
    """`/status` in a chat does not name the title of its session."""
    chats_have_shells: bool
    """Each chat of a gateway has a shell of its own for the tool `terminal`, and hooks get the chat as the task."""
    chats_in_context: bool
    """The key of a chat's session is in the context of its turn only; before, in the environment of the process too."""
    check_fn_grace: bool
    """A `check_fn` that fails shortly after it succeeded keeps its tools available."""
    check_fn_quiet: bool
    """A `check_fn` that answers False is not a warning in the log, unlike one that raises."""
    check_fn_uncached: bool
    """`check_fn` is asked each time tool definitions are built, and its failure is not logged."""
    children_not_streamed: bool
    """Answers to delegated tasks are asked for whole, and not as a stream."""
    choices_need_terminal: bool
    """Without a terminal `hermes_cli.setup.prompt_choice` returns its default; before, it asked for a number."""
    cli_commands_labelled: bool
    """The program `hermes` says `<command>` in its usage and its errors."""
    cli_handler_status: bool
    """The number that the handler of a CLI command returns is the status of the program."""
    command_answers_notify: bool
    """It is told so too of what answers a command that went past a turn."""
    commands_allowlisted: bool
    """`command_allowlist` may hold commands and patterns of them."""
    commands_denied: bool
    """`approvals.deny` holds patterns of commands that never run."""
    commands_explained: bool
    """The tool `terminal` says what a signal means, how to go on after a failure, where a command ended and where all
    of a long output is, and that it has no argument `code`; commands see `AI_AGENT` and `HERMES_AGENT`."""
    commands_know_chat: bool
    """`get_session_env` tells a plugin's command about the chat that it was sent in."""
    commands_may_be_indented: bool
    """A message that begins with blanks and a slash is a command."""
    compressed_aside: bool
    """A context engine compresses in the thread `compress-ctx-timeout`."""
    compressed_history_rewritten: bool
    """What a compression leaves of the history is stored anew, and carries the numbers of its rows."""
    compression_end_kept_from_chats: bool
    """Chats are not told that a compression is complete, unless `compression.progress_notices` is on."""
    compression_end_told: bool
    """The host says when a compression that it announced is complete."""
    compression_notices_optional: bool
    """Chats get notices of compressions only with `compression.progress_notices`; before, of those ahead of a
    request."""
    compressions_await_usage: bool
    """After calls of tools, an engine that sets no `awaiting_real_usage_after_compression` back does not compress
    again."""
    compressions_configured: bool
    """A turn may have `compression.max_attempts` compressions, from one to ten; before, three."""
    compressions_counted_together: bool
    """Compressions after calls of tools count among the three of a turn, and are told the estimated tokens."""
    compressions_keep_session: bool
    """A session keeps its id when its history is compressed."""
    compressions_used_up_told: bool
    """The host warns if a turn has had its three compressions, and its engine wants another one."""
    config_backup: bool
    """A `config.yaml` that cannot be read is copied to a file beside it."""
    config_defaults_stripped: bool
    """`save_config` leaves values out that equal the default and were not in the file."""
    config_keeps_last_good: bool
    """A `config.yaml` that becomes unreadable leaves the configuration as it was read last."""
    config_nulls_saved: bool
    """`save_config` keeps `null` where the default is something else, and adds no empty section `agent`."""
    context_engine_directory: bool
    """Context engines are found in `plugins/context_engine/<name>/` without being enabled."""
    context_spill: bool
    """Context from `pre_llm_call` beyond 10000 characters goes to a file and leaves a preview."""
    corrections_tell_origin: bool
    """A text that redirects a turn tells the model which chat and user it comes from."""
    credited_by_handles: bool
    """A plugin is credited with every registration that it made and did not undo while it registered, a name as often
    as it was registered."""
    cut_off_answers_continued_more: bool
    """An answer that is cut off is continued three times, and no longer twice."""
    cut_off_answers_get_more_room: bool
    """Each time that the rest of a truncated answer is requested, the limit of tokens grows by a higher power of
    two."""
    cut_off_answers_joined: bool
    """The parts of an answer that is cut off again and again become one message of the history."""
    cut_off_calls_asked_again_more: bool
    """A tool call whose arguments cannot be read is asked for four more times."""
    cut_off_calls_asked_thrice: bool
    """A tool call whose arguments cannot be read is asked for three more times instead of once."""
    data_files_checked: bool
    """JSON, YAML and TOML that cannot be read is not written."""
    deferred_calls_listed: bool
    """The tool `tool_call` takes a list of calls."""
    deferred_tools_told: bool
    """A search that finds nothing names the toolsets that were put aside, and the error of a call that lacks arguments
    does so too."""
    delegated_goals_checked: bool
    """The tool `delegate_task` refuses several tasks when the goal of one is short or a placeholder."""
    delegates_in_background: bool
    """A delegated task runs beside the session, which hears of its result later, unless nobody could deliver it."""
    delegation_detailed: bool
    """The result of `delegate_task` tells what a task cost, whether it was cut off, and on what its tools worked."""
    delegation_transcripts: bool
    """The result of `delegate_task` names a transcript for each task."""
    delegation_widened: bool
    """The tool `delegate_task` takes ten tasks instead of three, and children may run code."""
    directory_before_entry_point: bool
    """A directory plugin hides an entry point of its key, and not the other way round."""
    disabled_bundles_keep_core: bool
    """A bundle of toolsets in `agent.disabled_toolsets` takes no core tool away."""
    empty_caches_left: bool
    """Empty folders of older releases, such as `audio_cache`, are no longer used."""
    empty_messages_not_restored: bool
    """A message without text is left out of later turns of a chat."""
    empty_messages_restored: bool
    """A message without text is a part of later turns of a chat."""
    empty_replies_explained_last: bool
    """`transform_llm_output` gets `(empty)` when the model said nothing; what the user reads instead replaces that
    afterwards. The note about files that could not be changed also comes afterwards."""
    empty_reply_kept: bool
    """The history ends with `(empty)` when the model said nothing."""
    engine_asked_before_requests: bool
    """A context engine is asked before each request whether it wants to compress."""
    engine_asked_before_turns: bool
    """A context engine is asked before a turn whether a history of many messages is too long."""
    engine_asked_for_large_turns: bool
    """A context engine is asked before a turn also if a history of few messages is large."""
    engine_asked_why_not: bool
    """An engine that does not compress is asked for a reason; after calls of tools, to prune results; before turns, for
    upkeep."""
    engine_clones_itself: bool
    """A context engine is copied for an agent by its method `clone_for_agent`; before, by `copy.deepcopy`."""
    engine_copied: bool
    """Each agent works with a copy of the context engine."""
    engine_given_estimates: bool
    """A context engine that is asked before a turn gets a larger estimate as its `last_prompt_tokens`."""
    engine_lists_tools_again: bool
    """An engine is asked for its tools again after it compressed."""
    engine_of_directory_first: bool
    """The engine that `context.engine` names is that of `plugins/<name>`, enabled or not, before one that a plugin
    registered."""
    engine_signature_read: bool
    """A context engine gets what its `compress` takes, and what memory keeps; before, all or, after a TypeError,
    little."""
    engine_told_more: bool
    """A context engine is told the api mode and every count of tokens."""
    engine_words_status: bool
    """A context engine words the message about a compression to the user, or suppresses it."""
    entry_point_called: bool
    """A callable behind an entry point is called instead of a function `register` in it."""
    entry_points_always_enabled: bool
    """A plugin that is an installed package loads without being enabled."""
    event_lists_required: bool
    """A gateway does not start with an event hook whose events are not list."""
    exits_swallowed: bool
    """`sys.exit` in a callback of a hook is a failure like others; before, it ended the host."""
    extra_goes_first: bool
    """Values in `extra` of a platform go before those beside it, also for `apply_yaml_config_fn`."""
    failed_children_told: bool
    """A delegated task whose requests fail counts as failed; before, as completed."""
    failed_looks_counted: bool
    """A response of middleware whose attributes cannot be listed counts as an attempt before that fails."""
    failed_register_rolled_back: bool
    """A plugin whose `register` raises leaves nothing registered."""
    failed_turns_closed: bool
    """A turn that leaves the user's message without an answer ends with a message of the host in the history, of the
    kind `failed_turn`."""
    failed_turns_reply: bool
    """A turn that fails has its error as the reply."""
    failing_policy_blocks: bool
    """A callback of `pre_tool_call` that raises blocks the tool; before, the tool ran."""
    failures_explained: bool
    """The reply of a turn that fails says what happened and what to do, and quotes the provider at the end."""
    failures_logged_once: bool
    """What a callback of a hook or middleware raises is logged once for each failure, with the names that it could
    take."""
    failures_reported: bool
    """Hooks see as failed what the agent loop counts as failed, and not only a result with a truthy `error`."""
    file_paths_told: bool
    """Tools that write files tell the whole path, which `pre_verify` gets; `read_file` numbers lines without
    padding."""
    files_explained: bool
    """The tools for files say more: that the file holds what was written, that it is empty or ends before the region,
    of which kind it is when it is not text, where the matches of an ambiguous text are, and in which white space a text
    differs."""
    files_forgotten_after_turns: bool
    """What a turn read and wrote is forgotten when it ends, so that the next one is not told that a subagent changed a
    file."""
    filtered_answers_reported: bool
    """An answer that the provider's content filter stopped ends the turn with an error; `api_request_error` fires."""
    foreground_arguments_checked: bool
    """The tool `terminal` refuses `notify` and `pty` for a command that does not run in the background."""
    foreign_directories_skipped: bool
    """Directories such as `__x__` and `.claude-plugin` are never plugins."""
    gateway_asks: bool
    """`HERMES_EXEC_ASK` is set in a gateway, which offers `cronjob` with the tools of the command line."""
    gateway_commands_in_threads: bool
    """A gateway runs the handler of a slash command in a thread unless it is a coroutine function."""
    gateway_commands_with_underscore: bool
    """A slash command whose name has an underscore can be used in the gateway."""
    gateway_housekeeping_aside: bool
    """`on_session_finalize` of a session that a user renews fires in a thread that is named `hermes-gateway-hk`."""
    gateway_messages_identified: bool
    """The message of a user of a chat carries the platform's id and who takes the turn."""
    gateway_messages_stamped: bool
    """What users wrote is told apart by when they did, in later turns of a chat."""
    gateway_notes_in_message: bool
    """What the gateway tells the model of a first message goes with the message; before, into the system prompt."""
    gateway_outlives_platforms: bool
    """A gateway runs on when no platform connects, and tries again later."""
    gateway_platforms_read: bool
    """`gateway.platforms.<name>` counts too."""
    gateway_skills_command: bool
    """A chat knows the command `/skills`."""
    gateway_threads_named: bool
    """Agents of a gateway take their turns in threads that are named `hermes-gateway`."""
    gateway_turns_stamped: bool
    """When a turn of a chat ends, hooks see when the user wrote."""
    generated_media_apart: bool
    """Images and videos that backends save are in `cache/generated` of the home; before, in `cache`."""
    grandfathers_on_start: bool
    """The first start after an upgrade enables the user plugins that were there before."""
    handlers_narrowed: bool
    """The handler of a tool gets the keyword arguments that it declares, and no others."""
    home_channel_of_config_counts: bool
    """A home channel that the configuration names is one; before, only one of the environment was."""
    home_model_providers_win: bool
    """A model provider of the home counts, and not one of the same name that code registers while the host runs."""
    hook_args_uncoerced: bool
    """Hooks around a tool call get the arguments as the model sent them."""
    hook_arguments_narrowed: bool
    """A callback of a hook gets the arguments that it declares; before, all of them, whether it takes them or not."""
    hook_counts_by_growth: bool
    """A hook that several plugins register counts for each of them, not for the first one alone."""
    hook_stops_at_first_block: bool
    """Callbacks of `pre_tool_call` after one that blocks are not called."""
    hooks_awaited: bool
    """Coroutines that callbacks of hooks return are awaited, and their values count."""
    hooks_bounded: bool
    """Callbacks of the hooks of a turn run on threads of their own, and have `plugins.hook_callback_timeout`
    seconds."""
    hooks_declared: bool
    """`hooks` in a manifest counts as `provides_hooks`."""
    identical_calls_noted: bool
    """The third equal call in a row with an equal result gets a note, and from the second on a reference stands for a
    long result."""
    identical_cycles_noted: bool
    """Up to four calls that repeat in a cycle get a note, and equal calls end the turn where hard stops are on."""
    idle_compressions_ignored: bool
    """A compression that changes nothing has no effect; earlier releases end the session and begin the next one."""
    image_backend_configured: bool
    """`image_generate` is offered with the backend that is configured only, and not with any."""
    image_backend_errors_told: bool
    """An exception of `is_available` of a backend for images reaches the registry of tools, which logs it."""
    image_controls: bool
    """A backend for images gets the creative controls that its capabilities list."""
    image_provider_by_default: bool
    """Image generation uses an available provider also when the configuration names none."""
    images_summarised: bool
    """A model that takes no images gets the summary of a multimodal result."""
    impostors_ignored: bool
    """A plugin whose name is the key of one of the host's own is ignored, unless its directory is named like that
    one's."""
    injected_context_replayed: bool
    """Context from `pre_llm_call` is stored and sent again on later turns."""
    interim_texts_anchored: bool
    """Adapters learn from the metadata which message a text beside tool calls belongs to, and send it as a reply to
    that."""
    interim_texts_marked: bool
    """Adapters learn from the metadata that a text beside tool calls is not an answer."""
    interim_texts_rarely_reply: bool
    """A text beside tool calls is sent as a reply on Buzz, Feishu, Mattermost and Slack only."""
    interim_texts_sent_once: bool
    """In a turn, a text that the model says again before it calls tools is not sent to the chat again."""
    interrupted_calls_closed: bool
    """A turn that is stopped after tool calls leaves an answer in the history."""
    judges_without_reasoning: bool
    """The model that judges a command is asked not to reason."""
    kept_reply_dropped_by_tools: bool
    """Calls of other tools drop a text that was kept as the reply beside calls of housekeeping tools."""
    kept_reply_in_history: bool
    """A text that was kept as the reply is in the history as an answer of its own."""
    keyless_providers_unconfigured: bool
    """A model provider that needs no key counts as none; before, as an unknown one."""
    known_tools_run_beside_unknown: bool
    """The calls of known tools run although the answer also calls a tool that does not exist."""
    last_reply_kept: bool
    """The host restores the last reply that a context engine drops from the history."""
    last_requests_complete: bool
    """A turn whose last allowed request is answered is complete."""
    ledger_in_own_module: bool
    """The class of registration handles is in the module `hermes_cli.plugins_ledger`."""
    libyaml: bool
    """Manifests are read with libyaml's loader, which words its errors in its own way."""
    line_endings_kept: bool
    """Tools that write files keep Windows line endings."""
    lines_counted: bool
    """The tool `read_file` counts a last line without an end, shows no empty line after the last one, and says whether
    a file is missing."""
    llm_async_logged: bool
    """Async calls of `ctx.llm` are logged as the sync ones are."""
    llm_auth_fallback: bool
    """A `ctx.llm` call that meets a status of 401 falls back to another provider."""
    llm_client_retries_off: bool
    """The client below `ctx.llm` sends each request once, where it sent up to three on 408, 409, 429 and 500 and
    above."""
    llm_cost_reported: bool
    """`usage.cost_usd` of a `ctx.llm` result holds a number when the provider reports one."""
    llm_fallback_configured: bool
    """A `ctx.llm` call falls back to no provider but those that the configuration names."""
    llm_first_error_raised: bool
    """A `ctx.llm` call raises the first error when the provider that it falls back to answers 401."""
    llm_foreign_models_dropped: bool
    """A `ctx.llm` call for a model of the form `vendor/model` asks for the configured model, unless that has such a
    name too."""
    llm_gate_literal: bool
    """The trust gate of `ctx.llm` takes only booleans as flags and compares models exactly."""
    llm_identity_applied: bool
    """`agent_id` and `profile` of a `ctx.llm` call choose whose model and credentials are used."""
    llm_max_tokens_dropped: bool
    """`max_tokens` of a `ctx.llm` call is not sent to the model."""
    llm_model_per_call: bool
    """A `ctx.llm` call that names no model asks for the configured one, whatever model an earlier call named."""
    llm_parameters_applied: bool
    """`max_tokens` reaches every provider, images go to a vision model, the timeout comes from the configuration."""
    llm_transient_retry: bool
    """A `ctx.llm` call that meets a status of 408 or 500 and above asks again."""
    llm_two_retries: bool
    """A `ctx.llm` call asks twice more after a passing error, or as often as `auxiliary.transient_retries` says."""
    llm_unavailable_told: bool
    """Without a provider `ctx.llm` raises `AuxiliaryClientUnavailable`, a kind of RuntimeError; before, RuntimeError
    itself."""
    loading_timed: bool
    """Import and `register` run on a thread of their own and have `plugins.load_timeout_seconds`; then the plugin
    fails."""
    logins_replaced: bool
    """A login of the dashboard replaces one of the same name."""
    long_commands_moved: bool
    """A command with a longer timeout than is allowed runs in the background."""
    long_results_saved_in_home: bool
    """Long results are saved in the home's `cache/spillover`, with or without a terminal."""
    loop_results_transformed: bool
    """`transform_tool_result` fires for tools of the agent loop too, after `post_tool_call`."""
    managed_scope: bool
    """A `config.yaml` in the directory that `HERMES_MANAGED_DIR` names overrides the user's, value by value."""
    manifest_fields_read: bool
    """The fields of manifests of version 2 are read, warned of and kept; plugins load after those that they require,
    else by key; entry points have the version, summary and kind that their package shows."""
    manifest_mapping_checked: bool
    """The warning about a manifest that is not a mapping says what it is instead."""
    manifest_version_two_installed: bool
    """`hermes plugins install` takes a manifest of version 2."""
    markup_cut_from_tool_names: bool
    """A tool name is cut at the first quote or angle bracket before a tool is looked for."""
    memory_batches: bool
    """The tool `memory` takes several operations at once, and tells a model to stop once it has written."""
    memory_cli_of_honcho: bool
    """The command of a memory provider may be the function `honcho_command`, whatever the provider is called."""
    memory_consolidates: bool
    """The tool `memory` shows its entries to a model that names none, and gives up on one that goes on."""
    memory_core_names_reserved: bool
    """A memory provider's tool is refused when one of the host's core tools has its name, offered or not."""
    memory_modules_by_source: bool
    """The name of a memory provider's module ends with a digest of its directory."""
    memory_namespace: bool
    """A user's memory provider may use `from . import module`, because the package above it is there."""
    memory_patched: bool
    """The tool `memory` needs a target, patches entries instead of replacing them, and is not offered when it is
    switched off."""
    memory_prefetch_in_session: bool
    """`prefetch` of a memory provider gets the id of the session; before, an empty text."""
    memory_prefetch_limited: bool
    """`prefetch` runs on a thread, and a turn waits for it no longer than 8 seconds."""
    memory_prompt_gated: bool
    """A memory provider whose tools are not offered adds nothing to the system prompt."""
    memory_provider_hooks_replaced: bool
    """The hooks of a memory provider are replaced when it registers again; before, they added up."""
    memory_providers_disabled: bool
    """A memory provider in `plugins.disabled` is not loaded."""
    memory_providers_installed: bool
    """A memory provider may be an entry point of an installed package."""
    memory_providers_register_all: bool
    """What a memory provider registers besides itself takes effect; before, it was ignored or an error."""
    memory_siblings_removed: bool
    """A module beside a memory provider that fails does not stay imported."""
    memory_skips_trivial_prompts: bool
    """A memory provider prefetches nothing for greetings, acknowledgements and slash commands."""
    memory_switched_aside: bool
    """Memory providers receive `/new` on their thread."""
    memory_told_authors: bool
    """`on_turn_start` of a memory provider says who wrote the message."""
    memory_tools_claimed_at_once: bool
    """A memory provider is asked for its tools once before it starts; before, twice."""
    memory_tools_gated: bool
    """The tools of a memory provider are offered with the toolset `memory` only."""
    memory_works_aside: bool
    """`sync_turn` and `queue_prefetch` run on a thread beside the turn."""
    memory_writes_checked: bool
    """A memory provider hears of writes that succeeded, of each in a batch, and of what was replaced or removed."""
    merged_messages_kept_apart: bool
    """Adjacent messages of the user become the first one, which lists the rows of the others; before, the last one."""
    messages_counted_as_sent: bool
    """The tokens of messages are estimated one by one, without what only the host keeps."""
    messages_counted_in_bytes: bool
    """The tokens of messages are estimated by their bytes, not by their characters."""
    messages_forgotten: bool
    """A `MessageDeduplicator` tells whether a message was seen without remembering it, and forgets one."""
    messages_identified: bool
    """Stored messages, and their tool calls, carry ids that they keep when they are read again."""
    messages_know_their_rows: bool
    """Stored messages of the history carry the number of their row in the session's database as `_row_id`."""
    messages_marked_stored: bool
    """Messages of the history carry `_db_persisted` once the session's database has them."""
    messages_timestamped: bool
    """Every message of the history has the time when it was added as `timestamp`."""
    middleware_chained: bool
    """Request middleware sees the payload as the middleware before it returned it; before, all saw the first."""
    middleware_exits_swallowed: bool
    """`sys.exit` in request middleware is a failure like others; before, it ended the host."""
    missing_connections_told: bool
    """A chat is told that the host cannot connect to the provider; before, that the provider failed."""
    missing_key_is_auth_error: bool
    """Without the key of a plugin's provider of models a turn fails with an AuthError that names all its variables;
    before, with a RuntimeError that names one."""
    missing_limits_untold: bool
    """The notice that a turn goes on tells no limit of requests if there is none."""
    missing_summaries_kept: bool
    """What the host says in the place of a summary stays in the history."""
    model_providers_lazy: bool
    """Model providers are imported at the first look-up of a provider, not by every command."""
    modify_directive: bool
    """`pre_tool_call` may return `{action: modify}` to change the arguments of a call."""
    modules_forgotten: bool
    """All modules of a plugin leave the process when its import fails, and before a rescan imports it again."""
    nameless_calls_named: bool
    """The history calls a tool without a name `invalid_tool_call`."""
    nameless_calls_sent_named: bool
    """Requests call a tool without a name `invalid_tool_call`, and the history leaves it without."""
    names_must_be_text: bool
    """An enabled plugin whose name YAML reads as a number stops discovery; before, it alone failed to load."""
    nested_coercion: bool
    """JSON text inside of lists and objects among a tool's arguments is repaired by the schema."""
    notes_forgotten_before_reply: bool
    """`post_llm_call` gets the message of a chat without the note of the host before it."""
    notes_replayed_at_once: bool
    """A message of a chat with a note of the host has `api_content` from the first request on; before, once the turn
    has ended."""
    notices_marked_interim: bool
    """Adapters learn from the metadata that a notice of a shutdown is not an answer."""
    null_sections_ignored: bool
    """A section that is null in a configuration leaves the section below it as it is."""
    old_configurations_refused: bool
    """A migration leaves a configuration with a version below 12 as it is."""
    old_folders_made: bool
    """The host makes `audio_cache`, `image_cache` and `pairing` in the home, and so keeps there what later goes
    elsewhere."""
    outages_waited_out: bool
    """After the last attempt the host waits for a provider that is overloaded, fails or does not answer, and makes all
    attempts once more, as often as `agent.auto_recovery_cycles` says."""
    outbound_webhooks: bool
    """`hooks.outbound` holds the webhooks that the host calls, and is not a hook."""
    override_gated: bool
    """`register_tool(override=True)` raises unless the configuration allows it for the plugin."""
    pager_replaced: bool
    """Commands of the tool `terminal` see `PAGER` and `GIT_PAGER`, set to `cat` if they are not set."""
    pages_cut: bool
    """`web_extract` cuts a long page and keeps all of it in a file; before, a model shortened it."""
    parallel_segments: bool
    """Neighbouring tools that only read run side by side also when the batch has others."""
    pending_results_noted: bool
    """The message after a turn that ended with results of tools tells the model to ignore them."""
    placeholder_keys_refused: bool
    """A key of a model provider with less than four characters, or one that examples use, counts as missing."""
    placeholders_replayed: bool
    """What stands for an answer that the user cut short is stored as `api_content`."""
    platform_checks_caught: bool
    """A `check_fn` that raises counts as one that returns False; before, the host went on to look for a built-in
    adapter."""
    platform_keys_in_extra: bool
    """Keys of a platform's block that mean nothing to the host are settings of its adapter."""
    platforms_by_gateway_config: bool
    """A channel is on when `gateway.platforms.<name>.enabled` says so, and not otherwise."""
    platforms_stay_off: bool
    """A platform of a plugin that the configuration turns off stays off."""
    plugin_approvals_identified: bool
    """The approval hooks get the ids of a call that a plugin wants approved; before, empty ones."""
    plugin_approvals_told: bool
    """At a terminal, too, the approval hooks fire for a call that a plugin wants approved."""
    plugin_skill_files: bool
    """The tool `skill_view` lists and shows the files beside a plugin's skill."""
    plugin_skill_sources_told: bool
    """The tool `skill_view` tells the file and the folder of a plugin's skill."""
    plugin_skills_listed: bool
    """The tool `skills_list` shows the skills of plugins."""
    plugins_isolated: bool
    """`plugins.isolation: host` runs plugins in a process of their own."""
    portable_plugins: bool
    """A directory with a `plugin.json` and no manifest in YAML is a portable plugin."""
    post_tool_call_on_block: bool
    """`post_tool_call` fires for blocked calls and for tools of the agent loop too."""
    profile_gets_base_url: bool
    """`build_api_kwargs_extras` of a provider of models is passed `base_url`."""
    profile_gets_cache_scope: bool
    """`build_api_kwargs_extras` of a provider of models is passed `cache_scope_id`."""
    progress_forgives_failures: bool
    """A change between equal calls that fail makes the next one count as the first, and some tools may fail as often as
    they like."""
    provider_errors_advise: bool
    """What a chat gets in the place of an error of the provider says which commands help, and counts limits before
    keys."""
    provider_errors_kept_from_chats: bool
    """Chats of all platforms, and not only of Telegram, get a sentence about the kind of an error in the place of the
    provider's."""
    provider_errors_summarised: bool
    """An error of the provider that ends a turn is told as `HTTP <status>: <message>`."""
    provider_tools_unwrapped: bool
    """Of the tools of a memory provider or context engine those without a name are passed over, and `type: function` is
    unwrapped."""
    questions_listed: bool
    """The tool `clarify` takes a list of questions, and `session_search` tells how to name a session."""
    rate_limits_redelivered: bool
    """No notice follows an answer that could not be sent because of too many messages."""
    reasoning_not_sent_back: bool
    """Requests to a custom provider leave out the reasoning of earlier answers, but not answers that are nothing
    else."""
    reasoning_sent_to_local_models: bool
    """Requests to a local model show the reasoning of earlier answers, as `reasoning` and as `reasoning_content`."""
    recovery_mark_not_sent: bool
    """The host's own mark on messages that help the model along stays out of requests."""
    refusals_are_no_failures: bool
    """A result that refuses a repeated call does not count as a failure of the tool."""
    refusals_streamed: bool
    """The message of a response that came as a stream has the model's refusal."""
    refusals_summarised: bool
    """The result of a command that a person did not approve has a summary for that person."""
    register_exit_contained: bool
    """A plugin whose `register` raises SystemExit is disabled, and the host goes on."""
    registers_once: bool
    """`register` runs once in a process, also when plugins are discovered again."""
    relay_plugins_refused: bool
    """The former plugins for NeMo Relay are refused."""
    repairs_told: bool
    """Tool calls of a response that came as a stream tell whether the host repaired their arguments."""
    replies_follow_corrections: bool
    """The reply of a turn that was redirected is a reply to the text that redirected it."""
    replies_may_be_muted: bool
    """After a turn, an event tells whether the reply was muted."""
    request_max_tokens: bool
    """Requests to a custom provider carry `max_tokens`."""
    request_reasoning_effort: bool
    """Requests ask for medium effort of reasoning."""
    required_always_listed: bool
    """Every object in the schema of a tool has a list `required`, if need be an empty one, and defaults are not
    schemas."""
    requires_env_gates: bool
    """A plugin with an unset variable of `requires_env` is disabled with a message that names it."""
    requires_hermes_gates: bool
    """A plugin whose `requires_hermes` excludes the release is not loaded."""
    requires_hermes_gates_installer: bool
    """`hermes plugins install` refuses a plugin that requires another release."""
    rescan_undoes: bool
    """A forced rescan undoes every registration, the latest first, before it loads the plugins anew."""
    restored_messages_marked: bool
    """Messages that a gateway reads from its database carry `_db_persisted` from the start."""
    restored_tool_messages_marked: bool
    """Tool calls and their results carry `_db_persisted` from the start when a gateway reads them from its database."""
    result_sizes_scaled: bool
    """How long a result may be depends on the context of the model."""
    retired_expiry_told: bool
    """A gateway warns of a configuration that lets sessions expire, which none does any more without a plugin."""
    retries_told_at_the_end: bool
    """Messages to a chat about repeated requests are held until the turn fails."""
    safe_mode: bool
    """`HERMES_SAFE_MODE` keeps every plugin from being discovered."""
    saved_results_unwrapped: bool
    """Of a long result that is a JSON object with a text under `result`, the text is saved and previewed."""
    schedulers_exclusive: bool
    """The words for schedulers and computer use in its source make a plugin exclusive, as those for memory do."""
    schema_ref_default_dropped: bool
    """A tool schema loses `default` where it stands beside `$ref`."""
    schema_type_unions: bool
    """A tool schema keeps a list of several types as `anyOf`, not just the first one."""
    schema_version_from_file: bool
    """A `config.yaml` without `_config_version`, or with one that is not a number, is migrated as an old one."""
    search_paths_absolute: bool
    """The tool `search_files` tells absolute paths of the files in which it finds text."""
    search_results_grouped: bool
    """Many matches of the tool `search_files` are told as text that names each file once."""
    searches_listed: bool
    """The tool `tool_search` takes several searches at once, and `tool_describe` several names."""
    secret_scope_overlays: bool
    """A secret that a scope lacks is looked up in the environment of the process."""
    secrets_unreadable: bool
    """The tool `read_file` reads no file that holds credentials."""
    server_errors_repeated: bool
    """A streamed request that ends with a server error is repeated at once without a stream, at most once a minute;
    hooks see neither error if that succeeds."""
    session_approvals_offered: bool
    """`send_exec_approval` gets `allow_session`."""
    session_end_always: bool
    """`on_session_end` fires at the end of every run, also when the model's API failed for good."""
    session_ids_of_new_agents: bool
    """In a chat, `get_session_env` tells the id of a session in its first turn only; before, in every turn."""
    session_reset_gateway_only: bool
    """`on_session_reset` fires in the gateway alone."""
    session_search_detail: bool
    """The tool `session_search` takes a level of detail, and tells it."""
    session_search_finds_itself: bool
    """The tool `session_search` finds the session that asks, and leaves it out."""
    session_search_modes: bool
    """The tool `session_search` names its mode."""
    sessions_finalised_in_thread: bool
    """`on_session_finalize` of a session that a user renews fires in a thread; before, on the gateway's loop."""
    settings_edited_in_place: bool
    """`set_config` changes one place of `config.yaml`; before, it writes the file anew."""
    setup_saves_variables: bool
    """`hermes memory setup` writes variables as `save_env_value` does, and skips those that nobody may set."""
    shell_hook_output_replaced: bool
    """Output of a shell hook that is not UTF-8 is read with replacements; before, the command had failed."""
    shell_hook_status_fails_closed: bool
    """With `fail_closed`, any other exit status but 0 blocks too, when the command prints no answer."""
    shell_hooks_approve: bool
    """A shell hook of `pre_tool_call` may have the user asked about a call."""
    shell_hooks_fail_closed: bool
    """A shell hook of `pre_tool_call` blocks by the exit status 2, and by failing with `fail_closed`."""
    shell_hooks_modify: bool
    """A shell hook of `pre_tool_call` may change the arguments of a call."""
    shell_hooks_safe_mode: bool
    """`HERMES_SAFE_MODE` keeps shell hooks from being registered."""
    shell_hooks_told_profile: bool
    """A shell hook reads the name of the profile that it runs for."""
    short_contexts_explained: bool
    """The error about a model whose context is too short says what to change about its server."""
    silent_skill_commands_told: bool
    """A command in a skill that fails without output leaves a note in the text."""
    single_tasks_listed: bool
    """The tool `delegate_task` takes a list with a single task."""
    skill_copies_resolved: bool
    """Skills of the home with the same name are listed with their paths, the home's own folder comes before others, and
    identical copies count as one."""
    skill_files_owned: bool
    """A Markdown file below the folder of a skill is not a skill."""
    skill_mark_dropped: bool
    """The front matter of a skill counts also when a byte order mark stands before it."""
    skill_names_in_front_matter: bool
    """A skill of the home is also found by the name in its front matter, and its linked files are not skills."""
    skill_output_elided: bool
    """Long output of a command in a skill is cut with a count of the characters that are missing."""
    skill_path_checked: bool
    """A skill name that looks like a Windows drive is refused, so a plugin of one letter has no reachable skill."""
    skill_paths_converted: bool
    """A skill may be registered with its path as a text."""
    skill_provenance_told: bool
    """The tool `skill_view` tells which organisation shares a skill of the home."""
    skill_uses_told: bool
    """`on_skill_lifecycle` fires when `skill_view` shows a skill."""
    skill_views_remembered: bool
    """The tool `skill_view` names the file that it shows, and shows it once in a conversation while it stays the
    same."""
    skills_decoded_leniently: bool
    """The text of a skill is shown without its byte order mark, and bytes that are not UTF-8 are replaced."""
    skills_folder_made: bool
    """The host has made the home's folder of skills by the time a skill is looked up in it."""
    smart_approvals_told: bool
    """Hooks receive the model that judges a command, and the user may overrule it."""
    spaced_variables_replaced: bool
    """`save_env_value` replaces the first line that sets a variable also where there are spaces around its name."""
    speech_backend_counts: bool
    """`text_to_speech` is offered with the backend of a plugin."""
    speech_files_spared: bool
    """A file that exists is replaced when all is spoken; before, the backend wrote to it."""
    speech_in_parts: bool
    """`text_to_speech` speaks a long text in parts instead of cutting it, and reports the files of all of them."""
    speech_scripted: bool
    """`prepare_tts_text` spells out symbols and units; before, it only dropped markup."""
    stopped_approvals_withdrawn: bool
    """A question about a command counts as withdrawn when its turn is stopped; before, as denied."""
    stopped_turns_incomplete: bool
    """A turn that the user stops while the model answers is not complete."""
    stream_hooks_in_context: bool
    """`get_session_env` tells the callbacks of a streamed answer about the chat."""
    streams_identified: bool
    """A response that came as a stream has the provider's id, and names the provider behind the provider."""
    subagent_platform: bool
    """The session of a delegated task runs on the platform `subagent`, not on that of its parent."""
    subagent_stop_on_parent_thread: bool
    """`subagent_stop` fires on the parent's thread, after all children are done."""
    summaries_offer_tools: bool
    """The request for a summary, when a turn has no requests left, offers the tools of the turn."""
    summary_requests_sent_once: bool
    """A request for a summary at the limit of iterations is sent once; before, it is repeated twice after errors of the
    server."""
    task_defaults_unpacked: bool
    """Defaults of an auxiliary task that are not a mapping are a TypeError; before, an AttributeError."""
    terminal_directory_per_task: bool
    """The tool `terminal` begins each turn where the host was started."""
    terminal_keeps_directory: bool
    """The tool `terminal` begins where its last command ended."""
    terminal_output_bounded: bool
    """Output of a command is cut while it is read, so `transform_terminal_output` gets no more than is shown."""
    thoughts_left_out: bool
    """Answers of thoughts alone are not sent back to the model."""
    thoughts_quoted: bool
    """A turn in which the model only thinks ends with its last thoughts as the reply."""
    thoughts_told: bool
    """Reasoning within the text of an answer is shown as `reasoning_content` too."""
    timeouts_repeated: bool
    """A request that the provider answered with status 408 is sent again."""
    todo_items_checked: bool
    """`todo` takes a list that is written as JSON, and tasks that are not objects."""
    todo_lists_bounded: bool
    """`todo` keeps 256 tasks, of 4000 characters each."""
    tool_error_prefix: bool
    """An exception of a tool's handler reaches the model with the prefix `[TOOL_ERROR]`."""
    tool_errors_bounded: bool
    """An error in the result of a tool is cut after 2048 characters, also one that the handler wrote itself."""
    tool_messages_named: bool
    """A tool's message in the history names its tool as `tool_name` too."""
    tool_output_risk: bool
    """The history notes the risk of results that come from the web."""
    tool_result_contract: bool
    """A handler's result that is neither text nor multimodal becomes an error."""
    tool_results_sent_nameless: bool
    """Requests leave the tool's name out of messages with results."""
    tool_schemas_checked: bool
    """Registering a tool raises a ValueError when its schema, or the `parameters` in it, is no dict."""
    tool_search: bool
    """Tools of plugins may be put aside, for the model to find when it wants them."""
    tools_always_deferred: bool
    """Tools of plugins are put aside, unless `tools.tool_search` says otherwise; before, when they took much of the
    context."""
    tools_by_home: bool
    """Tools of plugins are kept for each home, before the host's own of the same name; one that the host registered
    first is replaced with `override` only."""
    tools_checked_within_middleware: bool
    """In a turn `pre_tool_call` fires within `tool_execution` middleware, and `post_tool_call` after it."""
    tools_counted_by_content: bool
    """The tokens of tools are estimated by their names, descriptions and parameters, not by their definitions as
    text."""
    transformed_reply_kept: bool
    """The history holds the reply as `transform_llm_output` changed it."""
    turn_call_ids: bool
    """`pre_tool_call` in a turn is told the session and the id of the call."""
    turns_redirected: bool
    """A text that a user writes while the model answers redirects the turn; before, it ended the turn and began
    another."""
    typing_paused_before_replies: bool
    """Adapters end the typing indicator before the reply of a turn is sent."""
    unattended_turns_stopped: bool
    """In the chats of a gateway, calls that fail too often end the turn by default."""
    unchanged_files_quoted: bool
    """Where a reply ends with the files that could not be changed, all paths are in backticks."""
    uncompressed_length_told: bool
    """The host warns of a request that is longer than the context if compression is off."""
    unseen_files_kept: bool
    """The tool `write_file` refuses to replace a file that the model has not read as it is; before, it warned of
    that."""
    unsent_approvals_told: bool
    """`post_approval_response` fires with `notify_failed` for a question that could not be sent."""
    unsuccessful_results_counted: bool
    """A result with `success: false` and a message counts when a tool fails again and again in a turn."""
    untrusted_defused: bool
    """A framed result cannot close its frame, and parts of a multimodal one are framed too."""
    untrusted_framed: bool
    """Results of tools that read the web are framed as data."""
    unusable_calls_closed: bool
    """A turn that ends after tool calls for want of a usable one has its error as the last message of the history."""
    unused_results_kept: bool
    """Results of tools stay in the history although the model said nothing about them."""
    unversioned_left_alone: bool
    """A migration enables no plugins of a home whose configuration has no version."""
    upstream_provider_told: bool
    """`post_api_request` is told the provider behind the provider."""
    usage_anchored: bool
    """The length of a request is what the provider counted for the last one and an estimate of what followed; no engine
    is then asked to wait."""
    usage_awaited_after_compression: bool
    """After a compression, `last_prompt_tokens` of a context engine is -1 until the provider counts; before, an
    estimate."""
    useless_compressions_end: bool
    """A compression that leaves a request over the threshold, and nearly as long, is the last one before a request of
    its turn."""
    user_memory_providers_first: bool
    """A memory provider in `plugins/memory/<name>/` of the home replaces a bundled one."""
    user_message_stored_first: bool
    """The user's message is stored before `pre_llm_call` fires."""
    verify_nudges_dropped: bool
    """What `pre_verify` made the model do leaves no messages in the history."""
    video_backend_available: bool
    """Without a backend in `video_gen.provider` the only one that is available is asked, and no other for one that
    nobody registered."""
    video_edits_refused: bool
    """`video_generate` refuses a call with `operation` or `video_url`."""
    video_models_configured: bool
    """`video_generate` ignores a `model` in the call."""
    video_seeds: bool
    """The capabilities of a backend for videos say whether it takes a seed and whether it upscales."""
    web_backends_of_plugins: bool
    """`web_search` and `web_extract` are offered with the backend of a plugin, and the configuration may name it for
    one of the two."""
    web_extract_deadline: bool
    """A backend has 120 seconds to read pages, or as many as `web.extract_timeout` says."""
    web_items_checked: bool
    """`web_extract` takes search results for addresses, and answers for those that it does not read in their place."""
    web_rescued: bool
    """When a backend for the web fails, the host asks free public services instead."""
    web_results_kept: bool
    """Searches ask a backend for at least ten results, and they and pages are kept for 20 minutes."""
    web_selection_strict: bool
    """The backend for the web that is configured is asked even if it is not available, and one that nobody registered
    is an error."""
    withdrawn_plugins_refused: bool
    """A plugin that the catalogue has withdrawn is refused."""
    workdir_transient: bool
    """A command with a `workdir` of its own does not change where the next one begins."""
    yaml_errors_numbered: bool
    """Errors in a manifest show the line of the file, and its number; those in the configuration say what to do, and a
    copy goes to the folder of backups."""
    yaml_read_by_libyaml: bool
    """The tools for files word what is wrong with YAML as libyaml does."""
    yes_no_default_at_end: bool
    """A question of `hermes_cli.setup.prompt_yes_no` without an answer gets its default; before, it ended the
    program."""
