"""``delegate_task``: sessions that a turn starts for parts of its work (D24)."""

from __future__ import annotations
