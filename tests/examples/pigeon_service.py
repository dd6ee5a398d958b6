"""Chat service of the example ``pigeon``, and its transport for the platform suite."""

from __future__ import annotations

import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qs, urlsplit

from hermes_sdk.testing import Received, TcpTransport

TOKEN = "t0ken-of-the-agent"


class Service(ThreadingHTTPServer):
    """Stores messages, and delivers them to clients with the token."""

    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.token = TOKEN
        self.chats = {"mia": "dm", "tom": "dm", "+team": "group"}
        self.written: list[dict[str, object]] = []
        self.posted: list[Received] = []
        self.news = threading.Condition()
        self.closed = False

    def write(self, chat: str, text: str) -> None:
        """Let somebody write in a chat."""
        with self.news:
            message = {"id": len(self.written) + 1, "chat": chat, "kind": self.chats[chat], "user": "mia", "text": text}
            self.written.append(message)
            self.news.notify_all()

    def stop(self) -> None:
        """Release all waiting clients."""
        with self.news:
            self.closed = True
            self.news.notify_all()
        self.shutdown()
        self.server_close()

    def handle_error(self, *_: object) -> None:
        """Ignore clients that hang up."""


class Handler(BaseHTTPRequestHandler):
    """Answers one request after the other."""

    protocol_version = "HTTP/1.1"
    wbufsize = 65536  # Send each answer in one packet, to avoid delays.
    server: Service

    def do_GET(self) -> None:
        """Return new messages, or wait for one."""
        asked = parse_qs(urlsplit(self.path).query)
        after, wait = (int(asked[name][0]) for name in ("after", "wait"))
        with self.server.news:
            self.server.news.wait_for(lambda: self.server.closed or len(self.server.written) > after, wait)
            self._answer(200, self.server.written[after:])

    def do_POST(self) -> None:
        """Accept a message."""
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        if body["chat"] not in self.server.chats:
            self._answer(404, {})
        elif self.path == "/typing":
            self._answer(200, {})
        else:
            size = len(body["text"].encode("utf-16-le")) // 2
            self.server.posted.append(Received(body["chat"], body["text"], size))
            self._answer(201, {"id": len(self.server.posted)})

    def _answer(self, status: int, body: object) -> None:
        if self.headers["Authorization"] != f"Bearer {self.server.token}":
            status, body = 401, {}
        data = json.dumps(body).encode()
        self.send_response(status)
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, *_: object) -> None:
        """Log nothing."""


class PigeonTransport(TcpTransport):
    """The service behind an unreliable network."""

    chats = ("mia", "tom", "+team")
    nowhere = "nobody"
    limit = 500

    def __init__(self) -> None:
        self.service = Service()
        threading.Thread(target=self.service.serve_forever, args=(0.01,), daemon=True).start()
        super().__init__("127.0.0.1", self.service.server_port)
        self.environment = {
            "PIGEON_URL": "http://{}:{}".format(*self.address),
            "PIGEON_TOKEN": self.service.token,
        }

    @property
    def received(self) -> list[Received]:
        """Return the posted messages."""
        return self.service.posted

    def deliver(self, chat: str, text: str) -> None:
        """Write a message."""
        self.service.write(chat, text)

    def forbid(self) -> None:
        """Change the token."""
        self.service.token = "another"

    def accept(self) -> None:
        """Restore the token."""
        self.service.token = TOKEN
        super().accept()

    def close(self) -> None:
        """Stop the service."""
        super().close()
        self.service.stop()
