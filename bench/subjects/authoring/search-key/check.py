import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest


class Service(BaseHTTPRequestHandler):
    """A search service that rejects requests without the key."""

    def do_GET(self):
        is_allowed = self.headers["Authorization"] == "Bearer open sesame"
        self.send_response(200 if is_allowed else 401)
        self.end_headers()
        found = [{"title": "Tea", "url": "http://tea", "content": "Hot."}] if is_allowed else []
        self.wfile.write(json.dumps({"results": found}).encode())

    def log_message(self, *args):
        pass


@pytest.fixture(autouse=True)
def service(monkeypatch):
    monkeypatch.setenv("HOUSE_SEARCH_KEY", "open sesame")
    with ThreadingHTTPServer(("127.0.0.1", 0), Service) as server:
        threading.Thread(target=server.serve_forever, args=(0.01,)).start()
        monkeypatch.setenv("HOUSE_SEARCH_URL", f"http://127.0.0.1:{server.server_port}/search")
        yield
        server.shutdown()


@pytest.mark.hermes(config={"web": {"backend": "house-search"}})
def test_the_key_is_sent(hermes):
    (found,) = hermes.call_tool("web_search", query="tea").json["data"]["web"]
    assert (found["title"], found["description"]) == ("Tea", "Hot.")
