"""Pages of the inspector and their dynamic parts."""

from __future__ import annotations

import asyncio
import contextlib
import json
import re
from collections.abc import AsyncIterator, Mapping
from typing import Any
from urllib.parse import parse_qs

from anyio.to_thread import run_sync
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
from hermes_sdk.check.model import Finding, Result
from hermes_sdk.check.options import Options
from hermes_sdk.check.report.text import summarize
from hermes_sdk.contract.hook_arguments import complete_arguments, describe_arguments
from hermes_sdk.documents import parse_json
from hermes_sdk.errors import HermesSdkError, UsageError
from hermes_sdk.hosts.interface import HostKind
from hermes_sdk.inspector.actions import KINDS, Attempt
from hermes_sdk.inspector.models import Models
from hermes_sdk.inspector.offers import Question, ask_questions, list_providers, list_tools, make_setup
from hermes_sdk.inspector.results import FOLDER, Results
from hermes_sdk.inspector.settings import contains, merge_config, parse_settings, read_fields, write_value
from hermes_sdk.inspector.workbench import Workbench
from hermes_sdk.llm.script import CONTEXT_LENGTH

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

PATHS = frozenset("/" if pane == "overview" else f"/{pane}" for pane in PANES)

GRACE = 2.0
"""Seconds for open connections to close after the server stops."""

_BODY_LIMIT = 4_000_000
_CHARACTERS_OF_TOKEN = 4


class Pages:
    """The pages about a workbench.

    Args:
        models: The real models that a page may use for a chat.

    Attributes:
        shell: The page without its content.
    """

    def __init__(self, workbench: Workbench, models: Models | None = None) -> None:
        self._workbench = workbench
        self._models = models or Models()
        self._definitions: list[dict[str, Any]] = []
        self._listeners: set[asyncio.Queue[int | None]] = set()
        self._results = Results(workbench)
        self.shell = self._results.render("shell.html")
        self.routes = [
            Route("/", self._overview),
            Route("/tools", self._tools),
            Route("/hooks", self._hooks),
            Route("/commands", self._commands),
            Route("/chat", self._chat),
            Route("/skills", self._skills),
            Route("/providers", self._providers),
            Route("/settings", self._settings),
            Route("/settings", self._save_settings, methods=["POST"]),
            Route("/findings", self._findings),
            Route("/finding", self._finding),
            Route("/events", self._events),
            Route("/act", self._act, methods=["POST"]),
            Route("/set-up", self._set_up, methods=["POST"]),
            Route("/use", self._select_provider, methods=["POST"]),
            Route("/compare", self._compare, methods=["POST"]),
            Route("/begin", self._begin, methods=["POST"]),
            Route("/running", self._running),
            Route("/stop", self._stop, methods=["POST"]),
            Mount(
                "/static",
                StaticFiles(directory=FOLDER / "static", packages=[("hermes_sdk.traces.timeline", "static")]),
            ),
        ]

    async def reload(self) -> None:
        """Load the current version of the plugin, and notify all open pages."""
        await run_sync(self._workbench.load)
        for listener in self._listeners:
            listener.put_nowait(self._workbench.version)

    def end(self) -> None:
        """Close the connections of open pages, which otherwise never end."""
        for listener in self._listeners:
            listener.put_nowait(None)

    def _page(self, pane: str, **values: Any) -> Response:
        bench = self._workbench
        plugin = bench.plugin
        common = {
            "pane": pane,
            "panes": PANES,
            "release": bench.release,
            "title": contract.format_release(bench.release, bench.host),
            "inspection": plugin.inspection if plugin else None,
            "problem": bench.problem,
            "version": bench.version,
            "host": bench.host,
            "note": bench.note,
            "name": bench.name,
            "running": bench.describe_running(),
        }
        return HTMLResponse(self._results.render(f"{pane}.html", **common, **values))

    async def _overview(self, _: Request) -> Response:
        try:
            definitions = await self._list_definitions()
        except HermesSdkError as error:
            return self._page("overview", schemas=0, refused=error)
        tokens = sum(len(json.dumps(one)) for one in definitions) // _CHARACTERS_OF_TOKEN
        share = f"{100 * tokens / CONTEXT_LENGTH:.2g} %"
        return self._page(
            "overview",
            schemas=len(definitions),
            refused=None,
            tokens=f"{tokens:,}",
            share=share,
            context=f"{CONTEXT_LENGTH:,}",
        )

    async def _list_definitions(self) -> list[dict[str, Any]]:
        """Return the definitions of the tools; while the plugin is busy, those of the last page."""
        plugin = self._workbench.plugin
        if plugin is not None and not self._workbench.describe_running():
            self._definitions = await run_sync(plugin.definitions)
        return self._definitions if plugin is not None else []

    async def _tools(self, _: Request) -> Response:
        plugin = self._workbench.plugin
        offered, error = list[Any](), None
        try:
            offered = [one["function"] for one in await self._list_definitions()]
        except HermesSdkError as problem:
            error = problem
        names = {one["name"] for one in offered}
        hidden = [one for one in list_tools(plugin.inspection) if one["name"] not in names] if plugin else []
        tools = [(one, True) for one in offered] + [(one, False) for one in hidden]
        return self._page("tools", tools=tools, error=error)

    async def _hooks(self, request: Request) -> Response:
        release = contract.load(self._workbench.release)
        plugin = self._workbench.plugin
        used = set(plugin.inspection["report"]["hooks"]) if plugin else set[str]()
        names = sorted(release.hooks, key=lambda name: (name not in used, name))
        chosen = request.query_params.get("hook", names[0])
        if chosen not in release.hooks:
            raise HTTPException(404, f"Hermes {release.release} has no such hook.")
        arguments = json.dumps(complete_arguments(release, chosen, {}), indent=2, default=repr)
        schema = describe_arguments(release, chosen)
        return self._page("hooks", hooks=names, used=used, chosen=chosen, arguments=arguments, schema=schema)

    async def _commands(self, _: Request) -> Response:
        plugin = self._workbench.plugin
        report = plugin.inspection["report"] if plugin else None
        commands, cli = (report["commands"], report["cli_commands"]) if report else ([], [])
        return self._page("commands", commands=commands, cli=cli)

    async def _skills(self, _: Request) -> Response:
        plugin = self._workbench.plugin
        return self._page("skills", skills=plugin.inspection["report"]["skills"] if plugin else [])

    async def _providers(self, _: Request) -> Response:
        bench = self._workbench
        plugin = bench.plugin
        report = plugin.inspection["report"] if plugin else None
        memory = report["memory_provider"] if report else None
        questions, error = list[Question](), None
        if plugin and memory:
            try:
                questions = ask_questions(await run_sync(plugin.memory_fields))
            except HermesSdkError as problem:
                error = problem
        others = list_providers(report) if report else []
        return self._page(
            "providers",
            memory=memory,
            questions=questions,
            error=error,
            is_set_up=bench.memory is not None,
            answers=bench.memory.attempt.arguments if bench.memory else {},
            platforms=report["platforms"] if report else [],
            turns=self._render_turns("receive"),
            script=self._find_script("receive"),
            others=[(one, bool(one.config) and contains(bench.config, one.config)) for one in others],
        )

    async def _set_up(self, request: Request) -> Response:
        """Set up the memory provider; the following load repeats the setup before the conversation."""
        bench = self._workbench
        form = await _read_form(request)
        try:
            questions = ask_questions(await run_sync(bench.plugin.memory_fields)) if bench.plugin else []
            attempt = make_setup(questions, form)
            action = await run_sync(bench.act, attempt)
        except HermesSdkError as error:
            await self._revive()
            return self._render_part("error.html", error=error)
        if action["value"]["exit_code"] == 0:
            await self.reload()
        return HTMLResponse(self._results.render_action(attempt, action))

    async def _select_provider(self, request: Request) -> Response:
        """Select a provider in the configuration, and load the plugin with it."""
        bench = self._workbench
        form = await _read_form(request)
        listed = list_providers(bench.plugin.inspection["report"]) if bench.plugin else []
        wanted = (form.get("kind"), form.get("name"))
        chosen = next((one for one in listed if one.config and (one.kind, one.name) == wanted), None)
        if chosen is None:
            raise HTTPException(400, "There is no such provider.")
        bench.config = merge_config(bench.config, chosen.config)
        await self.reload()
        return HTMLResponse("", headers={"HX-Refresh": "true"})

    async def _settings(self, _: Request) -> Response:
        bench = self._workbench
        given = {"settings": bench.settings.values, "variables": bench.settings.variables}
        fields = [
            # Never send the value of a secret to the page.
            (one, one.name in given[one.place], "" if one.secret else write_value(given[one.place].get(one.name)))
            for one in await run_sync(read_fields, bench.located)
        ]
        return self._page("settings", fields=fields)

    async def _save_settings(self, request: Request) -> Response:
        bench = self._workbench
        try:
            fields = await run_sync(read_fields, bench.located)
            bench.settings = parse_settings(fields, await _read_form(request), bench.settings)
        except HermesSdkError as error:
            return self._render_part("error.html", error=error)
        await self.reload()
        return HTMLResponse("", headers={"HX-Refresh": "true"})

    async def _chat(self, _: Request) -> Response:
        script, turns, model = self._find_script("chat"), self._render_turns("chat"), self._workbench.model
        return self._page("chat", turns=turns, script=script, model=model, models=self._models)

    def _find_script(self, kind: str) -> str:
        """Return the script of the last message."""
        said = self._workbench.conversations[kind]
        return said[-1].attempt.redact(self._workbench.redactor).script if said else ""

    def _render_turns(self, kind: str) -> list[Markup]:
        said = self._workbench.conversations[kind]
        return [self._results.render_turn(one, number) for number, one in enumerate(said)]

    async def _findings(self, _: Request) -> Response:
        try:
            result = await run_sync(self._check)
        except HermesSdkError as error:
            return self._render_part("findings.html", findings=(), summary=(), failed=str(error))
        return self._render_part("findings.html", findings=result.findings, summary=summarize(result), failed="")

    async def _finding(self, _: Request) -> Response:
        """Return the findings at the line where the plugin fails to load."""
        problem = self._workbench.problem
        where = problem.where if problem else ""
        found = list[Finding]()
        with contextlib.suppress(HermesSdkError):
            findings = (await run_sync(self._check)).findings
            found = [one for one in findings if f"{one.path}:{one.line}" == where]
        if not where or not found:
            return HTMLResponse("")
        return self._render_part("findings.html", findings=found, summary=(), failed="")

    def _check(self) -> Result:
        """Check the plugin like `hermes-sdk check` without options."""
        return check(self._workbench.path, Options(cache=cache_dir() / "check"))

    async def _events(self, _: Request) -> Response:
        listener: asyncio.Queue[int | None] = asyncio.Queue()

        async def stream_versions() -> AsyncIterator[ServerSentEvent]:
            self._listeners.add(listener)
            try:
                # A page rendered before this connection opened has an older version and reloads itself.
                yield ServerSentEvent(str(self._workbench.version), event="version")
                while (version := await listener.get()) is not None:
                    yield ServerSentEvent(str(version), event="version")
            finally:
                self._listeners.discard(listener)

        # `end` is called within this time; a response that is cut off earlier would be logged as an error.
        return EventSourceResponse(stream_versions(), shutdown_grace_period=GRACE)

    async def _act(self, request: Request) -> Response:
        fields = await _read_form(request)
        kind, name, text = (fields.get(key, "") for key in ("kind", "name", "args"))
        if kind not in KINDS:
            raise HTTPException(400, "There is no such action.")
        if kind in self._workbench.conversations:
            return await self._say(Attempt(kind, name, script=fields.get("script", "")), fields)
        try:
            arguments = _parse_arguments(text or "{}")
            attempt = Attempt(kind, name, arguments, fields.get("script", ""))
            action = await run_sync(self._workbench.act, attempt)
        except HermesSdkError as error:
            await self._revive()
            return self._render_part("error.html", error=error)
        return HTMLResponse(self._results.render_action(attempt, action))

    async def _say(self, attempt: Attempt, fields: Mapping[str, str]) -> Response:
        bench = self._workbench
        number = len(bench.conversations[attempt.kind])
        try:
            chosen = (fields.get(key, "").strip() for key in ("address", "model", "key"))
            model = self._models.choose(*chosen) if "real" in fields else None
        except HermesSdkError as error:
            return self._render_part("error.html", error=error)
        said = await run_sync(bench.say, attempt, model)
        await self._revive()
        # This event makes the page clear the message field.
        headers = {} if isinstance(said.outcome, HermesSdkError) else {"HX-Trigger": "said"}
        return HTMLResponse(self._results.render_turn(said, number), headers=headers)

    async def _compare(self, request: Request) -> Response:
        fields = await _read_form(request)
        chosen, _, release = fields.get("where", "").partition(" ")
        kinds: Mapping[str, HostKind] = {"embedded": "embedded", "real": "real"}
        kind = kinds.get(chosen)
        turn = fields.get("turn", "0")
        if fields.get("kind") not in KINDS or kind is None or not re.fullmatch(r"\d{1,6}", turn):
            raise HTTPException(400, "There is no such action.")
        try:
            arguments = _parse_arguments(fields.get("args") or "{}")
            attempt = Attempt(fields["kind"], fields.get("name", ""), arguments, fields.get("script", ""))
            lines = await run_sync(self._workbench.compare, attempt, kind, release, int(turn))
        except HermesSdkError as error:
            await self._revive()
            return self._render_part("error.html", error=error)
        bench = self._workbench
        return self._render_part(
            "comparison.html", lines=lines, here=f"{bench.host} {bench.release}", there=fields["where"]
        )

    async def _revive(self) -> None:
        """Reload the plugin after an action that ended its process."""
        if self._workbench.plugin is not None and self._workbench.plugin.ended:
            await self.reload()

    async def _running(self, _: Request) -> Response:
        return self._render_part("running.html", running=self._workbench.describe_running())

    async def _stop(self, _: Request) -> Response:
        """Stop the running actions; the request that started an action then reloads the plugin."""
        await run_sync(self._workbench.stop)
        return self._render_part("running.html", running=[])

    async def _begin(self, request: Request) -> Response:
        kind = (await _read_form(request)).get("kind", "")
        if kind not in self._workbench.conversations:
            raise HTTPException(400, "There is no such conversation.")
        await run_sync(self._workbench.begin, kind)
        if kind == "receive":
            await self.reload()
        return self._render_part("conversation.html", turns=())

    def _render_part(self, template: str, **values: Any) -> Response:
        return HTMLResponse(self._results.render(template, **values))


async def _read_form(request: Request) -> dict[str, str]:
    body = bytearray()
    async for block in request.stream():
        body += block
        if len(body) > _BODY_LIMIT:
            raise HTTPException(413, "The form is too long.")
    try:
        return {key: values[-1] for key, values in parse_qs(body.decode(), keep_blank_values=True).items()}
    except ValueError:
        raise HTTPException(400, "The request is not a form.") from None


def _parse_arguments(text: str) -> dict[str, Any]:
    try:
        value = parse_json(text)
    except ValueError as error:
        raise UsageError(f"The arguments are not valid JSON: {error}") from None
    if not isinstance(value, dict):
        raise UsageError("The arguments must be a JSON object.")
    return value
