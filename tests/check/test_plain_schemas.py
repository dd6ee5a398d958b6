from hypothesis import given
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from hermes_sdk.check.rules.tools import is_plain

KEYWORDS = (
    "type title description properties required additionalProperties items enum default minimum maximum minLength "
    "maxLength minItems maxItems pattern $ref"
)
NAMES = st.sampled_from(["object", "string", "int", "a", "a"])
VALUES = st.none() | st.booleans() | st.integers(-2, 2) | st.floats(-2, 2) | NAMES | st.lists(NAMES, max_size=3)
SCHEMAS = st.recursive(
    VALUES,
    lambda inner: (
        st.dictionaries(st.sampled_from(KEYWORDS.split()), inner, max_size=3)
        | st.dictionaries(st.just("properties"), st.dictionaries(NAMES, inner, max_size=2))
    ),
)


@given(SCHEMAS)
def test_plain_schema_is_valid(schema):
    if is_plain(schema):
        Draft202012Validator.check_schema(schema)


def test_common_schema_is_plain():
    sides = {"type": "integer", "description": "How many.", "minimum": 2, "default": 6}
    assert is_plain({"type": "object", "properties": {"sides": sides}, "required": ["sides"]})
    assert not is_plain({"type": "object", "properties": {"sides": {"type": "int"}}})
