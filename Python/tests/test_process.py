"""The program ends when the process that started it ends, however that does."""

import contextlib
import os
import pathlib
import resource
import select
import signal
import subprocess
import sys

import pytest

from openstorekit import AppStore, StoppedError

# Starts a store, prints the id of its process, and goes on as its argument says.
PARENT = """
import os, sys, time
from openstorekit import AppStore
held = os.open("/dev/null", os.O_RDONLY)
os.set_inheritable(held, True)
store = AppStore(sys.argv[1]).start()
child = os.fork() if sys.argv[2] == "fork" else None
if child == 0:
    is_running = store.is_running
    store.stop()
    os.write(1, f"a copy of the process: {is_running}\\n".encode())
    sys.stdin.read()
    os._exit(0)
os.write(1, f"{store.pid} {child or 0}\\n".encode())
sys.stdin.read()
if sys.argv[2] == "raise":
    raise SystemExit(3)
"""


class Parent:
    """A process that runs a store. The descriptor `ended` is readable when the store's process has ended."""

    def __init__(self, config, way):
        self.process = subprocess.Popen(
            [sys.executable, "-c", PARENT, config, way], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
            start_new_session=True)
        self.lines = [self.process.stdout.readline() for _ in range(2 if way == "fork" else 1)]
        self.store, self.child = (int(word) for word in next(line for line in self.lines if line[0].isdigit()).split())
        self.ended = os.pidfd_open(self.store)

    def wait_for_store(self):
        assert select.select([self.ended], [], [], 60)[0], "the store's process still runs"
        os.close(self.ended)


@pytest.mark.parametrize("way", ["wait", "fork"])
def test_it_ends_with_a_parent_that_is_killed(config, way):
    parent = Parent(config, way)
    parent.process.kill()
    parent.process.wait()
    parent.wait_for_store()
    if way == "fork":
        # The copy of the parent still runs. It reads the parent's input.
        os.kill(parent.child, 0)
    parent.process.stdin.close()
    parent.process.stdout.close()


def test_a_copy_of_the_parent_has_no_pipe_and_sees_that_it_runs(config):
    parent = Parent(config, "fork")
    assert "a copy of the process: True\n" in parent.lines
    pipes = {os.readlink(f"/proc/{parent.store}/fd/{number}") for number in range(3)}
    assert len(pipes) == 3
    assert pipes & {os.readlink(file) for file in pathlib.Path(f"/proc/{parent.child}/fd").iterdir()} == set()
    parent.process.communicate("")
    parent.wait_for_store()


def test_it_starts_in_a_process_with_many_open_files(config):
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    with contextlib.ExitStack() as files:
        files.callback(resource.setrlimit, resource.RLIMIT_NOFILE, (soft, hard))
        resource.setrlimit(resource.RLIMIT_NOFILE, (2048, hard))
        null = os.open("/dev/null", os.O_RDONLY)
        files.callback(os.close, null)
        while null < 1024:
            null = os.dup(null)
            files.callback(os.close, null)
        with AppStore(config) as store:
            store.buy("coins")
            assert store.notifications.wait_for("ONE_TIME_CHARGE").state == "sent"


def test_it_ends_with_a_parent_that_forgets_it(config):
    parent = Parent(config, "raise")
    parent.process.communicate("")
    assert parent.process.returncode == 3
    parent.wait_for_store()


def test_ctrl_c_in_the_terminal_does_not_reach_it(config):
    parent = Parent(config, "wait")
    assert os.getsid(parent.store) == parent.store
    os.killpg(parent.process.pid, signal.SIGINT)
    parent.process.communicate()
    assert parent.process.returncode != 0
    parent.wait_for_store()


def test_it_inherits_nothing(config):
    parent = Parent(config, "wait")
    files = []
    for file in pathlib.Path(f"/proc/{parent.store}/fd").iterdir():
        # A file that was closed since it was listed was not inherited.
        with contextlib.suppress(FileNotFoundError):
            files.append(os.readlink(file))
    assert files
    assert "/dev/null" not in files
    parent.process.communicate("")
    parent.wait_for_store()


def test_it_ends_in_order(config):
    with AppStore(config) as store:
        process = store._process
    assert process._process.returncode == 0
    assert process.stderr == ""


def test_a_program_that_was_killed_is_an_error_with_its_end(config):
    with AppStore(config) as store:
        ended = os.pidfd_open(store.pid)
        os.kill(store.pid, signal.SIGKILL)
        select.select([ended], [], [])
        os.close(ended)
        with pytest.raises(StoppedError, match="was ended by signal 9"):
            store.buy("coins")
        with pytest.raises(StoppedError, match="was ended by signal 9"):
            store.reset()
    assert not store.is_running


def test_a_program_that_does_not_end_is_killed(config):
    with AppStore(config) as store:
        process = store._process
        os.kill(store.pid, signal.SIGSTOP)
        process.stop(grace=0.01)
        assert process._process.returncode == -signal.SIGKILL


def test_its_warnings_are_logged(tmp_path, caplog):
    file = tmp_path / "shop.storekit"
    file.write_text('{"products": [{"productID": "a", "type": "Consumable", "displayPrice": "1"}, '
                    '{"productID": "b", "type": "Unknown", "displayPrice": "1"}]}')
    with AppStore(file):
        pass
    records = [record for record in caplog.records if record.name == "openstorekit"]
    assert [record.levelname for record in records] == ["WARNING"]
    assert records[0].getMessage().startswith(str(file))


def test_the_command_becomes_the_program():
    command = pathlib.Path(sys.executable).parent / "openstorekit"
    version = subprocess.run([command, "--version"], capture_output=True, text=True, check=True).stdout
    assert version.strip()
    help_of_emulator = subprocess.run([command, "emulator", "--help"], capture_output=True, text=True, check=True)
    assert "--end-with-input" in help_of_emulator.stdout
    refused = subprocess.run([command, "nothing"], capture_output=True, text=True)
    assert refused.returncode == 2
    elsewhere = subprocess.run(
        [command], env={**os.environ, "OPENSTOREKIT_PROGRAM": "/nowhere"}, capture_output=True, text=True)
    assert (elsewhere.returncode, elsewhere.stderr) == (1, "/nowhere cannot be run: No such file or directory\n")


def test_the_command_and_the_plugin_begin_with_little():
    begun = "import sys, openstorekit.program; assert not {'http.client', 'dataclasses', 'openstorekit.store'} & set(sys.modules)"
    subprocess.run([sys.executable, "-c", begun], check=True)
    import openstorekit

    assert [getattr(openstorekit, name) for name in dir(openstorekit)]
    with pytest.raises(AttributeError, match="has no attribute 'Store'"):
        openstorekit.Store  # noqa: B018
