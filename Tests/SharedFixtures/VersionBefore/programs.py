"""The programs that write the folders, driven as their users would: processes, HTTP, and what is read of their files."""

import base64
import hashlib
import json
import os
import queue
import shutil
import socket
import sqlite3
import subprocess
import sys
import threading
import time
import urllib.error
import urllib.request
import uuid
from pathlib import Path

OPENER = urllib.request.build_opener(urllib.request.ProxyHandler({}))


def http(method, url, body=None, token=None, raw=None):
    """The status and the JSON of the answer."""
    headers = {"Content-Type": "application/json"} if raw is None else {"Content-Type": "application/octet-stream"}
    if token:
        headers["Authorization"] = f"Bearer {token}"
    data = raw if raw is not None else (None if body is None else json.dumps(body).encode())
    request = urllib.request.Request(url, data, headers, method=method)
    try:
        with OPENER.open(request, timeout=60) as answer:
            text = answer.read()
            return answer.status, json.loads(text) if text else None
    except urllib.error.HTTPError as error:
        text = error.read()
        return error.code, json.loads(text) if text else None


def expect(method, url, body=None, token=None, raw=None):
    status, answer = http(method, url, body, token, raw)
    if status >= 300:
        raise RuntimeError(f"{method} {url}: {status} {answer}")
    return answer


class Program:
    """`openstorekit` with arguments; its lines on standard output can be waited for."""

    started = []

    def __init__(self, path, *arguments, environment=None):
        self.process = subprocess.Popen(
            [path, *arguments], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
            env={**os.environ, **(environment or {})})
        self.started.append(self.process)
        self.lines = queue.Queue()
        threading.Thread(target=self._read, daemon=True).start()

    def _read(self):
        for line in self.process.stdout:
            self.lines.put(line.rstrip("\n"))
        self.lines.put(None)

    def line(self, seconds=60):
        line = self.lines.get(timeout=seconds)
        if line is None:
            raise RuntimeError("the program has ended")
        return line

    def address(self):
        line = self.line()
        assert line.startswith("ready "), line
        return line.removeprefix("ready ")

    def end(self):
        self.process.stdin.close()
        self.process.terminate()
        self.process.wait(60)

    def kill(self):
        self.process.kill()
        self.process.wait(60)

    @classmethod
    def end_all(cls):
        for process in cls.started:
            process.kill()


class Phone:
    """The sample app as a process of its own, on a phone of its own."""

    def __init__(self, path, store, folder, device, account, server=None, keychain=None):
        options = ["--device-id", str(device), "--keychain", str(keychain or folder / "keychain")]
        options += ["--retry-milliseconds", "100"] + (["--server", server] if server else [])
        self.events = []
        self.program = Program(
            path, "sample-app", *options,
            environment={
                "OPENSTOREKIT_URL": store, "OPENSTOREKIT_DATA": str(folder), "OPENSTOREKIT_ACCOUNT": account,
                "OPENSTOREKIT_BUNDLE_ID": "com.xamarin.storekit.testing", "OPENSTOREKIT_APP_VERSION": "1.2"})

    def order(self, name, **members):
        self.program.process.stdin.write(json.dumps({name: members}) + "\n")
        self.program.process.stdin.flush()

    def wait(self, name, seconds=60, **members):
        """The next event of this name that has these members."""
        while True:
            event = json.loads(self.program.line(seconds))
            if "SHOW_EVENTS" in os.environ:
                print(event, file=sys.stderr)
            self.events.append(event)
            if name in event and all(event[name].get(key) == value for key, value in members.items()):
                return event[name]

    def ask(self, name, answer, **members):
        self.order(name, **members)
        return self.wait(answer)

    def buy(self, product, quantity=1):
        self.order("showPrices")
        self.wait("buttons")
        self.order("buy", product=product, quantity=quantity, confirms=True)

    def quit(self):
        self.program.process.stdin.close()
        self.program.process.wait(60)

    def kill(self):
        self.program.kill()


class Device:
    """An installation that speaks the device API itself."""

    def __init__(self, store, number, account, app="com.xamarin.storekit.testing", environment="Sandbox"):
        self.store = store
        self.device = uuid.UUID(int=0xD0 + number)
        self.name = f"device-{number}"
        self.call("register", registration={
            "installationID": self.name, "bundleID": app, "environment": environment, "deviceID": str(self.device),
            "applicationVersion": "1.2"})
        self.call("signIn", credentials={"account": account})

    def send(self, verb, **call):
        return http("POST", f"{self.store}/device/v1/{verb}", {"installationID": self.name, "call": call})

    def call(self, verb, **call):
        status, answer = self.send(verb, **call)
        if status >= 300:
            raise RuntimeError(f"{verb}: {status} {answer}")
        return answer

    def confirm(self, product, payment, quantity=1, username=None):
        request = {"paymentID": payment, "productID": product, "quantity": quantity}
        if username:
            request["applicationUsername"] = username
        quote = self.call("quote", payment=request)
        return self.send("confirm", quote=quote)

    def buy(self, product, payment, quantity=1, username=None, finishes=False):
        """The id of the transaction."""
        status, answer = self.confirm(product, payment, quantity, username)
        assert status == 200, answer
        delivery = answer["purchased"]["deliveries"][0]
        transaction = payload(delivery["signedTransaction"])["transactionId"]
        self.jws = delivery["signedTransaction"]
        self.legacy = delivery["transactionReceipt"]
        if finishes:
            self.call("finish", transactionID=delivery.get("redelivery", {}).get("transactionID", transaction))
        return transaction

    def receipt(self):
        return self.call("refreshReceipt")["receipt"]


def payload(jws):
    part = jws.split(".")[1]
    return json.loads(base64.urlsafe_b64decode(part + "=" * (-len(part) % 4)))


class NarrowLine:
    """Passes a connection on to the server, but of a download only the first bytes: then nothing more comes."""

    def __init__(self, port, allowance):
        self.port, self.allowance = port, allowance
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.address = f"http://127.0.0.1:{self.listener.getsockname()[1]}"
        threading.Thread(target=self._accept, daemon=True).start()

    def _accept(self):
        while True:
            try:
                near, _ = self.listener.accept()
            except OSError:
                return
            far = socket.create_connection(("127.0.0.1", self.port))
            state = {"download": False, "sent": 0}
            threading.Thread(target=self._pass, args=(near, far, state, True), daemon=True).start()
            threading.Thread(target=self._pass, args=(far, near, state, False), daemon=True).start()

    def close(self):
        """Nobody answers at its address any more."""
        self.listener.shutdown(socket.SHUT_RDWR)
        self.listener.close()

    def _pass(self, source, target, state, outward):
        while data := source.recv(4096):
            if outward and data.startswith(b"GET /v1/downloads/"):
                state["download"] = True
            if not outward and state["download"]:
                state["sent"] += len(data)
                if state["sent"] > self.allowance:
                    return
            target.sendall(data)


def settle(folder):
    """Moves what is in write-ahead logs into the databases, and removes locks and logs."""
    for database in folder.rglob("*.sqlite"):
        connection = sqlite3.connect(database)
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        connection.execute("PRAGMA journal_mode = DELETE")
        connection.close()
    for file in list(folder.rglob("*.lock")) + list(folder.rglob("*.sqlite-*")):
        file.unlink()


def rows(database):
    """All rows of all tables, each cell as text: of bytes their SHA-256, of nothing null."""
    def text(cell):
        if cell is None:
            return None
        return f"sha256 {hashlib.sha256(cell).hexdigest()}" if isinstance(cell, bytes) else str(cell)
    connection = sqlite3.connect(database)
    tables = [name for (name,) in connection.execute(
        "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%' ORDER BY name")]
    found = {}
    for table in tables:
        cursor = connection.execute(f'SELECT * FROM "{table}"')
        found[table] = {
            "columns": [column[0] for column in cursor.description],
            "rows": sorted(([text(cell) for cell in row] for row in cursor), key=json.dumps)}
    connection.close()
    return {table: content for table, content in found.items() if content["rows"]}


def write(path, value, indent=1):
    path.write_text(json.dumps(value, indent=indent, sort_keys=True, ensure_ascii=False) + "\n")


class Identity:
    """An identity system with one P-256 key, which signs tokens with openssl."""

    issuer, audience = "https://identity.example.com", "reader"

    def __init__(self, folder):
        self.key = folder / "identity.pem"
        subprocess.run(["openssl", "ecparam", "-name", "prime256v1", "-genkey", "-noout", "-out", self.key], check=True)
        point = subprocess.run(
            ["openssl", "ec", "-in", self.key, "-pubout", "-outform", "DER"], check=True, capture_output=True).stdout[-64:]
        write(folder / "keys.json", {"keys": [{
            "kty": "EC", "crv": "P-256", "kid": "one", "alg": "ES256",
            "x": self.text(point[:32]), "y": self.text(point[32:])}]})

    @staticmethod
    def text(data):
        return base64.urlsafe_b64encode(data).decode().rstrip("=")

    def token(self, subject):
        head = self.text(json.dumps({"alg": "ES256", "kid": "one", "typ": "JWT"}).encode())
        body = self.text(json.dumps({
            "iss": self.issuer, "aud": self.audience, "sub": subject, "exp": int(time.time()) + 3600}).encode())
        der = subprocess.run(
            ["openssl", "dgst", "-sha256", "-sign", self.key], input=f"{head}.{body}".encode(), check=True,
            capture_output=True).stdout
        # SEQUENCE of two INTEGERs
        first = der[4:4 + der[3]]
        second = der[4 + der[3] + 2:]
        raw = b"".join(number.lstrip(b"\0").rjust(32, b"\0") for number in (first, second))
        return f"{head}.{body}.{self.text(raw)}"


def copy(source, target):
    if target.exists():
        shutil.rmtree(target)
    shutil.copytree(source, target)
    settle(target)


def until(condition, seconds=60):
    end = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > end:
            raise RuntimeError("waited too long")
        time.sleep(0.02)


HERE = Path(__file__).resolve().parent
