"""What the cases about shell hooks share: a script that notes what it reads, and entries that print."""

import json

ACCEPTED = {"HERMES_ACCEPT_HOOKS": "1"}

NOTE = {
    "note.sh": """\
        cat >>"$HERMES_HOME/noted"
        echo >>"$HERMES_HOME/noted"
        printf %s "$1"
    """
}
"""A script that keeps what it reads, and prints its argument."""


def recording_hook(event, *words, **more):
    """The configuration of one hook that keeps what it reads and prints these words."""
    return {"hooks": {event: [{"command": " ".join(["sh ${HERMES_HOME}/note.sh", *words]), **more}]}}


def printing_hooks(*outputs):
    """The entries of hooks that print these texts."""
    return [{"command": f"printf %s '{text}'"} for text in outputs]


def read_notes(host):
    """What the script read, one run after the other."""
    file = host.home / "noted"
    return [json.loads(line) for line in file.read_text().splitlines()] if file.exists() else []
