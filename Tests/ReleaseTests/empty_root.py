"""A root folder with a few of this machine's Debian packages, and nothing else of it: no Swift, no compiler, no network."""
import os
import pathlib
import shutil
import subprocess
import tempfile

# Left out of packages: nothing runs it.
UNUSED = ("/usr/share/doc/", "/usr/share/man/", "/usr/share/locale/", "/usr/share/info/", "/usr/share/lintian/")


class Packages:
    """The packages that are installed on this machine."""

    FORMAT = "${Package}\t${Status}\t${Essential}\t${Depends}, ${Pre-Depends}\t${Provides}\n"

    def __init__(self):
        self.dependencies, self.essential, self.provided = {}, [], {}
        listed = subprocess.run(
            ["dpkg-query", "--show", "--showformat", self.FORMAT], check=True, capture_output=True, text=True).stdout
        for line in listed.splitlines():
            name, status, essential, dependencies, provides = line.split("\t")
            if status != "install ok installed":
                continue
            self.dependencies[name] = [
                [self.name(choice) for choice in one.split("|")] for one in dependencies.split(",") if one.strip()]
            if essential == "yes":
                self.essential.append(name)
            for other in provides.split(","):
                self.provided.setdefault(self.name(other), name)

    @staticmethod
    def name(dependency):
        """`libc6` of `libc6:amd64 (>= 2.36)`."""
        return dependency.split("(")[0].split(":")[0].strip()

    def with_dependencies(self, names):
        """The packages and all that they need."""
        if missing := [name for name in names if name not in self.dependencies and name not in self.provided]:
            raise LookupError(f"These packages are copied from this machine, but are not installed: {', '.join(missing)}")
        found, rest = set(), list(names)
        while rest:
            name = rest.pop()
            name = name if name in self.dependencies else self.provided.get(name, "")
            if name and name not in found:
                found.add(name)
                for choices in self.dependencies[name]:
                    rest += [next((c for c in choices if c in self.dependencies or c in self.provided), "")]
        return sorted(found)


class EmptyRoot:
    """A folder that commands see as the whole file system, in namespaces of their own. It needs root."""

    def __init__(self, packages):
        """Copies the essential packages of Debian, others, and what they need. Without packages: only the C library."""
        self.path = pathlib.Path(tempfile.mkdtemp(prefix="openstorekit-root-"))
        installed = Packages()
        names = installed.with_dependencies(installed.essential + packages if packages else ["libc6"])
        for folder in ["bin", "sbin", "lib", "lib64"]:
            (self.path / "usr" / folder).mkdir(parents=True)
            (self.path / folder).symlink_to(f"usr/{folder}")
        for folder in ["dev", "proc", "tmp", "root", "etc"]:
            (self.path / folder).mkdir()
        (self.path / "etc/passwd").write_text("root:x:0:0:root:/root:/bin/sh\n")
        (self.path / "etc/hosts").write_text("127.0.0.1 localhost\n")
        listed = subprocess.run(["dpkg-query", "--listfiles", *names], check=True, capture_output=True, text=True).stdout
        for file in set(listed.splitlines()):
            if file.startswith("/") and not file.startswith(UNUSED) and os.path.lexists(file):
                self.copy(file)

    def copy(self, file):
        """Copies a file or link of this machine to the same place."""
        # A package may name a file by way of a linked folder, such as /lib.
        source = os.path.join(os.path.realpath(os.path.dirname(file)), os.path.basename(file))
        target = self.path / source.lstrip("/")
        if os.path.isdir(source) or os.path.lexists(target) or not os.path.isfile(source) and not os.path.islink(source):
            return
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(source, target, follow_symlinks=False)

    def run(self, script, *, interpreter="/bin/sh"):
        """Runs a script in it, and returns what it prints."""
        # The network is a loopback interface of its own.
        enter = """
            set -e
            mount --rbind /dev "$1/dev"
            mount -t proc proc "$1/proc"
            python3 -c '
import fcntl, socket, struct
interface = struct.pack("16sh", b"lo", 0x49)  # IFF_UP, IFF_LOOPBACK, IFF_RUNNING
fcntl.ioctl(socket.socket(), 0x8914, interface)'
            exec chroot "$@"
        """
        process = subprocess.run(
            ["unshare", "--mount", "--net", "--pid", "--fork", "--kill-child", "sh", "-c", enter, "sh", self.path, interpreter,
             *(["-euc", script] if interpreter == "/bin/sh" else script)],
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
            env={"PATH": "/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin", "HOME": "/root", "LANG": "C.UTF-8"})
        assert process.returncode == 0, f"status {process.returncode}\n{process.stdout}"
        return process.stdout

    def remove(self):
        shutil.rmtree(self.path)
