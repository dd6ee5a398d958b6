"""Services of ``ctx`` other than registration: settings, state, events, grants, actions in chats."""
