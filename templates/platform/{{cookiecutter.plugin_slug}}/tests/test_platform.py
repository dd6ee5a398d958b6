"""Conversations over IRC, from a person to the gateway and back."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.network import Network, Person

if TYPE_CHECKING:
    from hermes_sdk.testing import Gateway


def test_a_private_message_is_answered(ada: Person, hermes_gateway: Gateway) -> None:
    hermes_gateway.llm.script("Hello, Ada.")

    ada.says("hermes", "Hi!")

    assert ada.reads() == "Hello, Ada."
    assert hermes_gateway.llm.requests[0].user_text.startswith("Hi!")


def test_in_a_channel_it_answers_when_addressed_by_name(network: Network, ada: Person, hermes_gateway: Gateway) -> None:
    hermes_gateway.llm.script("Tea.")
    network.wait_for("hermes", "#office")

    ada.says("#office", "I like coffee.")
    ada.says("#office", "hermes: tea or coffee?")

    assert ada.reads() == "Tea."
    assert len(hermes_gateway.llm.requests) == 1


def test_a_long_answer_is_split_into_lines(ada: Person, hermes_gateway: Gateway) -> None:
    hermes_gateway.llm.script("one\n\ntwo " + "x" * 400)

    ada.says("hermes", "Count.")

    assert [ada.reads() for _ in range(4)] == ["one", "two", "x" * 340, "x" * 60]
