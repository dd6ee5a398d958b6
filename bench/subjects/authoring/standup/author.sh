#!/bin/sh
set -eu
hermes-sdk new plugin --no-input --bare --name "Standup"
cd standup
hermes-sdk contract show member register_command
hermes-sdk contract show module hermes_constants
hermes-sdk add command standup

cat > standup/__init__.py <<'END'
"""Standup, a plugin for Hermes Agent. Hermes calls `register`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from hermes_constants import get_hermes_home

if TYPE_CHECKING:
    from hermes_sdk.api import PluginContext


def standup(arguments: str) -> str:
    """Answer `/standup`: add a note, or show all of them."""
    file = Path(get_hermes_home(), "plugin-data", "standup", "notes.txt")
    if note := " ".join(arguments.split()):
        file.parent.mkdir(parents=True, exist_ok=True)
        with file.open("a", encoding="utf-8") as notes:
            notes.write(f"- {note}\n")
        return f"Noted: {note}"
    return file.read_text(encoding="utf-8") if file.exists() else "There are no notes."


def register(ctx: PluginContext) -> None:
    """Register the command. Hermes calls it once, when it loads the plugin."""
    ctx.register_command("standup", handler=standup, description="Note what you did, or show the notes")
END
sed -i '/provides_hooks/d; /on_session_start/d' standup/plugin.yaml
cat > tests/test_commands.py <<'END'
"""The command, in the host of hermes-sdk."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from hermes_sdk.testing import Host


def test_notes_are_shown_in_order(hermes: Host) -> None:
    assert hermes.command("/standup") == "There are no notes."
    hermes.command("/standup fixed the login")
    hermes.command("/standup wrote tests")

    assert hermes.command("/standup") == "- fixed the login\n- wrote tests\n"
END
hermes-sdk verify
