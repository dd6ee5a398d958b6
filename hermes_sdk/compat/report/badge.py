"""SVG badge with the releases that a plugin supports."""

from __future__ import annotations

from hermes_sdk.compat.outcomes import Matrix
from hermes_sdk.contract import parse_release

_HEIGHT, _PADDING, _WIDTH_OF_LETTER = 20, 12, 6.6
_GREEN, _YELLOW, _RED = "#2e7d32", "#8a6100", "#b3261e"

_SVG = """\
<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" role="img" aria-label="{label}: {value}">
  <title>{label}: {value}</title>
  <clipPath id="round"><rect width="{width}" height="{height}" rx="3"/></clipPath>
  <g clip-path="url(#round)">
    <rect width="{split}" height="{height}" fill="#444"/>
    <rect x="{split}" width="{rest}" height="{height}" fill="{colour}"/>
  </g>
  <g fill="#fff" text-anchor="middle" font-family="Verdana,DejaVu Sans,sans-serif" font-size="11">
    <text x="{left}" y="14">{label}</text>
    <text x="{right}" y="14">{value}</text>
  </g>
</svg>
"""


def badge(matrix: Matrix) -> str:
    """Return a plugin's badge as SVG: green if it passes on the newest proven release, red if it passes on none."""
    value = span(matrix)
    newest_passes = next(reversed(matrix.passing.values()), False)
    split, rest = _measure_width("Hermes"), _measure_width(value)
    return _SVG.format(
        label="Hermes",
        value=value,
        width=split + rest,
        height=_HEIGHT,
        split=split,
        rest=rest,
        left=split / 2,
        right=split + rest / 2,
        colour=_GREEN if newest_passes else _YELLOW if matrix.floor else _RED,
    )


def span(matrix: Matrix) -> str:
    """Return the releases on which a plugin passes without a gap from its floor: ``0.16–0.19``, or ``none``.

    ``0.21, not verified`` means that it needs an API that no proven release has.
    """
    if matrix.floor is None:
        return "none"
    passing = [release for release, passes in matrix.passing.items() if passes]
    later = [release for release in passing if parse_release(release) >= parse_release(matrix.floor)]
    if not later:
        return f"{_shorten_release(matrix.floor)}, not verified"
    first, last = _shorten_release(matrix.floor), _shorten_release(later[-1])
    return first if first == last else f"{first}–{last}"


def _shorten_release(release: str) -> str:
    return release.removesuffix(".0") if release.count(".") == 2 else release


def _measure_width(text: str) -> int:
    return round(len(text) * _WIDTH_OF_LETTER) + _PADDING
