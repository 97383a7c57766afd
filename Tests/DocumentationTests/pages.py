"""Reads the fenced blocks of a Markdown page, and runs them as a reader would: in order, in one shell."""
import json
import os
import pathlib
import re
import signal
import socket
import subprocess
import tempfile
import threading

ROOT = pathlib.Path(__file__).resolve().parents[2]
PROGRAM = ROOT / ".build/debug/openstorekit"


class Block:
    """A fenced block, with the paragraph before it."""

    def __init__(self, language, text, paragraph, section):
        self.language = language
        self.text = text
        self.section = section
        # A paragraph that begins with a file's name introduces the contents of the file.
        name = re.match(r"`([\w./-]+)`", paragraph)
        self.file = name.group(1) if name and language != "sh" else None


def blocks(page):
    """Returns all fenced blocks of a page, in order."""
    found, paragraph, section, lines, language = [], [], "", None, ""
    for line in (ROOT / page).read_text().split("\n"):
        if line.startswith("```"):
            if lines is None:
                lines, language = [], line[3:]
            else:
                found.append(Block(language, "\n".join(lines), " ".join(paragraph), section))
                lines, paragraph = None, []
        elif lines is not None:
            lines.append(line)
        elif line.startswith("#"):
            section, paragraph = line.lstrip("# "), []
        elif line.strip():
            # A blank line ends a paragraph, unless it is the one before a block.
            paragraph = paragraph + [line] if paragraph and paragraph[-1] else [line]
        else:
            paragraph = paragraph + [""] if paragraph and paragraph[-1] else paragraph
    assert lines is None, f"{page}: a block is not closed"
    return found


def free_port():
    """A port that was free a moment ago."""
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return listener.getsockname()[1]


class Reader:
    """A reader who follows a page in a folder: writes its files, runs its commands, compares its answers."""

    # Commands that run until they are stopped. They print "ready" when they accept connections.
    SERVERS = re.compile(r"openstorekit (emulator|device|demo|server)(?! (check|operator-key|restored))\b")

    def __init__(self, folder, environment=None):
        self.folder = pathlib.Path(folder)
        # Other programs may use the ports of the pages.
        self.ports = {name: str(free_port()) for name in ["8080", "8090", "8000", "8443", "9000"]}
        self.environment = {**os.environ, "OPENSTOREKIT_SERVER_PORT": self.ports["8090"], **(environment or {})}
        self.servers = []
        self.shell = subprocess.Popen(
            ["bash", "--noprofile", "--norc"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
            text=True, cwd=self.folder, env=self.environment)
        # A pipeline fails if one of its commands fails.
        self.run("set -o pipefail")

    def with_free_ports(self, text):
        """Replaces the ports of the page."""
        for written, free in self.ports.items():
            text = re.sub(rf"\b{written}\b", free, text)
        return text

    def write(self, block):
        path = self.folder / block.file
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(self.with_free_ports(block.text) + "\n")

    def run(self, text):
        """Runs commands in the shell, and returns what they print. Fails if one of them fails."""
        end = "end of the commands:"
        commands = self.with_free_ports(text)
        # In a group with -e, so that the first failure ends it; its variables stay in the shell.
        self.shell.stdin.write(f"trap 'echo; echo \"{end} 1\"' ERR\n{commands}\necho; echo '{end}' $?\n")
        self.shell.stdin.flush()
        printed = []
        for line in self.shell.stdout:
            if line.startswith(end):
                assert line.split()[-1] == "0", f"{commands}\nfailed:\n{''.join(printed)}"
                return "".join(printed).strip()
            printed.append(line)
        raise AssertionError(f"{commands}\nended the shell:\n{''.join(printed)}")

    def start(self, text):
        """Starts a program that runs until it is stopped, and returns its address when it is ready."""
        command = self.with_free_ports(text.split("#")[0].strip())
        directory = self.run("pwd")
        path = self.run("echo $PATH")
        process = subprocess.Popen(
            ["bash", "-c", f"exec {command}"], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
            stderr=subprocess.PIPE, text=True, cwd=directory, env={**self.environment, "PATH": path})
        self.servers.append(process)
        errors = []
        threading.Thread(target=lambda: errors.extend(process.stderr), daemon=True).start()
        for line in process.stdout:
            if line.startswith("ready "):
                threading.Thread(target=lambda: [None for _ in process.stdout], daemon=True).start()
                return line.split()[1]
        raise AssertionError(f"{command} did not become ready: {process.wait()} {''.join(errors)}")

    def follow(self, page_blocks):
        """Follows the blocks of a page. Returns the commands that were run."""
        commands = []
        answer = ""
        for block in page_blocks:
            if block.file:
                self.write(block)
            elif block.language == "sh":
                for command in split(block.text):
                    commands.append(command)
                    if self.SERVERS.search(command):
                        self.start(command)
                    else:
                        answer = self.run(command)
            elif block.language == "json":
                expected, given = json.loads(block.text), json.loads(answer)
                shown = {key: given.get(key) for key in expected}
                assert shown == expected, f"{commands[-1]}\nanswered {given}\ninstead of {expected}"
        return commands

    def stop(self):
        for process in self.servers:
            if process.poll() is None:
                process.send_signal(signal.SIGTERM)
            process.wait(timeout=60)
        self.shell.stdin.close()
        self.shell.wait(timeout=60)


def split(text):
    """Returns the commands of a block. A line that ends with a backslash, or begins with a space, belongs to the last."""
    commands = []
    for line in text.split("\n"):
        if commands and (commands[-1].endswith("\\") or line.startswith(" ")):
            commands[-1] += "\n" + line
        elif line.strip():
            commands.append(line)
    return commands


def temporary_folder(test):
    """A folder that is removed when the test ends."""
    folder = tempfile.TemporaryDirectory(prefix="openstorekit-pages-")
    test.addCleanup(folder.cleanup)
    return pathlib.Path(folder.name)
