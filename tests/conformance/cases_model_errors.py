"""Cases of D17 and C32: exceptions that end a request, including those of middleware."""

import json

from conformance.case import case
from conformance.cases_turns import TOOL, listening_plugin
from conformance.conversations import converse

from hermes_sdk.llm import Answer, call, fail, say

HEAD = """
import json, ssl

SEEN = []

class Unusual(Exception): pass
class OfOurs(ValueError): pass
class APITimeoutError(Exception): pass
class RateLimitError(Exception): pass

def listen(ctx):
    def note(**keywords):
        names = ("status_code", "reason", "retryable", "retry_count", "error")
        SEEN.append([keywords[name] for name in names])
    ctx.register_hook("api_request_error", note)
    ctx.register_command("seen", lambda arguments: json.dumps(SEEN))
"""

RAISING = (
    HEAD
    + """
KINDS = [
    RuntimeError, ValueError, TypeError, OSError, TimeoutError, KeyError, ssl.SSLError,
    Unusual, OfOurs, APITimeoutError, RateLimitError,
]

def replace(request, next_call, **keywords):
    name, status, text = json.loads(request["messages"][-1]["content"])
    try:
        return next_call()
    except Exception:
        pass
    error = next(kind for kind in KINDS if kind.__name__ == name)(text)
    if status:
        error.status_code = status
    raise error

def register(ctx):
    listen(ctx)
    ctx.register_middleware("llm_execution", replace)
"""
)

WAITLESS = {"agent": {"auto_recovery_cycles": 0}}


def _replace_errors(host, *errors: tuple[str, int | None, str]):
    """Yield the results of turns in which middleware raises errors with a class, status and text."""
    for error in errors:
        host.llm.script(*[fail(400, "no")] * 6)
        turn = host.chat(json.dumps(error))
        yield [turn.reply, turn.error, len(host.llm.requests)]
        host.command("/new")
        host.llm.script()


def _read_notes(host):
    return json.loads(host.command("/seen"))


@case("D17", one=RAISING, config=WAITLESS)
def the_class_of_a_middleware_error_determines_its_reason(host):
    names = ("RuntimeError", "KeyError", "OSError", "TimeoutError", "SSLError", "Unusual", "APITimeoutError")
    return [*_replace_errors(host, *[(name, None, "no") for name in (*names, "RateLimitError")]), _read_notes(host)]


@case("D17", one=RAISING, config=WAITLESS)
def middleware_errors_are_classified_as_programming_errors(host):
    texts = [("ValueError", "no"), ("OfOurs", "overloaded"), ("TypeError", "no")]
    texts += [("TypeError", "'NoneType' object is not iterable")]
    return [*_replace_errors(host, *[(name, None, text) for name, text in texts]), _read_notes(host)]


@case("D17", one=RAISING, config=WAITLESS)
def the_text_of_an_error_without_a_status_determines_its_reason(host):
    texts = (
        "The server is overloaded",
        "at capacity",
        "rate limit reached, please try again in 20s",
        "invalid api key",
        "no such model",
        "payment required",
        "the request timed out",
        "the provider returned an empty response",
        "something else",
        "",
    )
    return [*_replace_errors(host, *[("RuntimeError", None, text) for text in texts]), _read_notes(host)]


@case("D17", one=RAISING, config=WAITLESS)
def an_error_without_a_text_leaves_none_in_the_history(host):
    host.llm.script(*[fail(400, "no")] * 6)
    turn = host.chat(json.dumps(("RuntimeError", None, "")))
    return [message.get("display_metadata") for message in turn.messages]


@case("D17", one=RAISING, config=WAITLESS)
def the_status_of_a_middleware_error_determines_its_reason(host):
    statuses = (400, 401, 402, 403, 404, 408, 413, 418, 422, 429, 500, 502, 503, 504, 529, 200, 700)
    return [*_replace_errors(host, *[("Unusual", status, "no") for status in statuses]), _read_notes(host)]


@case("D17", one=RAISING, config=WAITLESS)
def the_text_of_an_error_with_a_status_refines_its_reason(host):
    errors = (
        (429, "overloaded"),
        (500, "overloaded"),
        (500, "unknown parameter: x"),
        (400, "overloaded"),
        (400, "rate limit"),
        (400, "payment required"),
        (403, "credit balance"),
        (404, "does not exist"),
        (503, "empty response stream"),
    )
    return [*_replace_errors(host, *[("Unusual", *error) for error in errors]), _read_notes(host)]


@case("D17", one=listening_plugin("api_request_error"), config=WAITLESS)
def an_overloaded_provider_is_recognised(host):
    # Later releases retry the first server error without streaming.
    repeated = [fail(500, "overloaded")] if host.release == "0.22.2" else []
    host.llm.script(fail(429, "Overloaded"), *repeated, fail(500, "overloaded"), say("done"), fail(400, "overloaded"))
    return converse(host, "hello", "again")


def _wrapping_plugin(*bodies: str) -> str:
    """Return a plugin with middleware of these bodies, outermost first."""
    functions = "".join(f"\ndef wrap{number}(next_call, **keywords):\n{body}" for number, body in enumerate(bodies))
    names = ", ".join(f"wrap{number}" for number in range(len(bodies)))
    register = f"""
def register(ctx):
    listen(ctx)
    for callback in ({names},):
        ctx.register_middleware("llm_execution", callback)
"""
    return HEAD + functions + register


REPLACE = """
    try:
        return next_call()
    except Exception as error:
        raise RuntimeError(f"gave up: {type(error).__name__}: {error}")%s
"""


def _fail_requests(host, *answers: Answer):
    host.llm.script(*answers, say("done"), say("more"))
    return [converse(host, "hello", "again"), _read_notes(host)]


@case("C32", one=_wrapping_plugin(REPLACE % ""), config=WAITLESS)
def middleware_replaces_an_error_of_the_provider(host):
    return _fail_requests(host, fail(401, "bad key"), fail(429, "slow down"))


@case("C32", one=_wrapping_plugin(REPLACE % " from None"), config=WAITLESS)
def middleware_replaces_an_error_and_hides_it(host):
    return _fail_requests(host, fail(401, "bad key"), fail(429, "slow down"))


@case("C32", one=_wrapping_plugin(REPLACE % " from OSError('because')"), config=WAITLESS)
def middleware_replaces_an_error_and_names_another_cause(host):
    return _fail_requests(host, fail(401, "bad key"), fail(429, "slow down"))


@case("C32", one=_wrapping_plugin(REPLACE % "", REPLACE % ""), config=WAITLESS)
def two_layers_of_middleware_replace_an_error(host):
    return _fail_requests(host, fail(401, "bad key"), fail(404, "lost"), fail(404, "lost"))


@case("C32", one=_wrapping_plugin(REPLACE % "", REPLACE % "", REPLACE % ""), config=WAITLESS)
def three_layers_of_middleware_replace_an_error(host):
    return _fail_requests(host, fail(401, "bad key"))


AGAIN = """
    try:
        return next_call()
    except Exception:
        return next_call()
"""
AGAIN_LATER = """
    for attempt in range(3):
        try:
            return next_call()
        except Exception as error:
            last = error
    raise last
"""
LATER = """
    failed = False
    try:
        return next_call()
    except Exception:
        failed = True
    if failed:
        return next_call()
"""


@case("C32", one=_wrapping_plugin(AGAIN), config=WAITLESS)
def middleware_calls_the_next_layer_again_after_an_error(host):
    return _fail_requests(host, fail(401, "bad key"), fail(429, "slow down"))


@case("C32", one=_wrapping_plugin(AGAIN_LATER), config=WAITLESS)
def middleware_repeats_a_request_in_a_loop(host):
    return _fail_requests(host, fail(401, "bad key"), fail(429, "slow down"))


@case("C32", one=_wrapping_plugin(LATER), config=WAITLESS)
def middleware_calls_the_next_layer_again_after_handling_an_error(host):
    return _fail_requests(host, fail(401, "bad key"), fail(429, "slow down"))


CARRIED = """
    try:
        return next_call()
    except Exception as error:
        raise error.original
"""
KEPT = """
    try:
        return next_call()
    except Exception as error:
        kept = error.original
    replaced = Unusual(f"status {kept.status_code}: {kept.body} {kept.message}")
    replaced.status = kept.status_code
    replaced.body = {"message": "in the body"}
    raise replaced
"""


@case("C32", one=_wrapping_plugin(CARRIED), config=WAITLESS)
def middleware_raises_the_error_itself(host):
    return _fail_requests(host, fail(401, "bad key"), fail(429, "slow down"))


@case("C32", one=_wrapping_plugin(KEPT), config=WAITLESS)
def middleware_raises_an_error_with_a_status_and_a_body(host):
    return _fail_requests(host, fail(401, "bad key"), fail(429, "slow down"))


CLASSIFYING = """
def register(ctx):
    listen(ctx)
    ctx.register_middleware("llm_execution", wrap0)
    def classify(**keywords):
        keywords.pop("error"), keywords.pop("approx_tokens")
        SEEN.append(sorted(keywords.items()))
        return {"reason": "rate_limit"} if "slow" in keywords["error_message"] else None
    ctx.register_hook("transform_api_error_classification", classify)
"""


@case("N50", one=_wrapping_plugin(REPLACE % "") + CLASSIFYING, config=WAITLESS, since="0.20.2")
def a_plugin_classifies_an_error_replaced_by_middleware(host):
    host.llm.script(fail(401, "bad key"), fail(400, "slow down"), say("done"))
    return [host.chat("hello").reply, host.chat("again").reply, _read_notes(host)]


@case("D17", one=RAISING, config=WAITLESS, refused="recover from a request that failed with 'too many tokens'")
def a_middleware_error_reports_a_request_that_is_too_long(host):
    return [*_replace_errors(host, ("RuntimeError", None, "too many tokens"))]


@case("D17", one=HEAD + "def register(ctx): listen(ctx)\n", refused="recover from a request that failed with")
def a_long_request_that_is_rejected_as_malformed(host):
    host.llm.script(call("absent"), fail(400, "no"), say("done"))
    return converse(host, "x" * 400_000)


def _middleware_plugin(body: str, kind: str = "llm_execution") -> str:
    """Return a plugin with a tool and middleware of this body."""
    register = f"    listen(ctx)\n    ctx.register_middleware({kind!r}, wrap)\n"
    return HEAD + TOOL + register + f"\ndef wrap(next_call=None, **keywords):\n{body}\n"


READING = """
    try:
        return next_call()
    except Exception as error:
        kept = error.original
        raise RuntimeError(f"{kept.%s}")
"""


@case(
    "C32",
    one=_middleware_plugin(READING % "code!r} {kept.param!r} {kept.type!r} {kept.request_id!r} {kept.message"),
    config=WAITLESS,
)
def middleware_reads_an_error_of_the_provider(host):
    return _fail_requests(host, fail(401, "bad key"), fail(429, "slow down"))


@case(
    "C32",
    one=_middleware_plugin(READING % "response"),
    config=WAITLESS,
    refused="offer the response of a provider's error",
)
def middleware_reads_the_response_of_the_provider(host):
    return _fail_requests(host, fail(401, "bad key"))


@case("C31", one=_middleware_plugin("    return {'request': {'model': 'mine'}}", "llm_request"), config=WAITLESS)
def middleware_leaves_out_the_messages(host):
    return _fail_requests(host)


@case("C32", one=_middleware_plugin("    return 5", "tool_execution"))
def middleware_answers_a_call_with_a_number(host):
    host.llm.script(call("ask", n=1), say("done"))
    return converse(host, "hello")


READ = {"platform_toolsets": {"cli": ["file", "p"]}}


def _read(host):
    read = call("read_file", path="a.txt")
    host.llm.script(read, say("one"), read, say("two"), *[say("spare")] * 4)
    return converse(host, "hello", "again", "more")


def _read_and_search(host):
    both = say("", call("read_file", path="a.txt"), call("search_files", pattern="a"))
    host.llm.script(both, say("one"), *[say("spare")] * 4)
    return converse(host, "hello", "again")


NUMBER = _middleware_plugin("    return 5", "tool_execution")


@case("C32", one=NUMBER, config=READ)
def middleware_answers_a_read_with_a_number(host):
    return _read(host)


@case("C32", one=NUMBER, config=READ, refused="run a tool in parallel whose result has no length")
def middleware_answers_reads_in_parallel_with_numbers(host):
    return _read_and_search(host)


@case("C32", one=_middleware_plugin("    return {'found': 1}", "tool_execution"), config=READ)
def middleware_answers_reads_with_mappings(host):
    return [_read(host), _read_and_search(host)]


@case(
    "D17",
    one=listening_plugin("api_request_error"),
    config={"agent": {"api_max_retries": 1, "auto_recovery_cycles": 0}},
)
def one_attempt_means_no_retry(host):
    host.llm.script(fail(429, "slow down"), fail(404, "lost"), say("done"))
    return converse(host, "hello", "again", "more")


NARROW = """
    ctx.register_middleware("llm_request", lambda request: {"request": {**request, "temperature": 1}})
    ctx.register_middleware("llm_execution", lambda request, next_call: next_call())
    for kind in ("llm_request", "llm_execution"):
        def note(next_call=None, **keywords):
            SEEN.append([*keywords])
            return next_call() if next_call else None
        ctx.register_middleware(kind, note)
"""


@case("C33", one=HEAD + TOOL + "    listen(ctx)" + NARROW, config=WAITLESS)
def model_middleware_receives_arguments_in_order(host):
    return _fail_requests(host, fail(401, "bad key"))


@case("D17", one=listening_plugin("api_request_error"), config=WAITLESS)
def an_error_without_a_message_is_reported(host):
    host.llm.script(fail(400, ""), fail(401, "x" * 400), say("done"))
    return converse(host, "hello", "again", "more")


@case(
    "C31",
    one=_middleware_plugin("    return {'request': {**keywords['request'], 'messages': 'text'}}", "llm_request"),
    refused="send a request whose messages are not a list",
)
def middleware_leaves_messages_of_another_type(host):
    host.llm.script(say("done"))
    return converse(host, "hello")
