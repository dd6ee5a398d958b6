"""The calls that a person has to approve, and how the user of a chat is asked. Must not import tools."""
