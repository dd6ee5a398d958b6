"""Cases of D16, D17, D36 and D37: the history and the reply of failed turns."""

from conformance.case import case
from conformance.cases_turns import TOOL, answering_plugin, listening_plugin
from conformance.conversations import converse

from hermes_sdk.llm import call, fail, interrupt, say


@case("D17", one=listening_plugin("api_request_error", "post_api_request"))
def the_last_error_of_a_retried_request_counts(host):
    host.llm.script(fail(500, "boom"), fail(400, "no"), fail(502, "boom"), say("done"))
    return converse(host, "hello", "again") if host.release == "0.22.2" else converse(host, "hello")


@case("D37", one=listening_plugin("api_request_error"), releases=["0.22.2"])
def a_lasting_outage_fails_the_turn(host):
    host.llm.script(*[fail(503, "boom")] * (1 + 3 * 6), say("done"))
    return converse(host, "hello", "again")


@case("D37", one=listening_plugin("api_request_error", "on_session_end"))
def an_error_after_a_tool_call_fails_the_turn(host):
    host.llm.script(call("ask", n=1), fail(401, "no"), say("done"), fail(422, "no"), say("more"))
    return converse(host, "hello", "again", "and", "more")


@case("D37", one=listening_plugin("on_session_end"))
def a_conversation_continues_after_an_interruption_and_an_error(host):
    host.llm.script(interrupt(), fail(400, "no"), say("done"))
    return converse(host, "hello", "again", "more")


@case("D16", one=listening_plugin("post_tool_call", "on_session_end"))
def a_call_that_stays_truncated_fails_the_turn(host):
    cut_off = say("", call("tell", n=2), finish_reason="length")
    host.llm.script(*[cut_off] * 5, call("ask", n=1), *[cut_off] * 5, say("done"))
    return converse(host, "hello", "again", "more")


@case("D17", one=listening_plugin("api_request_error"))
def a_declined_answer_without_text_fails_the_turn(host):
    host.llm.script(say("", finish_reason="content_filter"), say("done"))
    return converse(host, "hello", "again")


@case("D36", one=answering_plugin("transform_llm_output", "A sentence that a plugin says instead."))
def a_plugin_replaces_an_empty_answer(host):
    host.llm.script(*[say("")] * 4, say("done"))
    return converse(host, "hello", "again")


@case("D36", one=answering_plugin("transform_llm_output", "short"))
def a_plugin_replaces_an_empty_answer_with_a_word(host):
    host.llm.script(*[say("")] * 4, say("done"))
    return converse(host, "hello", "again")


@case(
    "D17",
    one=TOOL + '    ctx.register_middleware("llm_execution", lambda **kwargs: None)\n',
)
def a_turn_fails_when_middleware_returns_none(host):
    return converse(host, "hello", "again")


LISTED = '    ctx.register_middleware("llm_execution", lambda **kwargs: ["answer"])\n'


@case("D17", one=listening_plugin("api_request_error") + LISTED)
def a_turn_fails_when_middleware_returns_a_list(host):
    return converse(host, "hello", "again")


@case("D17", one=listening_plugin("api_request_error"))
def an_unknown_model_fails_the_turn(host):
    host.llm.script(fail(400, "No such model"), fail(404, "the model does not exist"), say("done"))
    return converse(host, "hello", "again", "more")


@case("D17", one=listening_plugin("api_request_error"))
def a_first_request_over_the_size_limit_fails_the_turn(host):
    host.llm.script(fail(413), say("done"))
    return converse(host, "hello", "again")


@case("D16", one=listening_plugin("on_session_end"))
def unknown_tools_fail_the_turn_despite_an_empty_answer_between(host):
    host.llm.script(call("absent"), call("absent"), say(""), call("absent"), say("done"))
    return converse(host, "hello", "again")
