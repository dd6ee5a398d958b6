"""The chat service of the example ``pigeon``, within the host: nothing else is reached in a replay."""

import json
import os
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

KNOWN = {"mia", "+team"}


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    wbufsize = 65536  # One packet for an answer, which nothing then delays.

    def do_GET(self):
        """Say that nothing was written; a client that waits for more waits until it hangs up."""
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
