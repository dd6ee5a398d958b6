def register(ctx):
    ctx.register_cli_command(
        "oak",
        "Print a tree.",
        lambda parser: parser.add_argument("name"),
        lambda options: print(f"{options.name}: oak"),
    )


def test_command_prints_a_tree(hermes):
    assert hermes.cli("oak", "ada").stdout == "ada: oak\n"
