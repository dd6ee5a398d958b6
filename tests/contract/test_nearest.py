"""The contract of an installed Hermes is that of the nearest known release."""

import pytest

from hermes_sdk import contract
from hermes_sdk.errors import UsageError


@pytest.mark.parametrize(
    ("release", "nearest"),
    [
        ("0.22.2", "0.22.2"),
        ("0.22.2.post1", "0.22.2"),
        ("0.22.3rc1", "0.22.2"),
        ("0.20.1.2", "0.20.1"),
        ("0.24.0", "0.23.4"),
        ("1.0", "0.23.4"),
        ("0.12.9", "0.13.0"),
        ("0.24.0@/opt/hermes", "0.23.4"),
        ("git:https://example.org/hermes@main", contract.DEFAULT),
    ],
)
def test_nearest_known_release_is_found(release: str, nearest: str) -> None:
    assert contract.find_nearest(release) == nearest
    assert contract.load_closest(release).release == nearest


def test_location_of_an_installed_hermes_is_split_into_release_and_path() -> None:
    assert contract.split_location("0.24.0@/opt/a@b") == ("0.24.0", "/opt/a@b")
    assert contract.split_location("git:https://example.org/hermes@/main")[1] == ""
    assert contract.load("0.24.0@/opt/hermes").release == "0.23.4"
    assert contract.grade("0.19.0@/opt/hermes") == "proven"
    assert contract.grade("0.24.0@/opt/hermes") is None
    assert not contract.is_modelled("0.22.2@/opt/hermes")
    with pytest.raises(UsageError):
        contract.load("0.24.0")


def test_reports_name_the_path_and_the_nearest_known_release() -> None:
    assert contract.format_release("0.22.2@/opt/hermes", "real") == "0.22.2 at /opt/hermes"
    assert contract.format_release("0.24.0@/opt/hermes", "real") == "0.24.0 (nearest known: 0.23.4) at /opt/hermes"
    assert contract.format_release("0.22.2", "real") == "0.22.2"
