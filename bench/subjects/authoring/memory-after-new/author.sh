#!/bin/sh
set -eu
cd team-memory
hermes-sdk verify || true
hermes-sdk docs MemoryProvider.on_session_switch
sed -i '/def on_session_switch/,/def shutdown/ s/        self.shutdown()/        self._session = new_session_id/' \
    team_memory/provider.py
hermes-sdk verify
