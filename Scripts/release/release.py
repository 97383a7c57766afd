"""Builds the program of a release from a commit, and packs it: dist/openstorekit-VERSION-linux-x86_64.tar.xz.

The variable SWIFT chooses the toolchain. Uncommitted changes are refused. Documentation/releases.md describes the result, and
which of its bytes another run makes again.
usage: release.py [--pack-into FOLDER]   only packs the program that was built last, and leaves dist as it is"""
import io
import lzma
import os
import pathlib
import re
import subprocess
import sys
import tarfile

import toolchain
from third_party import notices

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
# Not the folder of other builds: with other options, everything in it would be compiled again.
BUILD = ROOT / ".build/release-static"
DIST = ROOT / "dist"
# The C libraries that are linked statically: SQLite, zlib, and C++'s, which Swift's own libraries need.
LIBRARIES = ["libsqlite3.a", "libz.a", "libstdc++.a"]
# The oldest glibc on which the program runs: that of RHEL 9 and Amazon Linux 2023.
GLIBC = (2, 34)
GLIBC_LIBRARIES = re.compile(r"(libc|libm|libdl|libpthread|librt|libresolv|libutil)\.so\.\d+|ld-linux-x86-64\.so\.2")


def output(*command):
    return subprocess.run(command, cwd=ROOT, check=True, stdout=subprocess.PIPE, text=True).stdout


def version():
    source = (ROOT / "Sources/CommandLineTool/Output/ProgramVersion.swift").read_text()
    return re.search(r'enum ProgramVersion \{\s+static let text = "([^"]+)"', source)[1]


def address():
    """The address of releases: that of `make`, which is a constant in Makefile."""
    constant = re.compile(r"^export OPENSTOREKIT_RELEASES = (\S+)$", re.MULTILINE)
    return os.environ.get("OPENSTOREKIT_RELEASES") or constant.search((ROOT / "Makefile").read_text())[1]


def commit():
    """The commit of the folder. Ends this script if the folder has changes that are in no commit."""
    if changes := output("git", "status", "--porcelain"):
        sys.exit(f"A release is made from a commit, but these changes are in none:\n{changes}"
                 "Commit them, or put them away (git stash --include-untracked).")
    return output("git", "rev-parse", "HEAD").strip()


def build():
    """Builds the program, and returns its path."""
    libraries = BUILD / "libraries"
    libraries.mkdir(parents=True, exist_ok=True)
    for name in LIBRARIES:
        archive = output("g++", f"-print-file-name={name}").strip()
        if not os.path.isabs(archive):
            sys.exit(f"{name} is missing: make release installs its package.")
        link = libraries / name
        link.unlink(missing_ok=True)
        link.symlink_to(archive)
    # Paths of this folder must not get into the program: assertions of C and C++, and of modules before Swift 6, contain them.
    prefix = f"-ffile-prefix-map={ROOT}=."
    swift = ["-enable-upcoming-feature", "ConciseMagicFile", "-suppress-warnings", "-use-ld=lld",
             "-Xclang-linker", "-static-libgcc"]
    older_glibc = BUILD / "older_glibc.o"
    output(str(toolchain.clang()), "-O2", "-fPIC", "-fno-builtin", "-c", str(HERE / "older_glibc.c"), "-o", str(older_glibc))
    # Archives in the first folder of the search go before shared libraries in later ones. Exported symbols would keep unused
    # code.
    linker = [f"-L{libraries}", str(older_glibc), "--no-export-dynamic"]
    subprocess.run(
        [toolchain.SWIFT, "build", "--configuration", "release", "--product", "openstorekit",
         "--scratch-path", BUILD, "--static-swift-stdlib", "--disable-default-traits", "--disable-local-rpath",
         "-debug-info-format", "none", "-Xcc", prefix, "-Xcxx", prefix,
         *(part for option in swift for part in ("-Xswiftc", option)),
         *(part for option in linker for part in ("-Xlinker", option))],
        cwd=ROOT, check=True)
    stripped = BUILD / "openstorekit"
    output("strip", "--strip-all", "-o", str(stripped), str(BUILD / "release/openstorekit"))
    return stripped


def check(program):
    """Ends this script if the program needs more than glibc, or a newer one, or contains paths of this machine."""
    needed = re.findall(r"\(NEEDED\).*\[(.+)\]", output("readelf", "--dynamic", "--wide", str(program)))
    if others := [name for name in needed if not GLIBC_LIBRARIES.fullmatch(name)]:
        sys.exit(f"The program must need libraries of glibc only; it needs {', '.join(others)}.")
    symbols = re.findall(r"\(GLIBC_(\S+)\) +(\S+)", output("objdump", "--dynamic-syms", str(program)))
    if newer := [name for version, name in symbols if tuple(map(int, version.split("."))) > GLIBC]:
        sys.exit(f"The program must run with glibc {GLIBC[0]}.{GLIBC[1]}, which lacks {', '.join(newer)}: see older_glibc.c.")
    if os.fsencode(ROOT) + b"/" in program.read_bytes():
        sys.exit(f"The program contains paths of {ROOT}, so that other folders would give another program.")


def pack(program, folder):
    """Writes the tarball into a folder, and returns its path."""
    name = f"openstorekit-{version()}-linux-x86_64"
    files = {
        "LICENSE": (ROOT / "LICENSE").read_bytes(),
        "THIRD-PARTY-NOTICES": notices(ROOT, BUILD, address()).encode(),
        "openstorekit": program.read_bytes(),
    }
    date = int(os.environ.get("SOURCE_DATE_EPOCH") or output("git", "log", "-1", "--format=%ct"))
    archive = io.BytesIO()
    with tarfile.open(fileobj=archive, mode="w", format=tarfile.USTAR_FORMAT) as tar:
        for path, content in files.items():
            entry = tarfile.TarInfo(f"{name}/{path}")
            entry.size, entry.mtime = len(content), date
            entry.mode = 0o755 if path == "openstorekit" else 0o644
            entry.uname = entry.gname = "root"
            tar.addfile(entry, io.BytesIO(content))
    folder.mkdir(exist_ok=True)
    tarball = folder / f"{name}.tar.xz"
    # The filter for x86 code saves a tenth.
    filters = [{"id": lzma.FILTER_X86}, {"id": lzma.FILTER_LZMA2, "preset": 9 | lzma.PRESET_EXTREME}]
    tarball.write_bytes(lzma.compress(archive.getvalue(), check=lzma.CHECK_SHA256, filters=filters))
    return tarball


def release():
    """Builds and packs the program of the current commit. `dist` keeps nothing of an earlier release."""
    built_from = commit()
    program = build()
    check(program)
    if commit() != built_from:
        sys.exit("Another commit was checked out during the build: run it again.")
    for file in DIST.glob("*"):
        file.unlink()
    tarball = pack(program, DIST)
    sizes = [f"{file.stat().st_size / 1e6:.1f} MB" for file in (tarball, program)]
    print(f"{tarball.relative_to(ROOT)}: {sizes[0]}, the program in it {sizes[1]}")


if __name__ == "__main__":
    match sys.argv[1:]:
        case []:
            release()
        case ["--pack-into", folder]:
            print(pack(BUILD / "openstorekit", pathlib.Path(folder)))
        case _:
            sys.exit(__doc__)
