"""The order of releases."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from packaging.version import Version

from hermes_sdk.contract import parse_release

RELEASES = st.lists(st.integers(0, 20), min_size=1, max_size=3).map(lambda numbers: ".".join(map(str, numbers)))


@given(RELEASES, RELEASES)
def test_releases_are_ordered_like_package_versions(one: str, other: str) -> None:
    assert (parse_release(one) < parse_release(other)) == (Version(one) < Version(other))


@pytest.mark.parametrize("name", ["git:main", ""])
def test_name_without_a_number_cannot_be_ordered(name: str) -> None:
    with pytest.raises(ValueError, match="invalid literal"):
        parse_release(name)
