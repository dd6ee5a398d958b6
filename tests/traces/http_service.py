"""A local web service that returns a secret with each answer."""

import gzip
import json
import threading
from collections.abc import Generator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

SECRET = "zq9-violet-otter-41"


class Service(ThreadingHTTPServer):
    """Service that answers all requests with `body`, and stores them."""

    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.url = f"http://127.0.0.1:{self.server_port}"
        self.body = json.dumps({"access_token": f"{SECRET}-answer", "sky": "clear"}).encode()
        self.headers: dict[str, str] = {}
        self.requests: list[str] = []


@contextmanager
def serve() -> Generator[Service]:
    """Run a service within the context."""
    with Service() as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.01,))
        thread.start()
        try:
            yield server
        finally:
            server.shutdown()
            thread.join()


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: Service

    def do_GET(self) -> None:
        self.server.requests.append(f"{self.command} {self.path}")
        if "Content-Length" in self.headers:
            self.rfile.read(int(self.headers["Content-Length"]))
        size = int("Transfer-Encoding" in self.headers)
        while size:
            size = int(self.rfile.readline(), 16)
            self.rfile.read(size + 2)
        accepted = [one.strip() for one in self.headers.get("Accept-Encoding", "").split(",")]
        zipped = "gzip" in accepted
        body = gzip.compress(self.server.body) if zipped else self.server.body
        self.send_response(200)
        self.send_header("Set-Cookie", f"session={SECRET}-cookie; Path=/")
        for name, value in self.server.headers.items():
            self.send_header(name, value)
        if zipped:
            self.send_header("Content-Encoding", "gzip")
        if self.path.startswith("/chunked"):
            self.send_header("Transfer-Encoding", "chunked")
            body = b"".join(b"%x\r\n%s\r\n" % (len(part), part) for part in (body[:5], body[5:], b""))
        else:
            self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body)

    do_POST = do_HEAD = do_GET

    def log_message(self, *_: Any) -> None:
        pass
