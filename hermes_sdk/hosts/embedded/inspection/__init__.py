"""What a host can say of a plugin: its report, and where it registered what."""
