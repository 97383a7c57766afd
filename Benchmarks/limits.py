#!/usr/bin/env python3
"""Time and memory that one hostile request costs a server, at doubling sizes.

    Benchmarks/limits.py PROGRAM [PART...]

PROGRAM is the path of `openstorekit`. Each line is measured in a process of its own: processor time of the request
(user and system) and the highest resident memory (VmHWM). A request that takes longer than 60 seconds is not waited for.
"""

import base64
import http.client
import json
import os
import re
import socket
import subprocess
import sys
import tempfile

SECONDS = 60
APP = "com.example.shop"
# Two marks of different combining classes, turn about: the order that is dearest to normalise.
MARKS = "\u0301\u0316"


def marks(size):
    """`size` bytes of combining marks."""
    return (MARKS * (size // 4 + 1)).encode()[: size // 2 * 2].decode()


class Server:
    """A started program, and the request that is measured."""

    def __init__(self, program, arguments):
        self.process = subprocess.Popen(
            [program, *arguments], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
        )
        line = self.process.stdout.readline()
        self.port = int(re.fullmatch(r"ready http://[^:]+:(\d+)\n", line).group(1))

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.kill()
        self.process.wait()
        self.process.stdout.close()

    def processor_seconds(self):
        with open(f"/proc/{self.process.pid}/stat") as file:
            fields = file.read().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def peak_mebibytes(self):
        with open(f"/proc/{self.process.pid}/status") as file:
            return int(re.search(r"VmHWM:\s+(\d+)", file.read()).group(1)) / 1024

    def request(self, method, path, body=None, headers=None):
        """The status and the body of the answer; 0 where none came in time."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=SECONDS)
        try:
            connection.request(method, path, body, headers or {})
            response = connection.getresponse()
            return response.status, response.read()
        except (TimeoutError, ConnectionError):
            return 0, b""
        finally:
            connection.close()


def emulator(program, folder):
    catalog = os.path.join(folder, "shop.storekit")
    with open(catalog, "w") as file:
        json.dump({"products": [{"productID": "a", "type": "Consumable", "displayPrice": "1"}]}, file)
    return Server(program, ["emulator", "--config", catalog, "--bundle-id", APP, "--port", "0"])


def configured(program, folder, store):
    """The purchase server's configuration, for a store that runs."""
    file = os.path.join(folder, "server.json")
    with open(file, "w") as written:
        json.dump(
            {
                "trust": {"emulator": f"http://127.0.0.1:{store.port}"},
                "apps": [{"bundleId": APP, "verification": "offline"}],
                "limits": {"burst": 100000, "requestsPerSecond": 100000},
            },
            written,
        )
    return file


def row(label, size, server, before, status):
    seconds = server.processor_seconds() - before
    answer = str(status) if status else f"none in {SECONDS} s"
    print(f"{label:<44}{size:>12}{seconds:>12.2f}{server.peak_mebibytes():>12.0f}   {answer}", flush=True)


def title(text):
    print(f"\n{text}\n{'':<44}{'size':>12}{'CPU s':>12}{'peak MiB':>12}   answer")


def at_emulator(program, label, sizes, request):
    for size in sizes:
        with tempfile.TemporaryDirectory() as folder, emulator(program, folder) as server:
            method, path, body, headers = request(size)
            server.request("GET", "/control/v1/clock")
            before = server.processor_seconds()
            status, _ = server.request(method, path, body, headers)
            row(label, f"{size >> 10} KiB", server, before, status)


def at_purchase_server(program, label, sizes, request, prepare=None):
    with tempfile.TemporaryDirectory() as outer, emulator(program, outer) as store:
        for size in sizes:
            with tempfile.TemporaryDirectory() as folder:
                file = configured(program, folder, store)
                key = subprocess.run(
                    [program, "server", "operator-key", "--config", file, "bench"],
                    check=True, capture_output=True, text=True,
                ).stdout.strip()
                with Server(program, ["server", "--config", file, "--port", "0"]) as server:
                    context = prepare(server, key) if prepare else None
                    method, path, body, headers = request(size, context)
                    before = server.processor_seconds()
                    status, _ = server.request(method, path, body, headers)
                    row(label, f"{size >> 10} KiB", server, before, status)


def customer(server, key):
    """A new customer's token."""
    status, body = server.request("POST", f"/v1/apps/{APP}/installations", "{}")
    assert status == 201, (status, body)
    return json.loads(body)["token"]


def hundred_products(server, key):
    words = {language: {"name": "Tea", "description": "Hot"} for language in ("en", "de", "fr", "pt-BR", "zh-Hans")}
    for number in range(100):
        status, body = server.request(
            "PUT", f"/v1/operator/apps/{APP}/products/p{number}",
            json.dumps({"type": "Non-Consumable", "localisations": words}),
            {"Authorization": f"Bearer {key}"},
        )
        assert status == 200, (status, body)


# The parts, by the numbers of what they guard against.


def numbers(program):
    """Numbers that are not whole, in a deep document that does not fit."""
    title("Numbers that are not whole, 400 names deep")
    name = "n" * 80

    def document(size):
        depth = 400
        frame = depth * (len(name) + 6)
        many = ",".join(["0.5"] * max(1, (size - frame) // 4))
        return f'{{"{name}":' * depth + f"[{many}]" + "}" * depth

    at_emulator(
        program, "emulator: POST /device/v1/products", [k << 10 for k in (45, 90, 180, 360)],
        lambda size: (
            "POST", "/device/v1/products", document(size), {"Content-Type": "application/json"}))
    at_purchase_server(
        program, "purchase server: POST …/redemptions", [k << 10 for k in (45, 90, 180, 360)],
        lambda size, token: (
            "POST", f"/v1/apps/{APP}/redemptions", f'{{"proof":{{"appReceipt":{document(size)}}},"purchases":[]}}',
            {"Authorization": f"Bearer {token}"}),
        customer)
    title("Numbers that are not whole, in one list")
    at_emulator(
        program, "emulator: POST /device/v1/products", [k << 10 for k in (128, 256, 512, 1000)],
        lambda size: (
            "POST", "/device/v1/products", '{"x":[' + ",".join(["0.5"] * (size // 4)) + "]}",
            {"Content-Type": "application/json"}))


def text(program):
    """Combining marks wherever text is compared or hashed."""
    title("Combining marks as the name of a JSON member")
    at_emulator(
        program, "emulator: POST /sandbox/verifyReceipt", [k << 10 for k in (32, 64, 128, 256)],
        lambda size: ("POST", "/sandbox/verifyReceipt", json.dumps({marks(size): 1}, ensure_ascii=False).encode(), {}))
    title("Combining marks as a JSON text")
    at_emulator(
        program, "emulator: POST /control/v1/customers", [k << 10 for k in (32, 64, 128, 256)],
        lambda size: (
            "POST", "/control/v1/customers",
            json.dumps({"environment": marks(size), "name": "x", "password": "x"}, ensure_ascii=False).encode(),
            {"Content-Type": "application/json"}))
    title("Combining marks as a key of a legacy receipt")
    at_emulator(
        program, "emulator: POST /sandbox/verifyReceipt", [k << 10 for k in (32, 64, 128, 256)],
        lambda size: (
            "POST", "/sandbox/verifyReceipt",
            json.dumps({"receipt-data": base64.b64encode(f'{{"{marks(size)}" = "x";}}'.encode()).decode()}), {}))
    title("Combining marks as the bundle id in a path")
    at_purchase_server(
        program, "purchase server: GET /v1/apps/…/products", [k << 10 for k in (6, 12, 24, 48)],
        lambda size, _: ("GET", "/v1/apps/" + "%CC%81%CC%96" * (size // 12) + "/products", None, {}))


def languages(program):
    """A long Accept-Language, with 100 products on the list."""
    for sort, entry in (("entries", "de-x;q=0.5,"), ("subtags", "a-"), ("marks", MARKS)):
        title(f"Accept-Language, 100 products: many {sort}")
        at_purchase_server(
            program, "purchase server: GET …/products", [k << 10 for k in (4, 8, 16, 31)],
            lambda size, _: (
                "GET", f"/v1/apps/{APP}/products", None,
                {"Accept-Language": (entry * size).encode()[:size].rstrip(b",-")}),
            hundred_products)


def bodies(program):
    """Bodies that never come to their end."""
    for mebibytes in (7, 31):
        title(f"Connections that each send {mebibytes} MiB but for the last byte")
        for count in (4, 8, 16, 32):
            with tempfile.TemporaryDirectory() as folder, emulator(program, folder) as server:
                before = server.processor_seconds()
                open_sockets, refused = [], 0
                for _ in range(count):
                    connection = socket.create_connection(("127.0.0.1", server.port), timeout=5)
                    open_sockets.append(connection)
                    length = mebibytes << 20
                    try:
                        connection.sendall(
                            b"POST /sandbox/verifyReceipt HTTP/1.1\r\nHost: localhost\r\n"
                            + f"Content-Length: {length}\r\n\r\n".encode())
                        for _ in range(mebibytes):
                            connection.sendall(b" " * ((1 << 20) - 1))
                    except OSError:
                        refused += 1
                # The server has read everything once it answers another.
                server.request("GET", "/control/v1/clock")
                seconds = server.processor_seconds() - before
                print(
                    f"{'emulator: POST /sandbox/verifyReceipt':<44}{count:>12}{seconds:>12.2f}"
                    f"{server.peak_mebibytes():>12.0f}   {refused} cut off while sending", flush=True)
                for connection in open_sockets:
                    connection.close()


PARTS = {"numbers": numbers, "text": text, "languages": languages, "bodies": bodies}


def main():
    if len(sys.argv) < 2 or set(sys.argv[2:]) - set(PARTS):
        sys.exit(f"usage: limits.py PROGRAM [{' | '.join(PARTS)}]…")
    for name in sys.argv[2:] or PARTS:
        PARTS[name](os.path.abspath(sys.argv[1]))


if __name__ == "__main__":
    main()
