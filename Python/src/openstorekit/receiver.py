"""A small HTTP server that receives the notifications of a store."""

from __future__ import annotations

import http.server
import json
import os
import socket
import threading
import weakref
from typing import Any


class NotificationReceiver:
    """Answers 200 to each notification, and keeps it. It listens on a free port of this machine."""

    def __init__(self) -> None:
        """Starts it."""
        self._bodies: list[dict[str, Any]] = []
        receiver = self

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_POST(self) -> None:
                data = self.rfile.read(int(self.headers.get("Content-Length", 0)))
                try:
                    receiver._bodies.append(json.loads(data))
                    status = 200
                except ValueError:
                    status = 400
                self.send_response(status)
                self.send_header("Content-Length", "0")
                self.end_headers()

            def log_message(self, format: str, *arguments: Any) -> None:
                pass

        self._server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        self._is_running = True
        self._thread = threading.Thread(target=self._serve, name="openstorekit notifications", daemon=True)
        self._thread.start()
        self.url = f"http://127.0.0.1:{self._server.server_port}/"
        """The address for notifications."""
        _running.add(self)

    @property
    def bodies(self) -> list[dict[str, Any]]:
        """The bodies received since the last `clear`, in the order of their arrival."""
        return list(self._bodies)

    def clear(self) -> None:
        """Forgets what was received."""
        self._bodies.clear()

    def stop(self) -> None:
        """Closes the port."""
        if not self._is_running:
            return
        self._is_running = False
        # Wakes the thread that waits for a connection.
        self._server.socket.shutdown(socket.SHUT_RDWR)
        self._thread.join()
        self._server.socket.close()

    def _serve(self) -> None:
        # Not serve_forever, which ends only after a pause.
        while self._is_running:
            self._server.handle_request()

    def leave_to_parent(self) -> None:
        """Called in a copy of this process (`fork`)."""
        self._is_running = False
        self._server.socket.close()


_running: weakref.WeakSet[NotificationReceiver] = weakref.WeakSet()


def _after_fork() -> None:
    for receiver in list(_running):
        receiver.leave_to_parent()


os.register_at_fork(after_in_child=_after_fork)
