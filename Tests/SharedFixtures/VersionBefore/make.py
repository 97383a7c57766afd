"""Writes the folders beside this file, with the program given: README.md says which.

    python3 make.py .build/debug/openstorekit
    python3 make.py .build/release/openstorekit -25e4deb1    # only store, ledgers and phone, with this after their names
"""

import atexit
import sys
import tempfile

from programs import *
from scenes_ledger import *
from scenes_store import *


class PostgreSQL:
    """A server of this run's own, in a folder of the user `postgres`."""

    def __init__(self):
        self.programs = sorted(Path("/usr/lib/postgresql").glob("*/bin"))[-1]
        self.folder = self.run("mktemp", "-d", "/tmp/before-XXXXXX").strip()
        self.run(self.programs / "initdb", "-D", f"{self.folder}/data", "-A", "trust", "-U", "postgres", "-E", "UTF8",
                 "--locale=C", "--no-sync")
        self.run(self.programs / "pg_ctl", "-D", f"{self.folder}/data", "-w", "-l", f"{self.folder}/log", "-o",
                 f"-k {self.folder} -c listen_addresses='' -c fsync=off", "start")
        self.run(self.programs / "createdb", "-h", self.folder, "-U", "postgres", "-T", "template0", "ledger")
        self.connection = f"host={self.folder} user=postgres dbname=ledger"

    @staticmethod
    def run(*command):
        command = [str(part) for part in command]
        if os.geteuid() == 0:
            command = ["runuser", "-u", "postgres", "--", *command]
        return subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True, cwd="/").stdout

    def dump(self):
        text = self.run(self.programs / "pg_dump", "-h", self.folder, "-U", "postgres", "--inserts", "--no-owner",
                        "--no-privileges", "ledger")
        # Words to psql, and what only servers as new as this one know.
        return "".join(line for line in text.splitlines(True)
                       if not line.startswith(("\\", "--", "SET transaction_timeout")) and line.strip())

    def query(self, sql):
        return self.run(self.programs / "psql", "-h", self.folder, "-U", "postgres", "-At", "-c", sql, "ledger")

    def rows(self):
        found = {}
        tables = self.query("SELECT tablename FROM pg_tables WHERE schemaname = 'public' ORDER BY 1").split()
        for table in tables:
            columns = [line.split("|") for line in self.query(
                "SELECT column_name, data_type FROM information_schema.columns "
                f"WHERE table_name = '{table}' ORDER BY ordinal_position").splitlines()]
            cells = ", ".join(
                f"'sha256 ' || encode(sha256({name}), 'hex')" if kind == "bytea" else f'"{name}"::text' for name, kind in columns)
            listed = [json.loads(line) for line in
                      self.query(f"SELECT json_build_array({cells}) FROM {table}").splitlines()]
            if listed:
                found[table] = {"columns": [name for name, _ in columns], "rows": sorted(listed, key=json.dumps)}
        return found

    def remove(self):
        self.run(self.programs / "pg_ctl", "-D", f"{self.folder}/data", "-m", "immediate", "-w", "stop")
        self.run("rm", "-rf", self.folder)


def configure(folder, store, identity_keys, database):
    folder.mkdir(parents=True)
    write(folder / "server.json", {
        "listen": {"port": 0}, "database": database, "trust": {"emulator": store.address},
        "identity": {"issuer": Identity.issuer, "audience": Identity.audience, "keySet": str(identity_keys)},
        "content": {"folder": "content", "inlineLimitBytes": 4096, "linkKeys": [base64.b64encode(bytes(range(32))).decode()]},
        "apps": [
            {"bundleId": APP, "verification": "both", "proofKinds": ["appReceipt", "legacyReceipt", "signedTransaction"]},
            {"bundleId": OTHER, "verification": "both", "refunds": "block"}],
        "log": {"level": "warning"}})
    return folder / "server.json"


def run_server(path, configuration):
    key = subprocess.run(
        [path, "server", "operator-key", "--config", configuration, "first"], check=True, capture_output=True, text=True)
    program = Program(path, "server", "run", "--end-with-input", "--config", str(configuration))
    return program, Server(program.address(), key.stdout.strip())


def left_by_a_kill(facts):
    """The row that is there only while a server schedules the passes of a previous owner: it is killed meanwhile."""
    moved, customers = facts["moved"], facts["customers"]
    return f"""
        INSERT INTO pass_change (customer, app, product, begun, source, new_owner)
        SELECT '{customers["owner"]}', app, product, purchased, id, customer FROM claim
        WHERE environment = 'Sandbox' AND id = '{moved["transaction"]}';"""


def main(path, suffix=""):
    path = str(Path(path).resolve())
    work = Path(tempfile.mkdtemp(prefix="version-before-"))
    atexit.register(Program.end_all)
    emulator = Program(path, "emulator", "--config", str(HERE / "shop.storekit"), "--bundle-id", APP, "--data",
                       str(work / "store"), "--seed", "20261122", "--port", "0", "--end-with-input")
    store = Store(emulator.address())
    other_app(store)
    people(store)
    facts = {"store": purchases(store)}
    if suffix:
        facts["store"].update(later_records(store))
    identity = Identity(work)

    program, server = run_server(path, configure(work / "ledger", store, work / "keys.json", {"sqlite": "ledger.sqlite"}))
    catalog(server)
    facts["phone"] = (
        phone_with_a_vault(path, store, work) if suffix else phone_with_everything(path, store, work, server.address))
    scenes = () if suffix else (finishing_phone, waiting_phone, frozen_phone, imported_phone)
    for scene in scenes:
        facts[scene.__name__.removesuffix("_phone")] = scene(path, store, work)
    facts["ledger"] = story(server, store, identity, 20)
    program.end()
    if suffix:
        with sqlite3.connect(work / "ledger" / "ledger.sqlite") as connection:
            connection.executescript(left_by_a_kill(facts["ledger"]))
        connection.close()

    postgresql = PostgreSQL()
    program, server = run_server(path, configure(
        work / "ledger-postgresql", store, work / "keys.json", {"postgresql": postgresql.connection, "withoutFsync": True}))
    catalog(server)
    facts["ledger-postgresql"] = story(server, store, identity, 40)
    program.end()
    if suffix:
        postgresql.query(left_by_a_kill(facts["ledger-postgresql"]))
    dump, dumped = postgresql.dump(), postgresql.rows()
    postgresql.remove()

    facts["store"]["connection"] = store.do("GET", f"connection?bundleId={APP}")
    facts["store"]["connection"].pop("baseURLs")
    for name in ("customers", "installations", "approvals", "refunds", "charges"):
        facts["store"][name] = store.do("GET", f"{name}?limit=1000" if name in ("refunds", "charges") else name)[name]
    facts["store"]["transactions"] = store.do("GET", "transactions?limit=1000")["transactions"]
    emulator.end()

    (work / "ledger" / "server.json").unlink()
    folders = ["store", "phone", *(scene.__name__.removesuffix("_phone") for scene in scenes), "ledger"]
    for name in folders:
        copy(work / name, HERE / (name + suffix))
    shutil.copy(work / "backup", HERE / f"phone{suffix}.backup")
    (HERE / f"ledger{suffix}.sql").write_text(dump)

    databases = json.loads((HERE / "rows.json").read_text()) if suffix else {}
    for name in folders:
        for database in sorted((HERE / (name + suffix)).rglob("*.sqlite")):
            databases[str(database.relative_to(HERE))] = rows(database)
    databases[f"ledger{suffix}.sql"] = dumped
    for name, value in facts.items():
        write(HERE / f"{name}{suffix}.json", value)
    write(HERE / "rows.json", databases, indent=None)
    shutil.rmtree(work)


main(*sys.argv[1:])
