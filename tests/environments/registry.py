"""A package index on the loopback: PEP 691 with upload times, and the manners of a bad day."""

from __future__ import annotations

import base64
import hashlib
import json
import threading
from collections import defaultdict
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path


@dataclass
class Registry:
    """`uploaded`: file name to date. `broken`: so many answers are still errors; of those `held` all are.

    `password`: asked for.

    Nobody gets an answer while it is not `awake`.
    """

    folder: Path
    uploaded: dict[str, str] = field(default_factory=dict)
    broken: int = 0
    held: set[str] = field(default_factory=set)
    password: str | None = None
    port: int = 0
    asked: list[str] = field(default_factory=list)
    awake: threading.Event = field(default_factory=threading.Event)

    @property
    def url(self) -> str:
        credentials = f"somebody:{self.password}@" if self.password else ""
        return f"http://{credentials}127.0.0.1:{self.port}/simple/"

    def projects(self) -> dict[str, list[Path]]:
        found: dict[str, list[Path]] = defaultdict(list)
        for path in sorted(self.folder.iterdir()):
            found[path.name.partition("-")[0].replace("_", "-")].append(path)
        return found

    def page(self, name: str) -> bytes | None:
        files = [
            {
                "filename": path.name,
                "url": f"/files/{path.name}",
                "hashes": {"sha256": hashlib.sha256(path.read_bytes()).hexdigest()},
                "upload-time": self.uploaded.get(path.name, "2020-01-01T00:00:00Z"),
            }
            for path in self.projects().get(name, [])
        ]
        if not files:
            return None
        return json.dumps({"meta": {"api-version": "1.1"}, "name": name, "files": files}).encode()


@contextmanager
def serve(folder: Path) -> Iterator[Registry]:
    registry = Registry(folder)
    registry.awake.set()

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            registry.asked.append(self.path)
            registry.awake.wait()
            if registry.broken or self.path.removeprefix("/files/") in registry.held:
                registry.broken = max(0, registry.broken - 1)
                self.answer(503, b"try again later", "text/plain")
            elif registry.password and not self.is_known():
                self.answer(401, b"who are you?", "text/plain")
            elif self.path.startswith("/files/"):
                path = registry.folder / self.path.removeprefix("/files/")
                self.answer(200, path.read_bytes(), "application/octet-stream")
            else:
                page = registry.page(self.path.strip("/").partition("/")[2])
                kind = "application/vnd.pypi.simple.v1+json"
                self.answer(200 if page else 404, page or b"not here", kind)

        def do_HEAD(self) -> None:
            self.do_GET()

        def is_known(self) -> bool:
            expected = base64.b64encode(f"somebody:{registry.password}".encode()).decode()
            return self.headers.get("Authorization") == f"Basic {expected}"

        def answer(self, status: int, body: bytes, kind: str) -> None:
            self.send_response(status)
            self.send_header("Content-Type", kind)
            self.send_header("Content-Length", str(len(body)))
            if status == 401:
                self.send_header("WWW-Authenticate", 'Basic realm="packages"')
            self.end_headers()
            if self.command != "HEAD":
                self.wfile.write(body)

        def log_message(self, format: str, *args: object) -> None:
            """Said to nobody."""

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        registry.port = server.server_address[1]
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        try:
            yield registry
        finally:
            registry.awake.set()
            server.shutdown()
            thread.join()
