"""The chat service of the example ``pigeon``, in the process of the host, because a replay has no other network."""

import json
import os
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

KNOWN = {"mia", "+team"}


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    wbufsize = 65536  # Send each answer in one packet, to avoid delays.

    def do_GET(self):
        """Answer that there are no messages; clients that wait for more are not answered until they disconnect."""
        if "wait=0" in self.path:
            self.answer(200, [])
        else:
            self.rfile.read(1)

    def do_POST(self):
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        known = self.path in ("/messages", "/typing") and body["chat"] in KNOWN
        self.answer(201 if known else 404, {"id": 1})

    def answer(self, status, body):
        data = json.dumps(body).encode()
        self.send_response(status)
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, *_):
        pass


def register(ctx):
    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    os.environ["PIGEON_URL"] = f"http://127.0.0.1:{server.server_port}"
