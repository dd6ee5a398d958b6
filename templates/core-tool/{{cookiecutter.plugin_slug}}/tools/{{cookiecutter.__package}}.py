"""{{ cookiecutter.plugin_name }}, a tool of Hermes Agent."""

from __future__ import annotations

import json
import math
from typing import Any

from tools.registry import registry

SCHEMA: dict[str, Any] = {
    "name": "{{ cookiecutter.__package }}",
    "description": "Compare offers of different sizes. Returns the price per unit of each, cheapest first.",
    "parameters": {
        "type": "object",
        "properties": {
            "offers": {
                "type": "array",
                "description": "The offers, with sizes in the same unit.",
                "items": {
                    "type": "object",
                    "properties": {
                        "name": {"type": "string"},
                        "price": {"type": "number"},
                        "size": {"type": "number", "exclusiveMinimum": 0},
                    },
                    "required": ["name", "price", "size"],
                },
            },
        },
        "required": ["offers"],
    },
}


def compare(args: dict[str, Any], **kwargs: Any) -> str:
    """Compare offers. Like every handler, it answers with JSON text, even for errors."""
    try:
        prices = {str(offer["name"]): float(offer["price"]) / float(offer["size"]) for offer in args["offers"]}
    except (LookupError, TypeError, ValueError, ArithmeticError):
        return json.dumps({"error": "Each offer needs a name, a price and a size above 0."})
    if not prices or not all(map(math.isfinite, prices.values())):
        return json.dumps({"error": "There is nothing to compare."})
    return json.dumps({"unit_prices": dict(sorted(prices.items(), key=lambda one: one[1]))})


registry.register(
    name="{{ cookiecutter.__package }}",
    toolset="{{ cookiecutter.plugin_slug }}",
    schema=SCHEMA,
    handler=compare,
)
