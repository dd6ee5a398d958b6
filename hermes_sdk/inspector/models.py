"""Real models at OpenAI-compatible addresses that the author passed when starting the inspector."""

from __future__ import annotations

import http.client
import json
import urllib.error
import urllib.request
from collections.abc import Collection, Mapping
from typing import Any
from urllib.parse import urlsplit

from hermes_sdk.documents import parse_json
from hermes_sdk.errors import UsageError
from hermes_sdk.llm import Answer, ToolCall
from hermes_sdk.redaction import Redactor

_TIMEOUT = 120.0
_MAX_BYTES = 16_000_000
_MAX_REQUESTS = 100
_PASSED = ("messages", "tools", "tool_choice", "temperature", "max_tokens", "max_completion_tokens", "response_format")


class RealModel:
    """A model at an address. It stores its answers, so that a turn can be repeated without further requests.

    Args:
        address: The address without ``/chat/completions``, such as ``http://127.0.0.1:11434/v1``.
        variable: The environment variable with the API key; empty for none.
    """

    def __init__(self, address: str, name: str, variable: str = "", key: str = "") -> None:
        self.address = address
        self.name = name
        self.variable = variable
        self._key = key
        self._answers: dict[str, list[Answer]] = {"main": [], "aux": []}

    def __call__(self, lane: str, body: Mapping[str, Any]) -> Answer:
        """Answer a request; failures become answers with an error status."""
        answers = self._answers["aux" if lane == "aux" else "main"]
        if sum(map(len, self._answers.values())) >= _MAX_REQUESTS:
            answer = Answer(
                status=429, error=f"the inspector sends at most {_MAX_REQUESTS} requests to a model in a turn"
            )
        else:
            answer = self._ask({"model": self.name, **{key: body[key] for key in _PASSED if key in body}})
        answers.append(answer)
        return answer

    def take_script(self) -> str:
        """Return the stored answers as a YAML script, see `traces.parse_script`, and clear them."""
        import yaml

        lanes = {lane: [_describe(one) for one in answers] for lane, answers in self._answers.items() if answers}
        self._answers = {"main": [], "aux": []}
        return yaml.safe_dump(lanes, allow_unicode=True, sort_keys=False) if lanes else ""

    def _ask(self, body: Mapping[str, Any]) -> Answer:
        headers = {"Content-Type": "application/json", "User-Agent": "hermes-sdk"}
        if self._key:
            headers["Authorization"] = f"Bearer {self._key}"
        try:
            request = urllib.request.Request(
                f"{self.address}/chat/completions", json.dumps(body).encode(), headers, method="POST"
            )
            # Do not follow redirects: their target would receive the API key.
            with urllib.request.build_opener(_NoRedirect).open(request, timeout=_TIMEOUT) as response:
                return _read_answer(response.read(_MAX_BYTES))
        except urllib.error.HTTPError as error:
            said = error.read(2000).decode(errors="replace")
            return Answer(status=error.code, error=_hide_key(f"{error.reason}: {said}", self._key))
        except (OSError, ValueError, http.client.HTTPException) as error:
            return Answer(
                status=502, error=_hide_key(f"the model at {self.address} cannot be reached: {error}", self._key)
            )


class Models:
    """The real models that a page may use: only addresses and keys passed when the inspector started.

    Args:
        addresses: Addresses to which conversations may be sent.
        variables: Environment variables that may be sent as an API key.

    Raises:
        UsageError: An address is not an HTTP address.
    """

    def __init__(self, addresses: Collection[str] = (), variables: Mapping[str, str] | None = None) -> None:
        self.addresses = tuple(dict.fromkeys(_normalize_address(one) for one in addresses))
        self.variables = dict(variables or {})

    def choose(self, address: str, name: str, variable: str = "") -> RealModel:
        """Return a model.

        Raises:
            UsageError: The name is empty, or the address or variable was not passed at the start.
        """
        address = _normalize_address(address)
        if address not in self.addresses:
            raise UsageError(
                f"The inspector may not send the conversation to {address}.",
                fix=f"To allow it, start `hermes-sdk dev --model-url {address}`.",
            )
        if not name:
            raise UsageError("The model has no name.", fix="Enter the name that the model server uses.")
        if variable and variable not in self.variables:
            raise UsageError(
                f"The inspector may not send the environment variable {variable}.",
                fix=f"To allow it, start `hermes-sdk dev --env {variable}`.",
            )
        return RealModel(address, name, variable, self.variables.get(variable, ""))


class _NoRedirect(urllib.request.HTTPRedirectHandler):
    def redirect_request(self, *_: Any, **__: Any) -> None:
        """Follow no redirects."""


def _normalize_address(address: str) -> str:
    try:
        parts = urlsplit(address)
        is_usable = parts.scheme in ("http", "https") and parts.hostname and not (parts.username or parts.password)
    except ValueError:
        is_usable = False
    if not is_usable:
        raise UsageError(
            f"{address!r} is not the address of a model.", fix="Pass an address such as http://127.0.0.1:11434/v1."
        )
    return address.rstrip("/")


def _hide_key(text: str, key: str) -> str:
    return Redactor([key]).text(text)


def _read_answer(data: bytes) -> Answer:
    """Parse a ``chat.completion``.

    Raises:
        ValueError: The data is not a ``chat.completion``.
    """
    try:
        value = parse_json(data.decode())
        choice = value["choices"][0]
        message = choice["message"]
        calls = tuple(
            ToolCall(str(one["function"]["name"]), str(one["function"]["arguments"]), str(one["id"]))
            for one in message.get("tool_calls") or ()
        )
        text, reason = message.get("content"), choice.get("finish_reason")
        usage = {name: count for name, count in (value.get("usage") or {}).items() if type(count) is int}
    except (KeyError, IndexError, TypeError, AttributeError) as error:
        raise ValueError(f"the response is not a chat.completion ({type(error).__name__}: {error})") from None
    return Answer(
        text=text if isinstance(text, str) else None,
        tool_calls=calls,
        usage=usage or None,
        finish_reason=reason if isinstance(reason, str) else None,
    )


def _describe(answer: Answer) -> dict[str, Any]:
    """Describe an answer as in a script."""
    if answer.status is not None:
        return {"status": answer.status, "error": answer.error or ""}
    calls = [{"name": one.name, "args": one.arguments, "id": one.id} for one in answer.tool_calls]
    described: dict[str, Any] = {"tool_calls": calls} if calls else {}
    return {**described, "text": answer.text or ""} if answer.text or not calls else described
