"""What the inspector answers: its pages, and the parts of them that change."""

from __future__ import annotations

import asyncio
import contextlib
import json
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs

from anyio.to_thread import run_sync
from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup
from sse_starlette import EventSourceResponse, ServerSentEvent
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import HTMLResponse, Response
from starlette.routing import Mount, Route
from starlette.staticfiles import StaticFiles

from hermes_sdk import contract
from hermes_sdk.cache import cache_dir
from hermes_sdk.check.engine import check
from hermes_sdk.check.options import Options
from hermes_sdk.contract.hook_arguments import complete_arguments
from hermes_sdk.documents import parse_json
from hermes_sdk.errors import HermesSdkError, UsageError
from hermes_sdk.hosts.inspection import Action
from hermes_sdk.inspector.actions import KINDS, Attempt
from hermes_sdk.inspector.copies import COMMANDS, write_command, write_test
from hermes_sdk.inspector.settings import parse_settings, read_fields, write_value
from hermes_sdk.inspector.workbench import Said, Workbench
from hermes_sdk.llm.script import CONTEXT_LENGTH

FOLDER = Path(__file__).parent
PANES = {
    "overview": "Overview",
    "tools": "Tools",
    "hooks": "Hooks",
    "commands": "Commands",
    "skills": "Skills",
    "providers": "Providers",
    "chat": "Chat",
    "settings": "Settings",
}

GRACE = 2.0
"""Seconds that a connection of an open page gets to end once the server stops."""

_BODY_LIMIT = 4_000_000
_CHARACTERS_OF_TOKEN = 4
_SHOWN = 100_000


class Pages:
    """The pages about one workbench.

    Args:
        workbench: What they show.
    """

    def __init__(self, workbench: Workbench) -> None:
        self._workbench = workbench
        self._listeners: set[asyncio.Queue[int | None]] = set()
        self._templates = Environment(
            loader=FileSystemLoader(FOLDER / "templates"), autoescape=True, undefined=StrictUndefined
        )
        self._templates.filters["pretty"] = _format_value
        # The order of a schema is its author's.
        self._templates.policies["json.dumps_kwargs"] = {"sort_keys": False}
        self.routes = [
            Route("/", self._overview),
            Route("/tools", self._tools),
            Route("/hooks", self._hooks),
            Route("/commands", self._commands),
            Route("/chat", self._chat),
            Route("/skills", self._skills),
            Route("/providers", self._providers),
            Route("/settings", self._settings),
            Route("/settings", self._set, methods=["POST"]),
            Route("/findings", self._findings),
            Route("/events", self._events),
            Route("/act", self._act, methods=["POST"]),
            Route("/begin", self._begin, methods=["POST"]),
            Mount("/static", StaticFiles(directory=FOLDER / "static")),
        ]

    async def reload(self) -> None:
        """Load the present version of the plugin, and tell every open page."""
        await run_sync(self._workbench.load)
        for listener in self._listeners:
            listener.put_nowait(self._workbench.version)

    def end(self) -> None:
        """End the connections of open pages, which have no end of their own."""
        for listener in self._listeners:
            listener.put_nowait(None)

    def _page(self, pane: str, **values: Any) -> Response:
        bench = self._workbench
        plugin = bench.plugin
        common = {
            "pane": pane,
            "panes": PANES,
            "title": contract.titled(bench.release, bench.host),
            "inspection": plugin.inspection if plugin else None,
            "problem": bench.problem,
            "version": bench.version,
            "host": bench.host,
            "name": bench.name,
        }
        return HTMLResponse(self._templates.get_template(f"{pane}.html").render({**common, **values}))

    async def _overview(self, _: Request) -> Response:
        definitions = await run_sync(self._definitions)
        tokens = sum(len(json.dumps(one)) for one in definitions) // _CHARACTERS_OF_TOKEN
        share = f"{100 * tokens / CONTEXT_LENGTH:.2g} %"
        return self._page("overview", tools=len(definitions), tokens=tokens, share=share, context=CONTEXT_LENGTH)

    async def _tools(self, _: Request) -> Response:
        definitions = await run_sync(self._definitions)
        return self._page("tools", tools=[one["function"] for one in definitions])

    def _definitions(self) -> list[dict[str, Any]]:
        plugin = self._workbench.plugin
        try:
            return plugin.definitions() if plugin else []
        except HermesSdkError:
            return []

    async def _hooks(self, request: Request) -> Response:
        release = contract.load(self._workbench.release)
        plugin = self._workbench.plugin
        used = set(plugin.inspection["report"]["hooks"]) if plugin else set[str]()
        names = sorted(release.hooks, key=lambda name: (name not in used, name))
        chosen = request.query_params.get("hook", names[0])
        if chosen not in release.hooks:
            raise HTTPException(404, f"Hermes {release.release} has no such hook.")
        arguments = json.dumps(complete_arguments(release, chosen, {}), indent=2, default=repr)
        return self._page("hooks", hooks=names, used=used, chosen=chosen, arguments=arguments)

    async def _commands(self, _: Request) -> Response:
        plugin = self._workbench.plugin
        report = plugin.inspection["report"] if plugin else None
        commands, cli = (report["commands"], report["cli_commands"]) if report else ([], [])
        return self._page("commands", commands=commands, cli=cli)

    async def _skills(self, _: Request) -> Response:
        plugin = self._workbench.plugin
        return self._page("skills", skills=plugin.inspection["report"]["skills"] if plugin else [])

    async def _providers(self, _: Request) -> Response:
        plugin = self._workbench.plugin
        report = plugin.inspection["report"] if plugin else None
        engine = report["context_engine"] if report else None
        return self._page(
            "providers",
            memory=report["memory_provider"] if report else None,
            platforms=report["platforms"] if report else [],
            others={
                **({"context engine": [engine]} if engine else {}),
                **({"model": report["model_providers"]} if report and report["model_providers"] else {}),
                **({name.replace("_", " "): of for name, of in report["providers"].items() if of} if report else {}),
            },
        )

    async def _settings(self, _: Request) -> Response:
        bench = self._workbench
        given = {"settings": bench.settings.values, "variables": bench.settings.variables}
        fields = [
            # The value of a secret never goes to the page.
            (one, one.name in given[one.place], "" if one.secret else write_value(given[one.place].get(one.name)))
            for one in await run_sync(read_fields, bench.located)
        ]
        return self._page("settings", fields=fields)

    async def _set(self, request: Request) -> Response:
        bench = self._workbench
        try:
            fields = await run_sync(read_fields, bench.located)
            bench.settings = parse_settings(fields, await _read_form(request), bench.settings)
        except HermesSdkError as error:
            return self._part("error.html", error=error)
        await self.reload()
        return HTMLResponse("", headers={"HX-Refresh": "true"})

    async def _chat(self, _: Request) -> Response:
        said = self._workbench.conversation
        script = said[-1].script if said else ""
        return self._page("chat", turns=[self._render_turn(one) for one in said], script=script)

    async def _findings(self, _: Request) -> Response:
        options = Options(cache=cache_dir() / "check", release=self._workbench.release)
        try:
            result = await run_sync(lambda: check(self._workbench.path, options))
            return self._part("findings.html", findings=result.findings, failed="")
        except HermesSdkError as error:
            return self._part("findings.html", findings=(), failed=str(error))

    async def _events(self, _: Request) -> Response:
        listener: asyncio.Queue[int | None] = asyncio.Queue()

        async def tell() -> AsyncIterator[ServerSentEvent]:
            self._listeners.add(listener)
            try:
                # A page that was made before this connection opened has an older version and loads itself anew.
                yield ServerSentEvent(str(self._workbench.version), event="version")
                while (version := await listener.get()) is not None:
                    yield ServerSentEvent(str(version), event="version")
            finally:
                self._listeners.discard(listener)

        # `end` comes within this time; a response that is cut off before would be logged as an error.
        return EventSourceResponse(tell(), shutdown_grace_period=GRACE)

    async def _act(self, request: Request) -> Response:
        fields = await _read_form(request)
        kind, name, text = (fields.get(key, "") for key in ("kind", "name", "args"))
        if kind == "chat":
            said = await run_sync(self._workbench.chat, name, fields.get("script", ""))
            await self._revive()
            return HTMLResponse(self._render_turn(said))
        if kind not in KINDS:
            raise HTTPException(400, "There is no such action.")
        try:
            arguments = _parse_arguments(text or "{}")
            attempt = Attempt(kind, name, arguments, fields.get("script", ""))
            action = await run_sync(self._workbench.act, attempt)
        except HermesSdkError as error:
            await self._revive()
            return self._part("error.html", error=error)
        return HTMLResponse(self._render_action(attempt, action))

    async def _revive(self) -> None:
        """Load the plugin anew after an action that ended its process."""
        if self._workbench.plugin is not None and self._workbench.plugin.ended:
            await self.reload()

    async def _begin(self, _: Request) -> Response:
        await run_sync(self._workbench.begin)
        return self._part("conversation.html", turns=())

    def _render_turn(self, said: Said) -> Markup:
        if isinstance(said.outcome, HermesSdkError):
            return Markup(self._templates.get_template("error.html").render(error=said.outcome))
        kind = "command" if said.text.startswith("/") else "chat"
        return self._render_action(Attempt(kind, said.text, {}, said.script), said.outcome)

    def _render_action(self, attempt: Attempt, action: Action) -> Markup:
        bench = self._workbench
        where: dict[str, Any] = {"path": str(bench.path.resolve()), "host": bench.host, "release": bench.release}
        copies = {
            "Copy as pytest": write_test(attempt, action, settings=bench.settings, plugin=bench.name),
            **({"Copy as command": write_command(attempt, **where)} if attempt.kind in COMMANDS else {}),
        }
        values = {"kind": attempt.kind, "name": attempt.name, "action": action, "copies": copies}
        return Markup(self._templates.get_template("action.html").render(values))

    def _part(self, template: str, **values: Any) -> Response:
        return HTMLResponse(self._templates.get_template(template).render(values))


async def _read_form(request: Request) -> dict[str, str]:
    body = bytearray()
    async for block in request.stream():
        body += block
        if len(body) > _BODY_LIMIT:
            raise HTTPException(413, "Too long.")
    try:
        return {key: values[-1] for key, values in parse_qs(body.decode(), keep_blank_values=True).items()}
    except ValueError:
        raise HTTPException(400, "Not a form.") from None


def _parse_arguments(text: str) -> dict[str, Any]:
    try:
        value = parse_json(text)
    except ValueError as error:
        raise UsageError(f"The arguments are not valid JSON: {error}") from None
    if not isinstance(value, dict):
        raise UsageError("The arguments are a JSON object.")
    return value


def _format_value(value: Any) -> str:
    """Format a value for people: text that is JSON as its value, and only the beginning of what is too long."""
    if isinstance(value, str):
        with contextlib.suppress(ValueError):
            value = parse_json(value)
    text = value if isinstance(value, str) else json.dumps(value, indent=2, ensure_ascii=False)
    return text if len(text) <= _SHOWN else f"{text[:_SHOWN]}… ({len(text)} characters)"
