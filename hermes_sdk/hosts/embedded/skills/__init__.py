"""Skills of plugins and of the home, and what the tool `skill_view` answers. Must not import tools."""
