"""Cases that run again with the default configuration of Hermes, in which models find plugin tools through tool search."""

from dataclasses import replace

from conformance import (
    cases_backend_choice,
    cases_builtin_memory,
    cases_builtin_results,
    cases_calls,
    cases_context_engines,
    cases_delivery,
    cases_failed_turns,
    cases_gateway_approvals,
    cases_gateway_compression,
    cases_gateway_corrections,
    cases_gateway_hooks,
    cases_gateway_sessions,
    cases_gateway_turns,
    cases_llm,
    cases_model_errors,
    cases_odd_plugins,
    cases_redaction,
    cases_repaired_answers,
    cases_session_variables,
    cases_shell_hook_turns,
    cases_toolsets,
    cases_turns,
)
from conformance.case import CASES

NAMES = {
    cases_backend_choice: ("an_image_is_generated_in_a_turn",),
    cases_builtin_memory: ("todos_are_stored_and_nobody_answers_clarify",),
    cases_builtin_results: (
        "warnings_about_equal_calls_can_be_disabled",
        "repeated_equal_calls_are_pointed_out",
        "untrusted_results_are_framed",
    ),
    cases_calls: ("an_exception_whose_str_raises_is_reported_in_a_turn",),
    cases_context_engines: (
        "a_memory_provider_without_its_toolset_sees_each_turn",
        "a_delegated_task_calls_the_tools_of_its_engine",
    ),
    cases_delivery: ("stored_messages_have_ids",),
    cases_failed_turns: (
        "a_first_request_over_the_size_limit_fails_the_turn",
        "an_unknown_model_fails_the_turn",
        "a_conversation_continues_after_an_interruption_and_an_error",
    ),
    cases_gateway_approvals: (
        "an_adapter_replaces_the_markup_of_an_approval_prompt",
        "help_is_answered_during_a_turn",
    ),
    cases_gateway_compression: ("a_chat_is_notified_once_why_its_context_is_not_compressed",),
    cases_gateway_corrections: ("another_user_corrects_a_turn_of_a_shared_session",),
    cases_gateway_hooks: ("events_have_contexts",),
    cases_gateway_sessions: ("the_agent_of_a_chat_is_rebuilt_when_tools_change",),
    cases_gateway_turns: (
        "a_text_beside_housekeeping_is_the_reply",
        "stored_messages_of_a_chat_have_ids",
        "a_chat_answers_two_messages_with_a_tool_call",
    ),
    cases_llm: ("plugins_observe_the_turn_of_an_auxiliary_request",),
    cases_model_errors: ("middleware_answers_a_call_with_a_number",),
    cases_odd_plugins: ("a_type_name_as_the_schema_of_an_argument_is_accepted",),
    cases_redaction: (
        "a_memory_provider_receives_no_secrets",
        "the_error_of_a_turn_is_masked",
    ),
    cases_repaired_answers: (
        "a_truncated_answer_continues_with_nothing",
        "invalid_names_of_tool_calls_are_repaired",
        "parts_of_a_continued_answer_are_joined",
    ),
    cases_session_variables: ("code_in_a_chat_sees_its_session",),
    cases_shell_hook_turns: (
        "a_shell_hook_blocks_a_call_in_a_turn",
        "a_turn_continues_when_a_shell_hook_fails",
    ),
    cases_toolsets: ("vision_tools_are_chosen_for_a_model_without_vision",),
    cases_turns: (
        "a_former_name_refers_to_a_built_in_tool_in_a_turn",
        "hooks_fire_for_a_new_session",
        "a_new_session_can_start_before_the_first_message",
        "a_new_session_offers_the_tools_of_the_previous_one",
        "a_request_for_a_summary_omits_earlier_reasoning",
        "repeated_failures_of_a_tool_are_pointed_out",
        "a_turn_is_stopped_by_the_user_after_a_tool_call",
        "a_truncated_answer_is_continued",
        "arguments_that_are_almost_json_are_repaired",
        "tool_calls_of_one_answer_run_one_after_another",
        "plugin_tools_are_offered_beside_selected_toolsets",
        "hooks_fire_at_the_end_of_a_session",
        "a_turn_over_the_request_limit_ends_with_a_summary",
        "post_api_request_receives_usage",
    ),
}
"""Names of cases by module."""

CASES += [
    replace(one, name=f"{one.name}_with_tool_search", defaults=True, since="0.20.2")
    for module, names in NAMES.items()
    for one in CASES
    if one.act.__module__ == module.__name__ and one.name in names
]
