"""Interactive screen of ``hermes-sdk plugins``: select enabled plugins and providers, then save or cancel.

It uses prompt_toolkit, which Hermes itself requires; textual would add ten packages and a second of start-up time for a
single list. Only this module imports prompt_toolkit.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import partial

from prompt_toolkit.application import Application
from prompt_toolkit.data_structures import Point
from prompt_toolkit.formatted_text import StyleAndTextTuples
from prompt_toolkit.key_binding import KeyBindings, KeyPressEvent
from prompt_toolkit.layout import FormattedTextControl, HSplit, Layout, Window
from prompt_toolkit.styles import Style

from hermes_sdk import contract
from hermes_sdk.home import Home
from hermes_sdk.operate import providers, state
from hermes_sdk.operate.validation import printable

_STYLE = Style([("title", "bold"), ("help", "reverse"), ("note", "fg:ansibrightblack"), ("changed", "fg:ansiyellow")])
_HELP = " ↑↓ move   Space [x] enable, [-] disable   s save   Esc cancel "
_ESCAPE_TIMEOUT = 0.05

_MARKS = {"enabled": "[x]", "disabled": "[-]", "not enabled": "[ ]", "used": "(•)", "not used": "( )"}


@dataclass
class Row:
    """A selectable line.

    Attributes:
        value: A plugin's key, or a provider's name.
        name: The name in a plugin's manifest, or a provider's name.
        was: The state in `config.yaml`: a plugin's status, or ``used`` or ``not used`` for a provider.
        now: The state that the user selected, with the same values.
    """

    section: str
    value: str
    name: str
    label: str
    note: str
    was: str
    now: str


class Choices:
    """The available plugins and providers, and the user's selection."""

    MEMORY, ENGINE = "Memory provider", "Context engine"

    def __init__(self, home: Home, release: str = contract.DEFAULT) -> None:
        self.home = home
        self._release = release
        known = state.plugins(home, release)
        own = [plugin for plugin in known if plugin.source != "bundled"]
        bundled = [plugin for plugin in known if plugin.source == "bundled"]
        memory, engine = providers.chosen_memory(home), providers.chosen_engine(home)
        self.rows = [
            *_plugin_rows("Your plugins", own),
            *_provider_rows(self.MEMORY, providers.memory_providers(home, release), memory),
            *_provider_rows(self.ENGINE, providers.context_engines(home, release), engine),
            *_plugin_rows(f"Bundled with Hermes {release}", bundled),
        ]

    @property
    def changed(self) -> list[Row]:
        """The rows that differ from `config.yaml`; for providers only the newly selected one."""
        return [row for row in self.rows if row.now not in (row.was, "not used")]

    def choose(self, index: int) -> None:
        """Switch a plugin to its next status, or select a provider."""
        row = self.rows[index]
        if row.section not in (self.MEMORY, self.ENGINE):
            states = ["enabled", "disabled", *(["not enabled"] if row.was == "not enabled" else [])]
            row.now = states[(states.index(row.now) + 1) % len(states)]
            return
        for other in self.rows:
            if other.section == row.section:
                other.now = "used" if other is row else "not used"

    def save(self) -> str:
        """Write the changes to `config.yaml` atomically.

        Returns:
            A summary of the changes; empty if there were none.
        """
        on, off, used = ([row for row in self.changed if row.now == now] for now in ("enabled", "disabled", "used"))
        places = {self.MEMORY: ("memory", "provider"), self.ENGINE: ("context", "engine")}
        changes = {area: {key: row.value} for row in used for area, key in (places[row.section],)}
        if self.changed:
            changes = state.add_schema_version(self.home, changes, self._release)
            self.home.switch(on={row.value: row.name for row in on}, off=[row.value for row in off], changes=changes)
        words = [f"{len(rows)} {rows[0].now}" for rows in (on, off) if rows]
        return ", ".join([*words, *(f"{row.section.lower()} {row.label}" for row in used)])


def _plugin_rows(section: str, plugins: Iterable[state.Plugin]) -> list[Row]:
    return [
        Row(
            section,
            plugin.key,
            plugin.name,
            printable(plugin.key),
            printable(plugin.description).replace("\n", " "),
            was=plugin.status,
            now=plugin.status,
        )
        for plugin in plugins
    ]


def _provider_rows(section: str, names: list[str], current: str) -> list[Row]:
    rows: list[Row] = []
    for name in names if current in names else [*names, current]:
        is_used = "used" if name == current else "not used"
        note = "" if name in names else "not found"
        rows.append(Row(section, name, name, printable(name or "built-in"), note, was=is_used, now=is_used))
    return rows


def choose(home: Home, release: str = contract.DEFAULT) -> str:
    """Show the screen until the user saves or cancels.

    Args:
        home: The home; it is changed only if the user saves.

    Returns:
        A summary of the saved changes; empty if there were none.

    Raises:
        UnavailableError: The home is managed or cannot be written.
    """
    screen = _Screen(Choices(home, release))
    return screen.choices.save() if screen.application.run() else ""


class _Screen:
    """Renders the rows and handles keys."""

    def __init__(self, choices: Choices) -> None:
        self.choices = choices
        self._cursor = 0
        self._list = Window(
            FormattedTextControl(
                self._text, focusable=True, show_cursor=False, get_cursor_position=self._cursor_position
            ),
            always_hide_cursor=True,
        )
        title = Window(FormattedTextControl(self._title), height=1)
        bottom = Window(FormattedTextControl([("class:help", _HELP)]), height=1)
        self.application: Application[bool] = Application(
            layout=Layout(HSplit([title, self._list, bottom])),
            key_bindings=self._key_bindings(),
            style=_STYLE,
            full_screen=True,
        )
        self.application.ttimeoutlen = _ESCAPE_TIMEOUT

    def _text(self) -> StyleAndTextTuples:
        text: StyleAndTextTuples = []
        section = ""
        for index, row in enumerate(self.choices.rows):
            if row.section != section:
                section = row.section
                text.append(("class:title", f"\n{section}\n"))
            style = "class:changed" if row.now != row.was else ""
            pointer = "❯" if index == self._cursor else " "
            text.append((style, f"{pointer} {_MARKS[row.now]} {row.label}"))
            text.append(("class:note", f"  {row.note}\n" if row.note else "\n"))
        return text

    def _cursor_position(self) -> Point:
        sections = {row.section for row in self.choices.rows[: self._cursor + 1]}
        return Point(0, self._cursor + 2 * len(sections))

    def _title(self) -> StyleAndTextTuples:
        count = len(self.choices.changed)
        changes = f"  {count} change{'s' * (count > 1)} not saved" if count else ""
        return [("class:title", f"Plugins of {self.choices.home.path}"), ("class:changed", changes)]

    def _key_bindings(self) -> KeyBindings:
        keys = KeyBindings()
        end = len(self.choices.rows)
        for name, steps in (("up", -1), ("k", -1), ("down", 1), ("j", 1), ("home", -end), ("end", end)):
            keys.add(name)(partial(self._move, steps))
        keys.add("pageup")(partial(self._move_page, -1))
        keys.add("pagedown")(partial(self._move_page, 1))
        for name in ("space", "enter"):
            keys.add(name)(self._choose)
        for name in ("s", "c-s", "escape", "q", "c-c"):
            keys.add(name)(partial(self._end, name in ("s", "c-s")))
        return keys

    def _move(self, steps: int, _: KeyPressEvent) -> None:
        self._cursor = min(max(self._cursor + steps, 0), len(self.choices.rows) - 1)

    def _move_page(self, pages: int, event: KeyPressEvent) -> None:
        shown = self._list.render_info
        self._move(pages * (shown.window_height if shown else 1), event)

    def _choose(self, _: KeyPressEvent) -> None:
        self.choices.choose(self._cursor)

    def _end(self, save: bool, event: KeyPressEvent) -> None:
        event.app.exit(result=save)
