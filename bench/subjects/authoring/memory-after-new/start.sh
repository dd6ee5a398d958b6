#!/bin/sh
set -eu
hermes-sdk new memory-provider --no-input --name "Team Memory"
sed -i 's/        self._session = new_session_id/        self.shutdown()/' team-memory/team_memory/provider.py
