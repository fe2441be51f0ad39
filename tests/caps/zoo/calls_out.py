"""Tries the loopback, then the world (an address nobody has)."""

import socket

server = socket.create_server(("127.0.0.1", 0))
socket.create_connection(server.getsockname(), timeout=5).close()
print("loopback works", flush=True)
try:
    socket.create_connection(("192.0.2.1", 9), timeout=2)
except OSError as error:
    print(type(error).__name__, error, flush=True)
