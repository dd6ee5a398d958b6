"""Extracting the contract of an installed host."""

import venv

import pytest

from hermes_sdk import contract
from hermes_sdk.contract.diff import compare
from hermes_sdk.contract.extract import extract
from hermes_sdk.errors import UnavailableError

# The other packages of an environment depend on the day of its creation; a redistribution has its own version number.
NOT_OF_THE_RELEASE = {"third_party_modules", "release"}


def test_extraction_fails_for_a_python_without_hermes(tmp_path):
    venv.create(tmp_path, with_pip=False, symlinks=True)
    with pytest.raises(UnavailableError, match=r"hermes-agent is not installed for .*bin/python") as caught:
        extract(tmp_path / "bin" / "python")
    assert "hermes-agent" in caught.value.fix


def test_extraction_fails_for_a_missing_python(tmp_path):
    with pytest.raises(UnavailableError, match="cannot be run"):
        extract(tmp_path / "python")


def test_extraction_fails_for_a_program_other_than_python(tmp_path):
    with pytest.raises(UnavailableError, match="cannot be read"):
        extract(tmp_path.joinpath("/bin/true"))


# Each run compares only the bytes that `hermes-sdk contract extract` writes for the oldest release.
@pytest.mark.slow
@pytest.mark.real_host
@pytest.mark.parametrize("release", [*contract.known_releases()[:10], *contract.releases()])
def test_shipped_data_equals_a_new_extraction(release, real_python):
    shipped = contract.load(release)
    extracted = extract(real_python(release))
    assert set(shipped.sections) == set(extracted)
    changes = [
        change
        for name in set(extracted) - NOT_OF_THE_RELEASE
        for change in compare((name,), shipped.section(name), extracted[name])
    ]
    assert changes == []
