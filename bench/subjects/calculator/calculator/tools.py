import json
import math

NAMES = {name: getattr(math, name) for name in ("sqrt", "sin", "cos", "log", "floor", "ceil", "pi", "e")}
BASE = {"m": 1.0, "km": 1000.0, "mi": 1609.34}, {"MB": 1.0, "GB": 1024.0, "TB": 1024.0**2}
DEGREES = {"C": (1.0, 0.0), "F": (5 / 9, -32.0), "K": (1.0, -273.15)}


def calculate(args: dict, **kwargs) -> str:
    expression = args.get("expression", "")
    if not expression:
        return json.dumps({"error": "nothing to compute"})
    try:
        return json.dumps({"expression": expression, "result": eval(expression, {"__builtins__": {}}, NAMES)})
    except Exception as error:
        return json.dumps({"expression": expression, "error": str(error)})


def unit_convert(args: dict, **kwargs) -> str:
    value, source, target = args.get("value"), args.get("from_unit"), args.get("to_unit")
    if value is None:
        return json.dumps({"error": "no amount"})
    if source in DEGREES and target in DEGREES:
        (factor, offset), (other, back) = DEGREES[source], DEGREES[target]
        return answer(value, source, (value + offset) * factor / other - back, target)
    for units in BASE:
        if source in units and target in units:
            return answer(value, source, value * units[source] / units[target], target)
    return json.dumps({"error": f"no way from {source} to {target}"})


def answer(value, source, result, target):
    result = round(result, 4)
    return json.dumps({"input": f"{value} {source}", "result": result, "output": f"{result} {target}"})
