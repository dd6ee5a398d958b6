"""Skills of plugins and of the home, and the results of the tool `skill_view`. Must not import `tools`."""
