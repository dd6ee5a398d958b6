"""Approval of calls, and prompts to the user of a chat. The package must not import `tools`."""
