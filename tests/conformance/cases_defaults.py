"""Cases that run once more in Hermes' own configuration, in which models find tools of plugins through tool search."""

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
    cases_backend_choice: ("an_image_is_drawn_in_a_turn",),
    cases_builtin_memory: ("tasks_are_kept_and_nobody_else_is_there",),
    cases_builtin_results: (
        "equal_calls_are_not_pointed_out_where_that_is_switched_off",
        "equal_calls_are_pointed_out",
        "what_comes_from_outside_is_framed",
    ),
    cases_calls: ("an_error_that_cannot_be_shown_in_a_turn",),
    cases_context_engines: (
        "a_provider_without_its_toolset_in_numbered_turns",
        "the_tools_of_the_engine_of_a_delegated_task",
    ),
    cases_delivery: ("messages_are_identified_once_they_are_stored",),
    cases_failed_turns: (
        "a_first_request_that_is_too_large",
        "a_model_that_the_provider_does_not_have",
        "an_interruption_and_an_error_one_after_the_other",
    ),
    cases_gateway_approvals: (
        "an_adapter_replaces_the_markup_of_an_approval_prompt",
        "help_during_a_turn",
    ),
    cases_gateway_compression: ("a_chat_is_told_once_why_its_context_is_not_compressed",),
    cases_gateway_corrections: ("a_turn_of_a_shared_session_is_corrected_by_somebody_else",),
    cases_gateway_hooks: ("events_and_their_contexts",),
    cases_gateway_sessions: ("an_agent_of_a_chat_is_made_anew_when_tools_change",),
    cases_gateway_turns: (
        "a_text_beside_housekeeping_is_the_reply",
        "messages_of_a_chat_are_identified_once_they_are_stored",
        "two_messages_with_a_tool_call",
    ),
    cases_llm: ("they_learn_of_the_turn_around_it",),
    cases_model_errors: ("middleware_answers_a_call_with_a_number",),
    cases_odd_plugins: ("a_schema_that_is_a_type_in_the_place_of_an_argument",),
    cases_redaction: (
        "a_memory_provider_gets_no_secrets",
        "the_error_of_a_turn_is_masked",
    ),
    cases_repaired_answers: (
        "an_answer_that_was_cut_off_goes_on_with_nothing",
        "names_of_calls_that_providers_reject",
        "parts_of_an_answer_touch",
    ),
    cases_session_variables: ("code_of_a_chat_knows_its_session",),
    cases_shell_hook_turns: (
        "a_block_in_a_turn",
        "a_turn_goes_on_without_a_command_that_fails",
    ),
    cases_toolsets: ("images_for_a_model_that_reads_text_only",),
    cases_turns: (
        "a_former_name_stands_for_a_builtin_tool_in_a_turn",
        "a_new_session",
        "a_new_session_before_anything_was_said",
        "a_new_session_offers_the_tools_of_the_one_before",
        "a_request_for_a_summary_has_no_earlier_reasoning",
        "a_tool_that_fails_again_and_again",
        "a_turn_that_the_user_stops_after_a_tool",
        "an_answer_that_was_cut_off_is_continued",
        "arguments_that_are_nearly_json_are_put_right",
        "calls_of_one_answer_run_one_after_another",
        "plugin_tools_are_offered_beside_those_that_are_chosen",
        "the_end_of_a_session",
        "too_many_requests_in_a_turn",
        "usage_is_told",
    ),
}
"""Module -> the names of its cases."""

CASES += [
    replace(one, name=f"{one.name}_by_default", defaults=True, since="0.20.2")
    for module, names in NAMES.items()
    for one in CASES
    if one.act.__module__ == module.__name__ and one.name in names
]
