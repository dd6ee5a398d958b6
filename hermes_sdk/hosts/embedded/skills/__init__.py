"""Skills: those of plugins, those of the home, and what the tool `skill_view` answers."""
