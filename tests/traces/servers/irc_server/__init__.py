"""An IRC server in the process of the host, because a replay has no other network."""

import os
import socketserver
import threading

KNOWN = {"ann", "#room"}


class Client(socketserver.StreamRequestHandler):
    def handle(self):
        nick = ""
        for line in self.rfile:
            command, _, rest = line.decode().rstrip("\r\n").partition(" ")
            target = rest.partition(" ")[0]
            if command == "NICK":
                nick = rest
            elif command == "USER":
                self.write(f":irc 001 {nick} :Welcome")
            elif command == "PING":
                self.write(f":irc PONG irc {rest}")
            elif command == "PRIVMSG" and target not in KNOWN:
                self.write(f":irc 401 {nick} {target} :No such nick or channel")

    def write(self, line):
        self.wfile.write(f"{line}\r\n".encode())


class Server(socketserver.ThreadingTCPServer):
    daemon_threads = True

    def handle_error(self, request, client_address):
        """Print nothing, because clients reset their connections when the host ends."""


def register(ctx):
    server = Server(("127.0.0.1", 0), Client)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    os.environ["PLAIN_IRC_SERVER"] = f"127.0.0.1:{server.server_address[1]}"
