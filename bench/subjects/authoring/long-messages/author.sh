#!/bin/sh
set -eu
cd team-chat
hermes-sdk verify || true
sed -i 's/\[\*split(content, ROOM)\]\[:1\]/split(content, ROOM)/' team_chat/adapter.py
cat >> tests/test_platform.py <<'END'
def test_a_long_answer_is_split_into_lines(ada: Person, hermes_gateway: Gateway) -> None:
    hermes_gateway.llm.script("one\n\ntwo " + "x" * 400)

    ada.says("hermes", "Count.")

    assert [ada.reads() for _ in range(4)] == ["one", "two", "x" * 340, "x" * 60]
END
hermes-sdk verify
