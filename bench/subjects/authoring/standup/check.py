def test_notes_are_shown_in_order(hermes):
    hermes.command("/standup fixed the login")
    hermes.command("/standup wrote tests")
    shown = hermes.command("/standup")
    assert 0 <= shown.find("fixed the login") < shown.find("wrote tests")


def test_notes_survive_a_restart(hermes):
    hermes.command("/standup fixed the login")
    hermes.configure(config={"display": {"compact": True}})
    assert "fixed the login" in hermes.command("/standup")


def test_without_notes_it_answers(hermes):
    assert hermes.command("/standup")
