"""The command `hermes-sdk docs`."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

import click

from hermes_sdk import terminal
from hermes_sdk.cli.code_runs import Command
from hermes_sdk.cli.options import make_json_option
from hermes_sdk.errors import UsageError

if TYPE_CHECKING:
    from hermes_sdk.documentation import Section

_OTHERS = 4


@click.command("docs", cls=Command, runs=[])
@click.argument("words", metavar="QUERY", nargs=-1)
@click.option("--list", "as_list", is_flag=True, help="List the pages.")
@make_json_option()
def command(words: tuple[str, ...], as_list: bool, as_json: bool) -> None:
    """Print the section of the documentation that best answers QUERY, and name other sections.

    QUERY can also be a page or a section, such as how-to/check or check#use-it-in-other-tools. The documentation is
    part of the package: the command needs no network.

    \b
    Examples:
      hermes-sdk docs test http requests
      hermes-sdk docs --list
      hermes-sdk docs reference/hooks#pre_tool_call
    """
    from hermes_sdk.documentation import find_section, search

    query = " ".join(words).strip()
    if as_list == bool(query):
        raise UsageError("Nothing to look up." if not query else "--list takes no QUERY.", fix="Pass QUERY or --list.")
    if as_list:
        _print_list(as_json=as_json)
        return
    section = find_section(query)
    found = [section] if section else search(query)[: _OTHERS + 1]
    if not found:
        fix = "Use other words, or list the pages with `hermes-sdk docs --list`."
        raise UsageError(f"No section of the documentation contains any word of {query!r}.", fix=fix)
    _print_section(found[0], found[1:], as_json=as_json)


def _print_list(*, as_json: bool) -> None:
    from hermes_sdk.documentation import read_pages, read_sections, summarize

    titles = {section.page: section.titles[0] for section in read_sections() if not section.anchor}
    pages = [{"page": page, "title": titles[page], "summary": summarize(read_pages()[page])} for page in titles]
    if as_json:
        _print_json(pages=pages)
        return
    for one in pages:
        click.echo(f"{terminal.style(one['page'], bold=True)}: {one['title']}")


def _print_section(section: Section, others: Iterable[Section], *, as_json: bool) -> None:
    from hermes_sdk.documentation import find_subsections

    parts, further = _list(find_subsections(section)), _list(others)
    if as_json:
        _print_json(section={"place": section.place, "text": section.text, "parts": parts}, others=further)
        return
    click.echo(terminal.style(section.place, bold=True) + "\n")
    if sys.stdout.isatty():
        from rich.markdown import Markdown

        terminal.console().print(Markdown(section.text, code_theme="ansi_dark", hyperlinks=False))
    else:
        click.echo(section.text)
    for title, places in (("Subsections", parts), ("Other sections", further)):
        if places:
            click.echo(f"\n{title} (print one with `hermes-sdk docs`):")
            click.echo("\n".join(f"  {one['place']}" for one in places))


def _list(sections: Iterable[Section]) -> list[dict[str, str]]:
    return [{"place": one.place, "title": one.titles[-1]} for one in sections]


def _print_json(**content: Any) -> None:
    click.echo(json.dumps({"schema": "hermes-sdk.docs/1", **content}, indent=2, ensure_ascii=False))
