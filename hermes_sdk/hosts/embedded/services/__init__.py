"""What ``ctx`` offers besides registration: settings, state, events, grants, actions in chats."""
