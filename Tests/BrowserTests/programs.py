"""The real programs. They are started for a test and ended after it."""
import hashlib
import json
import os
import pathlib
import shutil
import signal
import socket
import subprocess
import tempfile
import threading
import urllib.request

ROOT = pathlib.Path(__file__).resolve().parents[2]
PROGRAM = os.environ.get("OPENSTOREKIT_PROGRAM", str(ROOT / ".build/debug/openstorekit"))
CATALOG = str(ROOT / "Sources/Demo/SampleApp.storekit")
BUNDLE_ID = "com.xamarin.storekit.testing"


class Program:
    """A process of `openstorekit` that has printed its address."""

    def __init__(self, *arguments, environment=None):
        self.process = subprocess.Popen(
            [PROGRAM, *arguments], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
            env={**os.environ, "LOG_LEVEL": "warning", **(environment or {})})
        line = self.process.stdout.readline()
        assert line.startswith("ready "), f"{arguments} did not start: {line!r}"
        self.address = line.split()[1]

    def stop(self):
        """Ends it with SIGTERM, and waits for its end."""
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGTERM)
        self.process.wait(timeout=60)
        for pipe in (self.process.stdin, self.process.stdout):
            pipe.close()


def request_store(address, method, path, document=None):
    """Sends a request to a store's control API, and returns the response."""
    data = None if method == "GET" else json.dumps(document if document is not None else {}).encode()
    request = urllib.request.Request(f"{address}/control/v1/{path}", data=data, method=method,
                                     headers={"Content-Type": "application/json"})
    with urllib.request.urlopen(request) as reply:
        return json.loads(reply.read() or b"null")


class Folder:
    """A temporary folder."""

    def __init__(self):
        self.path = tempfile.mkdtemp(prefix="openstorekit-browser-")

    def __truediv__(self, name):
        return os.path.join(self.path, name)

    def stop(self):
        shutil.rmtree(self.path)


class Emulator(Program):
    def __init__(self, catalog=CATALOG, *arguments, port="0"):
        super().__init__("emulator", "--end-with-input", "--config", catalog, "--bundle-id", BUNDLE_ID, "--port", port,
                         *arguments)

    def ask(self, method, path, document=None):
        return request_store(self.address, method, path, document)

    def transactions(self, query=""):
        return self.ask("GET", f"transactions{query}")["transactions"]

    def charges(self):
        return self.ask("GET", "charges")["charges"]


class PurchaseServer(Program):
    """The developer's purchase server, with some books."""

    def __init__(self, folder, store, books, settings=None):
        os.mkdir(folder / "server")
        configuration = folder / "server/server.json"
        pathlib.Path(configuration).write_text(json.dumps({
            "listen": {"port": 0}, "database": {"sqlite": "ledger.sqlite"}, "trust": {"emulator": store.address},
            "content": {"folder": "content"}, "apps": [{"bundleId": BUNDLE_ID, "verification": "serverAPI"}],
            "log": {"level": "error"}, **(settings or {})}))
        self.key = subprocess.run([PROGRAM, "server", "operator-key", "--config", configuration, "test"],
                                  check=True, capture_output=True, text=True).stdout.strip()
        super().__init__("server", "run", "--end-with-input", "--config", configuration)
        for product, text in books.items():
            self.publish(product, text.encode())

    def sell_credits(self, product, unit, amount):
        """Lists a consumable that gives credits, whose balance the server stores."""
        self.ask("PUT", f"apps/{BUNDLE_ID}/products/{product}", json.dumps(
            {"type": "Consumable", "isListed": True, "credits": {"unit": unit, "amount": amount}}).encode())

    def ask(self, method, path, body):
        request = urllib.request.Request(f"{self.address}/v1/operator/{path}", data=body, method=method,
                                         headers={"Authorization": f"Bearer {self.key}"})
        with urllib.request.urlopen(request) as reply:
            return reply.read()

    def publish(self, product, content):
        """Publishes a book with one file, and lists it."""
        digest = hashlib.sha256(content).hexdigest()
        self.ask("PUT", f"content?sha256={digest}", content)
        self.ask("PUT", f"apps/{BUNDLE_ID}/products/{product}",
                 json.dumps({"type": "Non-Consumable", "isListed": True}).encode())
        self.ask("PUT", f"apps/{BUNDLE_ID}/products/{product}/content", json.dumps(
            {"files": [{"name": "text.txt", "sha256": digest, "mediaType": "text/plain; charset=utf-8"}]}).encode())


class HoldingProxy:
    """A proxy of a server that can hold responses after a number of bytes, until it is released."""

    def __init__(self, address):
        host, port = address.removeprefix("http://").split(":")
        self.target = (host, int(port))
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.address = f"http://127.0.0.1:{self.listener.getsockname()[1]}"
        self.allowance = None
        # The number of response bytes of each connection, in the order in which the connections were made.
        self.carried = []
        self.may_pass = threading.Condition()
        threading.Thread(target=self._accept, daemon=True).start()

    def hold_after(self, count):
        """Lets `count` more bytes of responses pass, and holds the rest."""
        with self.may_pass:
            self.allowance = count

    def release(self):
        with self.may_pass:
            self.allowance = None
            self.may_pass.notify_all()

    def stop(self):
        self.release()
        self.listener.close()

    def _accept(self):
        while True:
            try:
                client, _ = self.listener.accept()
                server = socket.create_connection(self.target)
            except OSError:
                return
            threading.Thread(target=self._carry, args=(client, server, False), daemon=True).start()
            threading.Thread(target=self._carry, args=(server, client, True), daemon=True).start()

    def _carry(self, source, target, is_answer):
        if is_answer:
            with self.may_pass:
                number = len(self.carried)
                self.carried.append(0)
        try:
            while piece := source.recv(1 << 14):
                if is_answer:
                    self._wait_for(len(piece))
                    self.carried[number] += len(piece)
                target.sendall(piece)
            target.shutdown(socket.SHUT_WR)
        except OSError:
            # One side has closed the connection, so the other one is closed as well.
            for end in (source, target):
                end.close()

    def _wait_for(self, count):
        with self.may_pass:
            self.may_pass.wait_for(lambda: self.allowance is None or self.allowance > 0)
            if self.allowance is not None:
                self.allowance -= count
