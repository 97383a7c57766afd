"""The real programs, started for a test and ended with it."""
import json
import os
import pathlib
import shutil
import signal
import subprocess
import tempfile
import urllib.request

ROOT = pathlib.Path(__file__).resolve().parents[2]
PROGRAM = os.environ.get("OPENSTOREKIT_PROGRAM", str(ROOT / ".build/debug/openstorekit"))
CATALOG = str(ROOT / "Sources/CommandLineTool/Demo/SampleApp.storekit")
BUNDLE_ID = "com.xamarin.storekit.testing"


class Program:
    """A process of `openstorekit` that has said where it listens."""

    def __init__(self, *arguments, environment=None):
        self.process = subprocess.Popen(
            [PROGRAM, *arguments], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
            env={**os.environ, "LOG_LEVEL": "warning", **(environment or {})})
        line = self.process.stdout.readline()
        assert line.startswith("ready "), f"{arguments} did not start: {line!r}"
        self.address = line.split()[1]

    def stop(self):
        """Ends it as Ctrl-C would, and waits for it."""
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGTERM)
        self.process.wait(timeout=60)
        for pipe in (self.process.stdin, self.process.stdout):
            pipe.close()


class Folder:
    """A temporary folder."""

    def __init__(self):
        self.path = tempfile.mkdtemp(prefix="openstorekit-browser-")

    def __truediv__(self, name):
        return os.path.join(self.path, name)

    def stop(self):
        shutil.rmtree(self.path)


class Emulator(Program):
    def __init__(self, *arguments):
        super().__init__("emulator", "--end-with-input", "--config", CATALOG, "--bundle-id", BUNDLE_ID,
                         "--port", "0", *arguments)

    def ask(self, method, path, document=None):
        """A request at the control door, and its answer."""
        data = None if method == "GET" else json.dumps(document if document is not None else {}).encode()
        request = urllib.request.Request(
            f"{self.address}/control/v1/{path}", data=data, method=method,
            headers={"Content-Type": "application/json"})
        with urllib.request.urlopen(request) as reply:
            return json.loads(reply.read() or b"null")

    def transactions(self, query=""):
        return self.ask("GET", f"transactions{query}")["transactions"]

    def charges(self):
        return self.ask("GET", "charges")["charges"]
