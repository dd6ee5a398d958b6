"""Ranges of releases, as `requires_hermes` and ``--target`` write them."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from packaging.specifiers import SpecifierSet

from hermes_sdk.contract.ordering import Supported

RELEASES = ["0.13.0", "0.15.2", "0.16.0", "0.18.1", "0.19.0", "0.21.4", "1.0.0"]
VERSION = st.sampled_from(["0", "0.16", *RELEASES])
CLAUSE = st.builds("{}{}".format, st.sampled_from([">=", ">", "<=", "<", "==", "!="]), VERSION)


@given(st.lists(CLAUSE, min_size=1, max_size=3).map(", ".join), st.sampled_from(RELEASES))
def test_plain_clauses_work_like_package_specifiers(text: str, release: str) -> None:
    assert Supported.parse(text).admits(release) == SpecifierSet(text).contains(release)


@pytest.mark.parametrize(
    ("text", "admitted"),
    [
        ("0.16", ["0.16.0", "0.18.1", "0.19.0", "0.21.4", "1.0.0"]),
        (" >= v0.19.0 , <1 ", ["0.19.0", "0.21.4"]),
        (">=0.19.0-rc.1", ["0.19.0", "0.21.4", "1.0.0"]),
        ("==0.16.0.7", ["0.16.0"]),
    ],
    ids=["a bare version", "spaces", "a suffix", "a fourth number"],
)
def test_host_specific_clauses_are_parsed(text: str, admitted: list[str]) -> None:
    assert [release for release in RELEASES if Supported.parse(text).admits(release)] == admitted


@pytest.mark.parametrize("text", ["", "newest", ">=", "~=0.16", ">=0.16,", "=0.16", "<0.x"])
def test_invalid_range_is_rejected(text: str) -> None:
    with pytest.raises(ValueError, match="is not a clause"):
        Supported.parse(text)
