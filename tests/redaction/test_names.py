"""Names of keys and variables with secret values, and positions of secrets in texts."""

import json
from typing import Any

import pytest

from hermes_sdk.redaction import REDACTED, Redactor, list_secrets, list_stored_secrets

PHRASE = "legal winner thank year wave sausage worth useful legal winner thank yellow"

SECRETS = [
    ("password", "hunter"),
    ("passwd", "a b c"),
    ("pwd", "hunter"),
    ("SMTP_PASS", "correct-horse"),
    ("DB_PASS", "Kq7/fish"),
    ("dbpass", "kq7fish"),
    ("MYSQL_PWD", "kq7fish"),
    ("smtpPass", "kq7fish"),
    ("db.pass", "kq7fish"),
    ("pass", "kq7%fish"),
    ("pass", "hunter"),
    ("pass", "123456"),
    ("pin", "4711"),
    ("user_pin", "0042"),
    ("seed", PHRASE),
    ("wallet_seed", PHRASE),
    ("seed", "JBSWY3DPEHPK3PXP"),
    ("seedPhrase", PHRASE),
    ("mnemonic", PHRASE),
    ("jwt", "a.b.c"),
    ("SENTRY_DSN", "https://kq7fish9@sentry.example/1"),
    ("webhook", "https://example.com/in/kq7fish"),
    ("webhook_url", "https://example.com/in/kq7fish"),
    ("client_secret", "hunter"),
    ("API Key", "kq7fish"),
    ("apiKey", "kq7fish"),
    ("X-Auth-Token", "kq7fish"),
    ("Set-Cookie", "session=kq7fish"),
    ("auth", "kq7:fish"),
    ("credentials", "kq7fish"),
    ("tokens", "kq7fish"),
    ("api_key", 20401),
    ("NOTES_KEY", "kq7fish"),
    ("NOTES_AUTH", "kq7fish"),
]
ORDINARY = [
    ("pin", True),
    ("pin", "message"),
    ("pin", 17),
    ("pin", "17"),
    ("pin_message", "kq7fish"),
    ("pinned", "kq7fish"),
    ("spinning", "kq7fish"),
    ("seed", 42),
    ("seed", "42"),
    ("seed", "1234567"),
    ("seed", "the seed of the random generator"),
    ("seed", "random"),
    ("seeds", [1, 2]),
    ("pass", 12),
    ("pass", "12"),
    ("pass", "3/4"),
    ("pass", "all tests of the second run are green"),
    ("pass", "ok"),
    ("pass_count", "kq7fish"),
    ("passed", "kq7fish"),
    ("passenger", "kq7fish"),
    ("compass", "kq7fish"),
    ("bypass", "kq7fish"),
    ("pwd", "/some/dir"),
    ("PWD", "/home/user/My Project"),
    ("OLDPWD", "/some/dir"),
    ("OLDPWD", "~/dir"),
    ("tokens", 31),
    ("max_tokens", 100),
    ("token_count", "31"),
    ("token_type", "bearer"),
    ("webhook", True),
    ("webhook", "on message"),
    ("auth", "oauth2"),
    ("auth", "none"),
    ("password", None),
    ("password", "${SMTP_PASS}"),
    ("password_field", "#login"),
    ("secret", True),
    ("secretary", "kq7fish"),
    ("author", "kq7fish"),
    ("tokenizer", "kq7fish"),
    ("key", "kq7fish"),
    ("session_key", "agent:main:telegram:dm:u1"),
    ("sort_key", "created_at"),
    ("SORT_KEY", "created_at"),
    ("PUBLIC_KEY", "kq7fish"),
    ("SSH_AUTH_SOCK", "/tmp/ssh/agent.1"),
    ("GIT_AUTHOR_NAME", "kq7fish"),
    ("monkey", "kq7fish"),
    ("public_key", "kq7fish"),
]


@pytest.mark.parametrize(("name", "value"), SECRETS)
def test_value_with_secret_name_is_redacted(name: str, value: Any) -> None:
    assert Redactor().value({name: value, "other": [{name: value}]}) == {name: REDACTED, "other": [{name: REDACTED}]}
    text = Redactor().text(json.dumps({"before": 1, name.replace(" ", "_"): str(value), "after": 2}))
    assert json.loads(text) == {"before": 1, name.replace(" ", "_"): REDACTED, "after": 2}


@pytest.mark.parametrize(("name", "value"), ORDINARY)
def test_ordinary_value_with_similar_name_is_kept(name: str, value: Any) -> None:
    for whole in ({name: value}, {"a": [{name: [value]}]}, json.dumps({name: value}, indent=2), f"{name}={value}"):
        redactor = Redactor()
        redactor.learn(whole)
        assert redactor.value(whole) == whole


@pytest.mark.parametrize(
    "text",
    [
        "the seed of the random generator is seed=42, seed: 7",
        "pass: 12, fail: 3; pass: lint, pass: mypy",
        "they passed: the compass: a passenger: bypass=1 spinning: pinned=2",
        "pwd: /some/dir\nPWD=/home/user OLDPWD=/tmp",
        "call the tool pin_message: it has pass_count=3 and tokens: 31",
        'token = os.environ["NOTES_TOKEN"]\npassword = get_password()\nconnect(password=self.password)\n',
        "def connect(token: str, password: str | None = None, secret: bytes = b'') -> None:",
        "Args:\n    token: The token of the session, to be compared.\n    tokens: Tokens that were sent\n",
        "connect(password=password, token=None,\n    max_tokens=limit,\n)\nself.secret = secret\nseed=None,\n",
        '{"input_tokens": prompt, "output_tokens": [1, 2]}',
        "permissions:\n  id-token: write\n",
        "Note on the seed: this one sets the state of each random generator that tests use here.",
        "docker run -u 1000:1000 https://example.com/reset/password",
        "Basic knowledge, basic understanding, bearer certificates",
        'curl -H "Authorization: Bearer $TOKEN" --password-stdin',
        "https://github.com/o/r/commit/9f86d081884c7d659a2feaa0c55ad015a3bf4f1b",
        "https://example.com/How-to-Install-Python-3-on-Ubuntu-22/8c1e2f3a-1b2c-4d5e-8f90-a1b2c3d4e5f6?page=2#top",
        "git@github.com:o/r.git ssh://git@github.com/o/r user@example.com:/path http://127.0.0.1:8080/v1",
        '{"type": "object", "properties": {"password": {"type": "string", "description": "The password."}}}',
    ],
)
def test_ordinary_text_is_unchanged(text: str) -> None:
    redactor = Redactor()
    redactor.learn(text)
    assert redactor.text(text) == text


@pytest.mark.parametrize(
    ("text", "redacted"),
    [
        ("redis://:kq7fish@host:6379/0", "redis://<redacted>@host:6379/0"),
        ("https://user:p%40ss@host/", "https://<redacted>@host/"),
        ("https://a1B2c3D4e5F6g7H8i9J0@sentry.example/1", "https://<redacted>@sentry.example/1"),
        ("https://hooks.slack.com/services/T0/B0/kq7fish", "https://hooks.slack.com/services/<redacted>"),
        ("https://discord.com/api/webhooks/12345/kq7fish", "https://discord.com/api/webhooks/<redacted>"),
        ("https://api.telegram.org/bot12345:kq7fish/send", "https://api.telegram.org/bot<redacted>/send"),
        ("https://example.com/hooks/kq7fishtea42/run", "https://example.com/hooks/<redacted>/run"),
        ("see https://example.com/i/x7Kq2mB9Lw4Zt8Rv1NpS, then", "see https://example.com/i/<redacted>, then"),
        (
            "https://example.com/?q=1&sig=kq7%2Ffish&key=a1b2c3",
            "https://example.com/?q=1&sig=<redacted>&key=<redacted>",
        ),
        ("a eyJhbGciOiJI.eyJzdWIiOiIx.c2lnbmF0dXJl b", "a <redacted> b"),
        (
            "<db><password>a &amp; b</password><pin>17</pin></db>",
            "<db><password><redacted></password><pin>17</pin></db>",
        ),
        ("<ns:dbPass kind='x'>kq7fish</ns:dbPass>", "<ns:dbPass kind='x'><redacted></ns:dbPass>"),
        ('<user name="me" password="a b"/>', '<user name="me" password="<redacted>"/>'),
        ('<property name="password" value="a b"/>', '<property name="password" value="<redacted>"/>'),
        ("Basic dXNlcjprcTdmaXNo", "Basic <redacted>"),
        ("Cookie: a=1; session=kq7fish\nAccept: */*", "Cookie: <redacted>\nAccept: */*"),
        ("Server=x;Uid=u;Pwd=kq7fish;Timeout=3", "Server=x;Uid=u;Pwd=<redacted>;Timeout=3"),
        ("export SMTP_PASS=a(b)&c;d\nPORT=25", "export SMTP_PASS=<redacted>\nPORT=25"),
        ("smtp:\n  pass: kq7&fish\n  port: 25\n", "smtp:\n  pass: <redacted>\n  port: 25\n"),
        ("mysql --password kq7fish --host db", "mysql --password <redacted> --host db"),
        ('{"password": "kq7fi', '{"password": "<redacted>'),
        (f"The seed phrase: {PHRASE}.", "The seed phrase: <redacted>."),
        (f"mnemonic={PHRASE}", "mnemonic=<redacted>"),
        ("curl -s -u me:kq7fish https://example.com", "curl -s -u me:<redacted> https://example.com"),
        ("https://example.com/reset/9f86d081884c7d659a2feaa0", "https://example.com/reset/<redacted>"),
    ],
)
def test_secret_in_text_is_recognised_by_its_position(text: str, redacted: str) -> None:
    assert Redactor().text(text) == redacted
    assert Redactor().text(redacted) == redacted


def test_pairs_of_name_and_value_are_redacted() -> None:
    value = [{"name": "API_KEY", "value": "kq7fish"}, {"name": "region", "value": "kq7fish"}]
    assert Redactor().value(value) == [{"name": "API_KEY", "value": REDACTED}, {"name": "region", "value": "kq7fish"}]


def test_secret_variables_are_found_by_name_and_stored_ones_by_value() -> None:
    variables = {
        "OPENAI_API_KEY": "sk",
        "NOTES_AUTH": "kq7fish",
        "FOO_KEY": "kq7fish2",
        "SMTP_PASS": "hunter",
        "PWD": "/some/dir",
        "SSH_AUTH_SOCK": "/tmp/ssh/agent.1",
        "GIT_AUTHOR_NAME": "Somebody",
    }
    assert list_secrets(variables) == ["sk", "kq7fish", "kq7fish2", "hunter"]
    stored = {
        "NOTES_CODE": "kq7-blue-fish",
        "DATABASE_URL": "postgres://u:kq7fish@host/db",
        "PORT": "8765",
        "DEBUG": "true",
        "EMPTY": "",
        "MODEL": "gpt-4o-mini",
        "OTHER": "openai/gpt-4.1",
        "BASE_URL": "http://127.0.0.1:8080/v1",
        "WHERE": "https://example.com/v1/items",
        "TZ": "Europe/Berlin",
        "LANG": "en_US.UTF-8",
        "FILES": "/srv/files",
        "GREETING": "hello there",
        "NAMED": "hello",
    }
    assert list_stored_secrets(stored, ["NAMED"]) == ["kq7-blue-fish", "postgres://u:kq7fish@host/db", "hello"]
