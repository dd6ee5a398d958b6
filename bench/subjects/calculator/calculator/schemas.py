CALCULATE = {
    "name": "calculate",
    "description": "Compute an expression such as 2**10 or sqrt(144).",
    "parameters": {
        "type": "object",
        "properties": {"expression": {"type": "string", "description": "What to compute"}},
        "required": ["expression"],
    },
}
UNIT_CONVERT = {
    "name": "unit_convert",
    "description": "Express an amount in another unit of length, data or temperature.",
    "parameters": {
        "type": "object",
        "properties": {
            "value": {"type": "number", "description": "The amount"},
            "from_unit": {"type": "string", "description": "Its unit"},
            "to_unit": {"type": "string", "description": "The unit wanted"},
        },
        "required": ["value", "from_unit", "to_unit"],
    },
}
