"""The commands: `/{{ cookiecutter.plugin_slug }}` for sessions, and one with the same name for the terminal."""

from __future__ import annotations

import argparse

from . import notes


def show(word: str) -> str:
    """Answer `/{{ cookiecutter.plugin_slug }} [word]` with the notes that contain the word, or with all of them."""
    found = notes.find(word)
    if not found:
        return f"No note contains '{word}'." if word else "No notes yet. Ask Hermes to remember something."
    return "\n".join(f"{number}. {note}" for number, note in enumerate(found, start=1))


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of `hermes {{ cookiecutter.plugin_slug }}`."""
    parser.add_argument("word", nargs="?", default="", help="show only the notes that contain this word")
    parser.add_argument("--clear", action="store_true", help="delete every note")


def run(args: argparse.Namespace) -> None:
    """Run `hermes {{ cookiecutter.plugin_slug }}`."""
    if args.clear:
        print(f"Deleted {notes.clear()} note(s).")
    else:
        print(show(args.word))
