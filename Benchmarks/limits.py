#!/usr/bin/env python3
"""Time and memory that one hostile request costs a server, at doubling sizes.

    Benchmarks/limits.py PROGRAM [PART...]

PROGRAM is the path of `openstorekit`. Each line is measured in a process of its own: processor time of the request
(user and system) and the highest resident memory (VmHWM). A request that takes longer than 60 seconds is not waited for.

The part `exports` measures PostgreSQL as well if it is run with Benchmarks/with-postgresql.sh.
"""

import base64
import http.client
import json
import os
import re
import socket
import sqlite3
import subprocess
import sys
import tempfile
import threading
import time

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


def configured(program, folder, store, database=None):
    """The purchase server's configuration, for a store that runs. `database` is a PostgreSQL connection string."""
    file = os.path.join(folder, "server.json")
    if database:
        ledger = {
            "database": {"postgresql": database},
            "content": {"linkKeys": [base64.b64encode(bytes(32)).decode()]},
        }
    else:
        ledger = {}
    with open(file, "w") as written:
        json.dump(
            ledger | {
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



def exports(program):
    """Exports of customers with many movements, 150 at once, and another customer's requests meanwhile."""
    print(
        f"\nExports: 150 requests at once\n{'database':<12}{'movements':>12}{'exports':>10}{'429':>6}{'seconds':>10}"
        f"{'peak MiB':>10}{'p99 alone':>12}{'p99 beside':>12}")
    for engine in ("SQLite", "PostgreSQL"):
        database = os.environ.get("POSTGRESQL")
        if engine == "PostgreSQL" and not database:
            print("PostgreSQL: run it with Benchmarks/with-postgresql.sh")
            continue
        for movements in (12_500, 20_000, 25_000, 50_000, 100_000):
            if engine == "PostgreSQL":
                name = f"exports_{movements}"
                subprocess.run(["psql", database, "-qc", f"CREATE DATABASE {name}"], check=True)
                export_row(program, engine, re.sub("dbname=[^ ]*", f"dbname={name}", database), movements)
            else:
                export_row(program, engine, None, movements)


def export_row(program, engine, database, movements):
    with tempfile.TemporaryDirectory() as folder, emulator(program, folder) as store:
        file = configured(program, folder, store, database)
        with Server(program, ["server", "--config", file, "--port", "0"]) as server:
            heavy, other = customer_and_token(server), customer_and_token(server)
        fill_movements(folder, database, heavy[0], movements)
        with Server(program, ["server", "--config", file, "--port", "0"]) as server:
            path = f"/v1/apps/{APP}/customer"
            alone = percentile(other_requests(server, path, other[1], until=time.monotonic() + 5))
            # One export of the customer runs at a time; the others are refused.
            answers, begun = [], time.monotonic()
            done = threading.Event()
            beside = []

            def watch():
                beside.extend(other_requests(server, path, other[1], done=done))

            watcher = threading.Thread(target=watch)
            watcher.start()
            threads = [
                threading.Thread(target=lambda: answers.append(read_all(server, path + "/export", heavy[1])))
                for _ in range(150)
            ]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()
            seconds = time.monotonic() - begun
            done.set()
            watcher.join()
            whole = [size for status, size in answers if status == 200]
            refused = sum(status == 429 for status, _ in answers)
            print(
                f"{engine:<12}{movements:>12}{len(whole):>10}{refused:>6}{seconds:>10.2f}{server.peak_mebibytes():>10.0f}"
                f"{alone:>9.1f} ms{percentile(beside):>9.1f} ms   {max(whole, default=0) >> 10} KiB each", flush=True)


def customer_and_token(server):
    status, body = server.request("POST", f"/v1/apps/{APP}/installations", "{}")
    assert status == 201, (status, body)
    object = json.loads(body)
    return object["customer"], object["token"]


def read_all(server, path, token):
    """The status of a request, and the size of the answer."""
    status, body = server.request("GET", path, headers={"Authorization": f"Bearer {token}"})
    if status == 200:
        json.loads(body)
    return status, len(body)


def other_requests(server, path, token, until=None, done=None):
    """The milliseconds of a customer's requests, one every 10 ms."""
    times = []
    while (time.monotonic() < until) if until else not done.is_set():
        begun = time.monotonic()
        status, _ = server.request("GET", path, headers={"Authorization": f"Bearer {token}"})
        assert status == 200, status
        times.append((time.monotonic() - begun) * 1000)
        time.sleep(0.01)
    return times


def percentile(times):
    return sorted(times)[max(0, int(len(times) * 0.99) - 1)] if times else 0.0


def fill_movements(folder, database, customer, count):
    """Writes the rows of one customer's account, while the server does not run."""
    account = (
        "INSERT INTO credit_account (customer, app, unit, balance, movements) "
        f"VALUES ('{customer}', '{APP}', 'coins', {count}, {count})")
    movements = f"""
        WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < {count})
        INSERT INTO credit_movement
          (customer, app, unit, sequence, amount, balance, counter_account, cause, cause_key, date)
        SELECT '{customer}', '{APP}', 'coins', i, 1, i, 'grants', 'grant', 'key ' || CAST(i AS TEXT), i FROM n"""
    if database:
        subprocess.run(["psql", database, "-qc", account, "-c", movements], check=True)
    else:
        connection = sqlite3.connect(os.path.join(folder, "ledger.sqlite"))
        with connection:
            connection.execute(account)
            connection.execute(movements)
        connection.close()


PARTS = {"numbers": numbers, "text": text, "languages": languages, "bodies": bodies, "exports": exports}


def main():
    if len(sys.argv) < 2 or set(sys.argv[2:]) - set(PARTS):
        sys.exit(f"usage: limits.py PROGRAM [{' | '.join(PARTS)}]…")
    for name in sys.argv[2:] or PARTS:
        PARTS[name](os.path.abspath(sys.argv[1]))


if __name__ == "__main__":
    main()
