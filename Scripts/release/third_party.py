"""The notices of the software that is linked into the program of a release: names, versions, licences."""
import json
import os
import pathlib
import re
import subprocess

import toolchain

HERE = pathlib.Path(__file__).resolve().parent
# Static libraries of Debian's packages. `-static-libgcc` links the last two.
DEBIAN = {
    "libsqlite3.a": "SQLite", "libz.a": "zlib", "libstdc++.a": "GNU C++ library",
    "libgcc.a": "GNU C runtime library (libgcc)", "libgcc_eh.a": "GNU C runtime library (libgcc)",
}
# The folders of a package whose files can be compiled into the program. Tests, benchmarks and tools lie in others.
SOURCE_FOLDERS = ("Sources", "GRDB")
SOURCE_FILES = {".swift", ".c", ".cc", ".cpp", ".h", ".hpp", ".inc", ".S"}
LICENCE_FILE = re.compile(r"(LICEN[CS]E|COPYING|NOTICE)", re.IGNORECASE)
# Terms that must go with the program, where a comment of a source file has them: those of MIT, BSD, ISC and zlib.
TERMS = re.compile(
    r"permission\s+is\s+hereby\s+granted|redistribution\s+and\s+use|permission\s+to\s+use,\s+copy|provided\s+'as-is'",
    re.IGNORECASE)
COMMENT = re.compile(r"/\*.*?\*/|(?:^[ \t]*//[^\n]*\n)+", re.DOTALL | re.MULTILINE)
COMMENT_MARKS = re.compile(r"^[ \t]*(?:/\*+|\*+/|\*|//+)[ \t]?|[ \t]*\*+/[ \t]*$", re.MULTILINE)


def text(path):
    return pathlib.Path(path).read_text(errors="replace").strip()


def licences_in_sources(folder):
    """The licences below a folder of sources: files of their own, and comments that contain the terms of a licence."""
    for path in sorted(path for path in folder.rglob("*") if path.is_file()):
        if LICENCE_FILE.match(path.name) and path.suffix not in SOURCE_FILES:
            yield path, text(path)
        elif path.suffix in SOURCE_FILES:
            for comment in COMMENT.findall(path.read_text(errors="replace")):
                plain = re.sub(r"^#+$|[ \t]+$", "", COMMENT_MARKS.sub("", comment), flags=re.MULTILINE).strip()
                if TERMS.search(plain):
                    yield path, plain


def swift_packages(root, build):
    """The Swift packages of the build, with the texts of their licences and notices."""
    pins = json.loads(text(root / "Package.resolved"))["pins"]
    for pin in sorted(pins, key=lambda pin: pin["identity"]):
        name = pin["location"].removesuffix(".git").split("/")[-1]
        checkout = build / "checkouts" / name
        files = sorted(file for file in checkout.iterdir() if LICENCE_FILE.match(file.name))
        if not any(file.name.startswith(("LICENSE", "COPYING")) for file in files):
            raise SystemExit(f"{name} has no licence in {checkout}.")
        version = f"{name} {pin['state']['version']}"
        yield f"{version} ({pin['location']})", "\n\n".join(map(text, files))
        folders = [checkout / folder for folder in SOURCE_FOLDERS if (checkout / folder).is_dir()]
        if not folders:
            raise SystemExit(f"{checkout} has none of the folders {', '.join(SOURCE_FOLDERS)}, whose licences are read.")
        for folder in folders:
            for path, licence in licences_in_sources(folder):
                yield f"{version}: {path.relative_to(checkout)}", licence


def icu():
    """ICU, which is in Foundation. Its licence is not in the toolchain."""
    libraries = toolchain.static_libraries()
    version = re.search(r'define U_ICU_VERSION "([^"]+)"', text(libraries / "_foundation_unicode/uvernum.h"))[1]
    linked = {int(found) for found in re.findall(rb"icudt([0-9]+)l", (libraries / "linux/lib_FoundationICU.a").read_bytes())}
    major = int(version.split(".")[0])
    if linked != {major}:
        raise SystemExit(f"The headers of Swift's ICU are of version {version}, but the library is of version {linked}.")
    licence = HERE / f"ICU-{major}-LICENSE"
    if not licence.exists():
        raise SystemExit(f"Swift {toolchain.version()} contains ICU {version}: put its licence, the file LICENSE of "
                         f"https://github.com/unicode-org/icu of that version, into {licence}.")
    return f"ICU {version}, with Apple's changes (https://github.com/swiftlang/swift-foundation-icu)", text(licence)


def swift_libraries():
    """Swift's standard library, Foundation and Dispatch, and what is in them under other licences."""
    name = f"Swift {toolchain.version()}"
    yield (f"{name}: standard library, Foundation, Dispatch (https://github.com/swiftlang)",
           text(toolchain.folder() / "share/swift/LICENSE.txt"))
    yield icu()
    # The headers show the licences of the libraries' sources.
    for path, licence in licences_in_sources(toolchain.static_libraries()):
        yield f"{name}: {path.relative_to(toolchain.static_libraries())}", licence


def package_of(archive):
    """The installed package that a file belongs to, and its version. Some packages name files by the link /lib to /usr/lib."""
    for path in (archive, archive.removeprefix("/usr")):
        found = subprocess.run(["dpkg", "--search", path], capture_output=True, text=True)
        if found.returncode == 0:
            package = found.stdout.split(":")[0]
            version = subprocess.run(["dpkg-query", "--show", "--showformat", "${Version}", package],
                                     check=True, capture_output=True, text=True).stdout
            return package, version
    raise SystemExit(f"{archive} is linked into the program, but belongs to no package of Debian.")


def debian_libraries(build):
    """The C libraries of Debian's packages: those to which the linker was pointed, and libgcc, which clang finds itself."""
    for archive, name in DEBIAN.items():
        path = build / "libraries" / archive
        if not path.exists():
            path = subprocess.run([toolchain.clang(), f"-print-file-name={archive}"],
                                  check=True, capture_output=True, text=True).stdout.strip()
        package, version = package_of(os.path.realpath(path))
        yield f"{name} {version} (Debian's {package})", text(f"/usr/share/doc/{package}/copyright")
    for name in ["GPL-3"]:
        yield f"{name}, which the notice of the GNU libraries names", text(f"/usr/share/common-licenses/{name}")


def notices(root, build, address):
    """The text of the file THIRD-PARTY-NOTICES of a release at an address."""
    parts = [*swift_libraries(), *swift_packages(root, build), *debian_libraries(build)]
    # Most packages have the same licence.
    names_of = {}
    for name, licence in parts:
        names = names_of.setdefault(licence, [])
        if name not in names:
            names.append(name)
    line = "=" * 100
    head = f"The program openstorekit ({address}) contains this software, or parts of it, under these licences."
    sections = ["\n".join(names) + f"\n{line}\n\n{licence}" for licence, names in names_of.items()]
    return "\n\n".join([head, *(f"{line}\n{section}" for section in sections)]) + "\n"
