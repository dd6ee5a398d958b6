from pathlib import Path


def register(ctx):
    skill = Path(__file__).with_name("SKILL.md")
    skill.write_text("---\nname: trees\ndescription: Identify trees.\n---\nLook at the leaves.\n")
    ctx.register_skill("trees", skill)


def test_skill_can_be_read(hermes):
    assert "Look at the leaves." in hermes.skill("register_skill:trees")["content"]
