"""Cases of H8 and H21: failures of an adapter."""

from conformance.gateway_cases import gateway_case, hook, list_events, write_messages

from hermes_sdk.llm import fail

EVENTS = hook(["gateway:startup", "agent:end"])
MARKS = """
async def on_processing_start(self, event): pass
async def on_processing_complete(self, event, outcome): pass
"""


def start_and_stop(host):
    gateway = host.gateway()
    connected = gateway.platforms
    gateway.stop()
    return connected, list_events(host)


@gateway_case(
    "H8",
    adapter="async def connect(self, **more): return False\n",
    files=EVENTS,
)
def an_adapter_does_not_connect(host):
    return start_and_stop(host)


@gateway_case(
    "H8",
    adapter="async def connect(self, **more): raise ConnectionError('refused')\n",
    files=EVENTS,
)
def an_adapter_raises_when_it_connects(host):
    return start_and_stop(host)


@gateway_case(
    "H8",
    adapter="""
        async def connect(self, **more):
            self._set_fatal_error("bad_token", "the token is wrong", retryable=False)
            return False
    """,
    files=EVENTS,
)
def an_adapter_fails_to_connect_permanently(host):
    return start_and_stop(host)


@gateway_case(
    "H8",
    adapter="""
        async def connect(self, **more):
            self._set_fatal_error("busy", "try later", retryable=True)
            return False
    """,
)
def an_adapter_fails_to_connect_temporarily(host):
    return start_and_stop(host)


@gateway_case("H8", adapter="async def disconnect(self): raise OSError('gone')\n")
def an_adapter_raises_when_it_disconnects(host):
    return start_and_stop(host)


@gateway_case(
    "H8",
    adapter=MARKS
    + "async def send(self, chat_id, content, reply_to=None, metadata=None): raise ConnectionError('gone')\n",
    files=EVENTS,
)
def an_adapter_raises_when_it_sends(host):
    host.llm.script("one")
    return write_messages(host, "hello")


def failing_adapter(times, **result):
    """Return the source of an adapter whose first sends of an answer fail with this result."""
    return (
        MARKS
        + f"""
async def send(self, chat_id, content, reply_to=None, metadata=None):
    asks_for_home = "channel" in content
    self.count += not asks_for_home
    return SendResult(True, "out") if self.count > {times} or asks_for_home else SendResult(False, **{result!r})
"""
    )


@gateway_case("H8", adapter=failing_adapter(1, error="flood", retryable=True), files=EVENTS)
def a_retryable_send_is_retried(host):
    host.llm.script("one")
    return write_messages(host, "hello")


@gateway_case("H8", adapter=failing_adapter(9, error="flood", retryable=True))
def a_send_that_keeps_failing_is_abandoned(host):
    host.llm.script("one")
    return write_messages(host, "hello")


@gateway_case("H8", adapter=failing_adapter(1, error="cannot parse entities"))
def a_send_with_a_format_error_is_repeated(host):
    host.llm.script("one " * 3)
    return write_messages(host, "hello")


@gateway_case("H8", adapter="async def send(self, chat_id, content, reply_to=None, metadata=None): return None\n")
def a_send_that_returns_none_is_an_error(host):
    host.llm.script("one")
    return write_messages(host, "hello")


@gateway_case("H8", adapter=failing_adapter(9, error="forbidden"))
def a_rejected_send_is_reported(host):
    host.llm.script("one")
    return write_messages(host, "hello")


@gateway_case("H8", adapter=failing_adapter(9, error="ConnectError: connection refused"))
def network_errors_are_recognised_by_their_text(host):
    host.llm.script("one")
    return write_messages(host, "hello")


@gateway_case("H8", adapter=failing_adapter(9, error="read timed out"))
def a_send_that_times_out_may_have_arrived(host):
    host.llm.script("one")
    return write_messages(host, "hello")


@gateway_case(
    "H8",
    adapter="""
        async def on_processing_start(self, event): raise ValueError("start")
        async def on_processing_complete(self, event, outcome): raise ValueError("complete")
    """,
)
def an_adapter_raises_when_processing_starts_or_completes(host):
    host.llm.script("one")
    return write_messages(host, "hello")


@gateway_case(
    "H8",
    adapter="""
        async def send(self, chat_id, content, reply_to=None, metadata=None):
            if content == "one":
                self._set_fatal_error("revoked", "the token was revoked", retryable=False)
                await self._notify_fatal_error()
            return SendResult(True, "out")
    """,
)
def an_adapter_fails_permanently_while_it_runs(host):
    host.llm.script("one")
    gateway = host.gateway()
    gateway.dm().receives("hello")
    connected = gateway.platforms
    gateway.stop()
    happened = list_events(host)
    # It is random whether the send returns before the gateway ends.
    happened["gateway"] = [event[:3] for event in happened["gateway"]]
    return connected, happened


@gateway_case("H8", "ctx.register_hook('pre_llm_call', lambda **kw: None)\n", adapter=MARKS, files=EVENTS)
def a_model_error_reaches_the_chat(host):
    host.llm.script(fail(400, "no such model"))
    return write_messages(host, "hello")


@gateway_case("H21", adapter=MARKS, files=EVENTS)
def a_gateway_stops_twice(host):
    host.llm.script("one")
    seen = write_messages(host, "hello")
    host.gateway().stop()
    return seen == list_events(host)
