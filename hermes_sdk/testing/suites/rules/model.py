"""HS815 and HS893 to HS899: requirements on model providers."""

from __future__ import annotations

import contextlib
import copy
import importlib
import inspect
import json
import threading
from collections.abc import Generator
from http.server import BaseHTTPRequestHandler, HTTPServer
from typing import Any
from unittest import mock
from urllib.parse import urlsplit

from . import lab, loading
from .base import Blocked, Broken, NotApplicable, SuiteRules, demand
from .engine import conversation
from .lab import demand_takes_more
from .watching import list_files, record_addresses

BASE = "ProviderProfile"
API_MODES = ("chat_completions", "codex_responses", "anthropic_messages", "bedrock_converse")

RULES = SuiteRules()
rule = RULES.rule


class Lab(lab.Lab):
    """A plugin with model providers under test."""

    registration = "HS893"

    def import_providers(self) -> list[Any]:
        """Load the plugin again, and return the providers that it registers during the import."""
        providers = importlib.import_module("providers")
        found: list[Any] = []
        with mock.patch.object(providers, "register_provider", found.append):
            loading.module(self.directory)
        return found

    def profiles(self) -> list[Any]:
        """Return the providers that the plugin registers."""
        with self.before_rule(self.registration, "importing the plugin"):
            found = self.import_providers()
        if not found:
            raise Blocked(self.registration, "the plugin registers no provider while it is imported")
        return found


@rule("HS893", "It logs a warning, and the provider does not exist.")
def importing_it_registers_a_provider(test: Lab) -> None:
    """The host only imports a directory under plugins/model-providers; it never calls register(ctx)."""
    test.profiles()


@rule("HS894", "The provider is listed but unusable, or breaks the list of all providers.")
def its_profile_is_complete(test: Lab) -> None:
    """The host reads the fields of a profile wherever models are chosen, and finds it by its name and aliases."""
    for one in test.profiles():
        demand(BASE in [base.__name__ for base in type(one).__mro__], f"{one!r:.200} is not a ProviderProfile")
        demand(isinstance(one.name, str) and one.name.strip(), f"its name is {one.name!r}")
        demand(one.api_mode in API_MODES, f"its api_mode is {one.api_mode!r}, not one of {', '.join(API_MODES)}")
        for field in ("aliases", "env_vars", "fallback_models"):
            value = getattr(one, field, ())
            right = isinstance(value, (tuple, list)) and all(isinstance(text, str) for text in value)
            demand(right, f"{field} is {value!r}, not a tuple of str")
        address = urlsplit(one.base_url)
        right = not one.base_url or (address.scheme in ("http", "https") and address.hostname)
        demand(right, f"its base_url is {one.base_url!r}")


@rule("HS895", "Every `hermes` command waits for it, or leaves files behind.")
def importing_it_has_no_side_effects(test: Lab) -> None:
    """The host imports all model providers whenever it starts."""
    before = list_files(test.elsewhere)
    with record_addresses() as asked, contextlib.suppress(Exception):
        test.import_providers()
    after = list_files(test.elsewhere)
    changed = sorted(name for name in after if after[name] != before.get(name))
    demand(not changed, f"it wrote {changed[:5]} while it was imported")
    demand(not asked, f"it contacted {asked} while it was imported")


@rule("HS896", "The request fails, or the session's history changes too.")
def prepare_messages_returns_a_new_list(test: Lab) -> None:
    """The host continues to use the messages; make changes for the provider's API in a copy."""
    for one in test.profiles():
        given = conversation(2)
        made = one.prepare_messages(given)
        right = isinstance(made, list) and all(isinstance(message, dict) for message in made)
        demand(right, f"prepare_messages() returned {made!r:.200}, not a list of messages")
        demand(given == conversation(2), "prepare_messages() modified its argument")


@rule("HS897", "The request of every turn fails with a TypeError.")
def what_it_adds_to_a_request_is_json(test: Lab) -> None:
    """build_extra_body returns a mapping, and build_api_kwargs_extras two; they become part of the request."""
    effort = {"enabled": True, "effort": "high"}
    for one in test.profiles():
        for reasoning in (None, copy.deepcopy(effort), {"enabled": False}):
            extras = one.build_api_kwargs_extras(reasoning_config=reasoning)
            right = isinstance(extras, tuple) and len(extras) == 2 and all(isinstance(part, dict) for part in extras)
            demand(right, f"build_api_kwargs_extras() returned {extras!r:.200}, not a pair of mappings")
            json.dumps(extras)
        for session in (None, "first"):
            body = one.build_extra_body(session_id=session)
            demand(isinstance(body, dict), f"build_extra_body() returned {body!r:.200}, not a mapping")
            json.dumps(body)


@rule("HS898", "On releases that pass more arguments, the request of every turn fails with a TypeError.")
def its_hooks_accept_arguments_of_later_releases(test: Lab) -> None:
    """The host passes its data about a request, to which each release adds."""
    for one in test.profiles():
        for method in ("build_extra_body", "build_api_kwargs_extras"):
            demand_takes_more(getattr(one, method))


@rule("HS899", "The list of models is empty or fails with an exception.")
def fetch_models_lists_the_models(test: Lab) -> None:
    """It requests the models from base_url, within a time limit, and returns None if that fails."""
    with _server() as address:
        for one in test.profiles():
            if getattr(one, "models_url", ""):
                raise NotApplicable("it contacts a fixed address")
            found = _fetch_models(one, address, 2.0)
            demand(
                found == ["m-1", "m-2"], f"for a server with the models m-1 and m-2, fetch_models() returned {found!r}"
            )
    for one in test.profiles():
        try:
            found = _fetch_models(one, "http://127.0.0.1:9/v1", 0.2)
        except Exception as error:
            raise Broken(f"without a server fetch_models() raised {type(error).__name__}: {error}") from error
        demand(not found or isinstance(found, list), f"without a server fetch_models() returned {found!r:.200}")


@RULES.rule("HS815", "Every turn fails before a request is sent, or with an error of the service.", outside=True)
def a_turn_goes_through_its_hooks(test: Any) -> None:
    """The hooks of the profile that model.provider names prepare each request. The second mapping of
    build_api_kwargs_extras contains arguments of the client's chat.completions.create, which rejects unknown ones."""
    test.host.llm.script("one", "two")
    for said in ("Hello", "Once more"):
        turn = test.host.chat(said)
        demand(turn.error is None, f"the turn ended with {turn.error}")
        asked = test.host.llm.requests[-1].messages
        demand(asked[-1].get("role") == "user" and said in str(asked[-1]), f"the model received {asked[-1]!r:.200}")


def _fetch_models(profile: Any, address: str, timeout: float) -> Any:
    """Fetch the models from an address. Older releases read the address only from the profile."""
    there = copy.copy(profile)
    there.base_url = address
    named = {"base_url": address} if "base_url" in inspect.signature(there.fetch_models).parameters else {}
    return there.fetch_models(api_key="k", timeout=timeout, **named)


@contextlib.contextmanager
def _server() -> Generator[str]:
    """Start a server that lists two models, and yield its address."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            content = json.dumps({"object": "list", "data": [{"id": "m-1"}, {"id": "m-2"}]}).encode()
            self.send_response(200)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(content)))
            self.end_headers()
            self.wfile.write(content)

        def log_message(self, *_: object, **__: object) -> None:
            """Print nothing."""

    server = HTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}/v1"
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
