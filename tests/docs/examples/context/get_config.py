def register(ctx):
    ctx.register_command("tree", lambda text: ctx.get_config("tree", "birch"))


def test_tree_comes_from_the_configuration(hermes):
    assert hermes.command("/tree") == "birch"
    hermes.configure(config={"plugins": {"entries": {"get_config": {"settings": {"tree": "oak"}}}}})
    assert hermes.command("/tree") == "oak"
