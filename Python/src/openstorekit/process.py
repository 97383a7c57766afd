"""A process of the program, which ends with this process, also if this one is killed."""

from __future__ import annotations

import collections
import logging
import os
import re
import selectors
import subprocess
import threading
import weakref
from collections.abc import Mapping, Sequence

from openstorekit.errors import StartError, StoppedError

logger = logging.getLogger("openstorekit")

# The beginning of a line of the log, such as `2026-11-27T17:38:16+0000 warning emulator: [CommandLineTool] `.
_LOG_LINE = re.compile(r"\S+ (trace|debug|info|notice|warning|error|critical) [^:]*: (?:\[\w+\] )?")
_LEVELS = {
    "trace": logging.DEBUG, "debug": logging.DEBUG, "info": logging.INFO, "notice": logging.INFO,
    "warning": logging.WARNING, "error": logging.ERROR, "critical": logging.CRITICAL}


class StoreProcess:
    """A running process of the program, which accepts connections.

    It has a session of its own, so that Ctrl-C in the terminal reaches only this process. It ends when the pipe to its standard
    input is closed. The system closes the pipe when this process ends, however it does.
    """

    def __init__(self, program: str, arguments: Sequence[str], *, environment: Mapping[str, str], timeout: float) -> None:
        """Starts the program, and waits until it accepts connections.

        :param timeout: The longest wait, in seconds.
        :raises StartError: It did not start.
        """
        self._owner = os.getpid()
        self._lines: collections.deque[str] = collections.deque(maxlen=200)
        try:
            self._process = subprocess.Popen(
                [program, *arguments, "--end-with-input"], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                stderr=subprocess.PIPE, bufsize=0, env={**environment}, start_new_session=True)
        except OSError as error:
            raise StartError(f"{program} cannot be run: {error.strerror}") from error
        _running.add(self)
        self._reader = threading.Thread(target=self._read_errors, name="openstorekit log", daemon=True)
        self._reader.start()
        try:
            self.url = self._address(timeout)
        except BaseException:
            self.stop(grace=0)
            raise

    @property
    def pid(self) -> int:
        """The id of the process."""
        return self._process.pid

    @property
    def is_running(self) -> bool:
        """Whether the program has not ended. In a copy of this process (`fork`): whether it had not ended by then."""
        if self._owner != os.getpid():
            return self._process.returncode is None
        return self._process.poll() is None

    def _address(self, timeout: float) -> str:
        """Reads the line `ready URL`."""
        output = self._process.stdout
        assert output is not None
        with selectors.DefaultSelector() as selector:
            selector.register(output, selectors.EVENT_READ)
            if not selector.select(timeout):
                raise StartError(f"The program was not ready within {timeout:g} seconds.", stderr=self.stderr)
        line = output.readline().decode()
        if line.startswith("ready "):
            return line.split()[1]
        status = self._process.wait()
        self._reader.join()
        text = self.stderr.strip()
        raise StartError(text or f"The program ended with status {status}.", stderr=self.stderr, status=status)

    def _read_errors(self) -> None:
        assert self._process.stderr is not None
        for data in self._process.stderr:
            line = data.decode(errors="replace").rstrip("\n")
            self._lines.append(line)
            match = _LOG_LINE.match(line)
            logger.log(_LEVELS[match[1]] if match else logging.WARNING, "%s", line[match.end():] if match else line)

    @property
    def stderr(self) -> str:
        """The newest 200 lines of the program's standard error."""
        return "\n".join(self._lines)

    def ended(self) -> StoppedError | None:
        """The error that reports how the program ended; None while it runs."""
        if self.is_running:
            return None
        self._reader.join()
        status = self._process.returncode
        how = f"was ended by signal {-status}" if status < 0 else f"ended with status {status}"
        return StoppedError(f"The store's program {how}. {self.stderr}".strip())

    def stop(self, *, grace: float = 10) -> None:
        """Ends the program, and returns when it has ended.

        :param grace: The time, in seconds, after which it is killed.
        """
        if self._owner != os.getpid():
            return
        process = self._process
        assert process.stdin is not None and process.stdout is not None and process.stderr is not None
        process.stdin.close()
        try:
            process.wait(grace)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
        self._reader.join()
        process.stdout.close()
        process.stderr.close()
        _running.discard(self)

    def leave_to_parent(self) -> None:
        """Called in a copy of this process (`fork`): gives up the copies of the pipes, which would keep the program running."""
        for pipe in (self._process.stdin, self._process.stdout, self._process.stderr):
            if pipe is not None:
                pipe.close()


_running: weakref.WeakSet[StoreProcess] = weakref.WeakSet()


def _after_fork() -> None:
    for process in list(_running):
        process.leave_to_parent()


os.register_at_fork(after_in_child=_after_fork)
