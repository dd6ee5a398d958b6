"""Cases of D33 in a gateway: a model asks the user of a chat with the tool ``clarify``."""

import time

from conformance.gateway_cases import gateway_case, list_events
from conformance.raw_keys import question_text

from hermes_sdk.llm import call, say

WATCH = "watch()\n"
OFFERED = {"platform_toolsets": {"echo": ["clarify"]}}
HURRIED = {**OFFERED, "agent": {"clarify_timeout": 1}}
CHOICES = ["Alpha", "Beta"]
BUTTONS = """
async def send_clarify(self, chat_id, question, choices, clarify_id, session_key, metadata=None):
    SEEN.append([chat_id, question, choices, len(clarify_id), session_key, metadata])
    return await self.send(chat_id, "Choose")
"""
PRESSED = """
async def send_clarify(self, chat_id, question, choices, clarify_id, session_key, metadata=None):
    from tools.clarify_gateway import mark_awaiting_text, resolve_gateway_clarify
    SEEN.append([mark_awaiting_text("unknown"), resolve_gateway_clarify("unknown", "Alpha")])
    async def press():
        await asyncio.sleep(0.2)
        SEEN.append(resolve_gateway_clarify(clarify_id, ANSWER))
        await asyncio.sleep(0.2)
        SEEN.append([resolve_gateway_clarify(clarify_id, "late"), mark_awaiting_text(clarify_id)])
    asyncio.create_task(press())
    return await self.send(chat_id, "Choose")
"""
OTHER = """
async def send_clarify(self, chat_id, question, choices, clarify_id, session_key, metadata=None):
    from tools.clarify_gateway import mark_awaiting_text
    SEEN.append(mark_awaiting_text(clarify_id))
    return await self.send(chat_id, "Choose")
"""
TWICE = """
async def send_clarify(self, chat_id, question, choices, clarify_id, session_key, metadata=None):
    from tools.clarify_gateway import resolve_gateway_clarify
    SEEN.append([resolve_gateway_clarify(clarify_id, one) for one in ("Beta", "Alpha")])
    return await self.send(chat_id, "Choose")
"""
BROKEN = """
async def send_clarify(self, chat_id, question, choices, clarify_id, session_key, metadata=None):
    if question == "Raise":
        raise ValueError("boom")
    return SendResult(False, error="no")
"""


def question_call(host, question, choices=None):
    """Return a call with one question in the form of the release."""
    one = {"question": question, **({"choices": choices} if choices else {})}
    return call("clarify", questions=[one]) if host.release == "0.22.2" else call("clarify", **one)


def answer_questions(host, *answers, prompt=None):
    """Return the events of turns in which the model asks and the user answers."""
    gateway = host.gateway()
    chat = gateway.dm()
    prompt = prompt or ("gateway.clarify" if question_text(host.kind, host.release) != "/approve" else "❓")
    for number, answer in enumerate(answers):
        chat.receives(f"go {number}", until=prompt)
        chat.receives(answer)
    gateway.stop()
    return list_events(host)


@gateway_case("D33", WATCH, config=OFFERED)
def a_user_chooses_an_answer(host):
    answers = ("2", " alpha ", "ALPHA (recommended)", "7", "something else")
    for _ in answers:
        host.llm.script(question_call(host, " Which? ", CHOICES), say("done"))
    return answer_questions(host, *answers)


@gateway_case("D33", WATCH, config=OFFERED)
def a_user_answers_in_free_text(host):
    host.llm.script(
        question_call(host, "Why?"), say("done"), question_call(host, "How?", ["Only (recommended)"]), say("done")
    )
    return answer_questions(host, " Because. ", "1")


@gateway_case("D33", WATCH, adapter=BUTTONS, config=OFFERED)
def a_user_types_a_choice_despite_buttons(host):
    host.llm.script(question_call(host, "Which?", CHOICES), say("done"))
    return answer_questions(host, "beta", prompt="Choose")


@gateway_case("D33", WATCH, config=HURRIED)
def a_question_times_out(host):
    host.llm.script(question_call(host, "Which?", CHOICES), say("done"))
    gateway = host.gateway()
    gateway.dm().receives("go")
    gateway.stop()
    return list_events(host)


@gateway_case("D33", WATCH, adapter=BROKEN, config=OFFERED, releases=["0.19.0", "0.20.2"])
def a_question_cannot_be_sent(host):
    host.llm.script(question_call(host, "Which?"), question_call(host, "Raise"), say("done"))
    gateway = host.gateway()
    gateway.dm().receives("go")
    gateway.stop()
    return list_events(host)


@gateway_case("D33", WATCH, config=OFFERED, releases=["0.22.2"])
def a_user_answers_some_of_several_questions(host):
    questions = [{"question": "One?"}, {"question": "Two?", "choices": CHOICES}, {"question": "Three?"}]
    host.llm.script(call("clarify", questions=questions), say("done"))
    gateway = host.gateway()
    chat = gateway.dm()
    prompt = "❓" if host.kind == "embedded" else "gateway.clarify"
    chat.receives("go", until=prompt)
    chat.receives("Skip", until=prompt)
    chat.receives("1", until=prompt)
    chat.receives("last")
    gateway.stop()
    return list_events(host)


@gateway_case(
    "D33",
    WATCH,
    adapter=BUTTONS,
    config=OFFERED,
    since="0.20.2",
    refused="answer `clarify` with another text than the choices of an adapter",
)
def a_user_types_another_answer_despite_buttons(host):
    host.llm.script(question_call(host, "Which?", CHOICES), say("done"))
    return answer_questions(host, "neither", prompt="Choose")


def press_button(host):
    """Return the events when the user presses a button of the adapter."""
    host.llm.script(question_call(host, "Which?", CHOICES), say("done"))
    gateway = host.gateway()
    gateway.dm().receives("go")
    time.sleep(0.5)  # The plugin presses the button again after the turn.
    seen = host.command("/seen")
    gateway.stop()
    return list_events(host), seen


@gateway_case("D33", WATCH, adapter=PRESSED.replace("ANSWER", "choices[1]"), config=OFFERED)
def a_user_presses_a_button(host):
    return press_button(host)


@gateway_case("D33", WATCH, adapter=PRESSED.replace("ANSWER", "' anything else'"), config=OFFERED)
def a_button_answers_with_another_text(host):
    return press_button(host)


@gateway_case("D33", WATCH, adapter=PRESSED.replace("ANSWER", "None"), config=OFFERED)
def a_button_answers_with_nothing(host):
    return press_button(host)


@gateway_case(
    "D33",
    WATCH,
    adapter=PRESSED.replace("ANSWER", "SKIPPED").replace("import mark", "import SKIPPED, mark"),
    config=OFFERED,
    releases=["0.22.2"],
)
def a_button_skips_a_question(host):
    return press_button(host)


@gateway_case("D33", WATCH, adapter=OTHER, config=OFFERED)
def a_user_types_another_answer_after_a_button(host):
    host.llm.script(question_call(host, "Which?", CHOICES), say("done"))
    return answer_questions(host, "neither", prompt="Choose"), host.command("/seen")


@gateway_case("D33", WATCH, adapter=TWICE, config=OFFERED, since="0.20.2")
def a_button_is_pressed_twice(host):
    return press_button(host)


@gateway_case(
    "D33",
    WATCH,
    adapter=TWICE,
    config=OFFERED,
    releases=["0.19.0"],
    refused="answer a question of `clarify` a second time",
)
def a_button_is_pressed_twice_where_the_second_answer_may_win(host):
    return press_button(host)
