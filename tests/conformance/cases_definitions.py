"""Cases of section C: tool definitions for the model."""

from conformance.case import case
from conformance.recorder import recorder


@case("C12", one=recorder("for name in ('b', 'C', 'a', '_', 'a_b', 'read_file'): tool(name, toolset=name)"))
def definitions_are_sorted_by_name(host):
    return host.definitions()


@case("C12", one=recorder("tool('t'); tool('off', check_fn=lambda: False); tool('u', toolset='no such/toolset')"))
def tools_of_unknown_toolsets_are_offered_and_unavailable_ones_not(host):
    return host.definitions()


@case("C12", one=recorder("tool('t'); tool('off', check_fn=lambda wanted: True)"))
def a_check_fn_with_a_parameter_hides_its_tool(host):
    return host.definitions()


@case(
    "C13",
    one=recorder("""
        import pathlib
        counter = pathlib.Path("counter")
        counter.write_text(counter.read_text() + "x" if counter.exists() else "x")
        for number in range(len(counter.read_text())): tool(f"t{number}")
    """),
)
def definitions_follow_the_registry(host):
    before = host.definitions(), host.definitions()
    host.rescan()
    return [before, host.definitions()]


ODD_PARAMETERS = {
    "absent": None,
    "text": "object",
    "list": [1],
    "bare": {"type": "object"},
    "no_type": {"properties": {"a": {"type": "string"}}},
    "scalar": {"type": "string"},
    "branches": {"type": "object", "anyOf": [{}], "oneOf": [{}], "allOf": [{}], "enum": [1], "not": {}, "title": "T"},
    "bare_text": {"type": "object", "properties": {"a": "string", "b": "nonsense", "c": {"items": "integer"}}},
    "nested": {"properties": {"a": {"type": "object"}, "b": {"type": "array", "items": {"type": "object"}}}},
    "nullable": {"properties": {"a": {"type": ["string", "null"]}, "b": {"type": ["null"]}, "c": {"type": []}}},
    "union": {"properties": {"a": {"type": ["string", "integer"]}, "b": {"type": ["integer", "string", "null"]}}},
    "any_of": {
        "properties": {
            "a": {"anyOf": [{"type": "string"}, {"type": "null"}], "title": "T", "description": "D", "default": None},
            "b": {"oneOf": [{"type": "object"}, {"type": "null"}], "examples": [1]},
            "c": {"anyOf": [{"type": "string"}, {"type": "integer"}, {"type": "null"}]},
        }
    },
    "required": {"properties": {"a": {}}, "required": ["a", "gone"]},
    "required_all_gone": {"type": "object", "properties": {"a": {"type": "object", "required": ["gone"]}}},
    "reference": {"properties": {"a": {"$ref": "#/$defs/a", "default": 1}}, "$defs": {"a": {"type": "object"}}},
    "closed": {"properties": {}, "additionalProperties": False, "patternProperties": {"^x": {"type": "object"}}},
}


REQUIRING = {
    **{name: parameters for name, parameters in ODD_PARAMETERS.items() if isinstance(parameters, dict)},
    "lifted": {
        "properties": {"a": {"type": "string", "required": True}, "b": {"required": False}},
        "required": ["b"],
        "type": "object",
    },
    "data": {"properties": {"a": {"type": "object", "default": {"type": "object"}, "x-more": ["string"]}}},
    "parts": {"properties": {"a": {"if": {"type": "object"}, "prefixItems": ["string"], "contains": "integer"}}},
    "pattern": {"patternProperties": {"^x": "string"}, "dependentSchemas": {"a": {"type": "object"}}},
}


@case(
    "C14",
    one=recorder(f"for name, parameters in {REQUIRING!r}.items(): tool(name, parameters=parameters)"),
    releases=["0.20.2", "0.22.2"],
)
def object_schemas_list_required_properties_in_some_releases(host):
    return host.definitions()


@case("C14", one=recorder(f"for name, parameters in {ODD_PARAMETERS!r}.items(): tool(name, parameters=parameters)"))
def schemas_are_repaired_for_the_model(host):
    return host.definitions()
