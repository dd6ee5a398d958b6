import pytest


def test_dice_are_rolled(hermes):
    answers = [hermes.call_tool("dice_roll", notation="4d6").json for _ in range(20)]
    assert all(len(one["rolls"]) == 4 and one["total"] == sum(one["rolls"]) for one in answers)
    assert {roll for one in answers for roll in one["rolls"]} <= set(range(1, 7))
    assert len({tuple(one["rolls"]) for one in answers}) > 1


@pytest.mark.parametrize("notation", ["", "two dice", "0d6", "2d0", "-1d6", "101d6"])
def test_nonsense_is_an_error(hermes, notation):
    assert hermes.call_tool("dice_roll", notation=notation).error


def test_a_missing_notation_is_an_error(hermes):
    assert hermes.call_tool("dice_roll").error
