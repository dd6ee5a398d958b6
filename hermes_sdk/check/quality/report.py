"""Prints the quality of a project as text and as JSON, and creates its badge."""

from __future__ import annotations

import json
from pathlib import Path
from textwrap import fill
from typing import Any, TextIO

import click

from hermes_sdk.check.quality.judge import Quality
from hermes_sdk.check.quality.scale import TIERS
from hermes_sdk.files import write_file
from hermes_sdk.terminal import get_width

_COLORS = {"bronze": "#8c5a2b", "silver": "#6b7280", "gold": "#a67c00", "platinum": "#3b7a8c", None: "#9f1239"}

_SVG = """\
<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="20" role="img" aria-label="quality: {tier}">
  <title>quality: {tier}</title>
  <rect width="50" height="20" fill="#444"/>
  <rect x="50" width="{right}" height="20" fill="{color}"/>
  <g fill="#fff" font-family="Verdana,sans-serif" font-size="11">
    <text x="6" y="14">quality</text>
    <text x="56" y="14">{tier}</text>
  </g>
</svg>
"""


def print_text(quality: Quality, output: TextIO) -> None:
    """Print the tier, unmet and exempt rules, commands that prove the met rules, and false claims."""
    click.echo(f"Quality: {quality.tier or 'no tier yet'}", output)
    for tier in TIERS:
        decisions = quality.list_decisions(tier)
        met = sum(one.verdict != "missing" for one in decisions)
        click.echo(f"\n{tier}  {met} of {len(decisions)}", output)
        for one in decisions:
            if one.verdict == "missing":
                for text in (f"  missing  {one.rule.id}: {one.missing}", f"           {one.rule.how}"):
                    click.echo(fill(text, get_width(output), subsequent_indent=" " * 11), output)
            elif one.verdict == "exempt" and one.claim:
                click.echo(f"  exempt   {one.rule.id}: {one.claim.reason}", output)
    unproven = quality.unproven
    if unproven:
        click.echo("\nFound in the project's files, but not run:", output)
    for command, rules in unproven.items():
        click.echo(f"  `{command}` proves {', '.join(rules)}", output)
    for one in quality.contradictions:
        assert one.claim
        click.echo(
            f"\n{one.claim.place}: error: {one.rule.id} is claimed but not met: {one.missing}\n  {one.rule.how}", output
        )


def as_json(quality: Quality) -> dict[str, Any]:
    """Return the document of the schema ``hermes-sdk.quality-report/1``."""
    rules = [
        {
            "id": one.rule.id,
            "tier": one.rule.tier,
            "verdict": one.verdict,
            "missing": one.missing,
            "claim": one.claim.status if one.claim else None,
            "reason": one.claim.reason if one.claim else "",
            "place": one.claim.place if one.claim else "",
            "contradicted": one.is_contradicted,
            "proof": one.rule.proof,
        }
        for one in quality.decisions
    ]
    return {"schema": "hermes-sdk.quality-report/1", "tier": quality.tier, "next": quality.next_tier, "rules": rules}


def write_badge(quality: Quality, file: Path) -> None:
    """Write the badge: for a ``.json`` file, the format of shields.io endpoints, otherwise SVG."""
    tier, color = quality.tier or "none", _COLORS[quality.tier]
    if file.suffix == ".json":
        content = {"schemaVersion": 1, "label": "quality", "message": tier, "color": color.removeprefix("#")}
        text = json.dumps(content) + "\n"
    else:
        right = 14 + 7 * len(tier)
        text = _SVG.format(width=50 + right, right=right, color=color, tier=tier)
    write_file(file, text.encode())
