"""The scripts that make a release: what they refuse, and which licences they find. Nothing is built."""
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest
from unittest import mock

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "Scripts/release"))
import release  # noqa: E402
import third_party  # noqa: E402
import toolchain  # noqa: E402

SOURCES = {
    "CParser/LICENSE": "MIT, by the parser's author",
    "CParser/parser.c": "// Parses text.\nint parse(void);\n",
    "CHash/hash.c": "/*\n * Copyright (c) 1995 A\n *\n * Redistribution and use in source\n * and binary forms\n */\nint hash(void);\n",
    "Tables/Tables.swift": "import Foundation\n\n// Copyright B\n//\n// Permission is hereby granted, free of charge\nlet table = 1\n",
    "Tables/License.swift": "// A type for software licences.\nstruct License {}\n",
}


class ReleaseScripts(unittest.TestCase):
    def setUp(self):
        temporary = tempfile.TemporaryDirectory(prefix="openstorekit-release-")
        self.addCleanup(temporary.cleanup)
        self.folder = pathlib.Path(temporary.name)

    def test_licences_in_sources_are_files_of_their_own_and_comments_with_terms(self):
        for name, content in SOURCES.items():
            (self.folder / name).parent.mkdir(exist_ok=True)
            (self.folder / name).write_text(content)
        found = {str(path.relative_to(self.folder)): text for path, text in third_party.licences_in_sources(self.folder)}
        self.assertEqual(found, {
            "CParser/LICENSE": "MIT, by the parser's author",
            "CHash/hash.c": "Copyright (c) 1995 A\n\nRedistribution and use in source\nand binary forms",
            "Tables/Tables.swift": "Copyright B\n\nPermission is hereby granted, free of charge",
        })

    def test_the_licence_of_icu_is_that_of_the_toolchains_version(self):
        name, licence = third_party.icu()
        self.assertRegex(name, r"^ICU 7\d\.")
        self.assertTrue(licence.startswith("UNICODE LICENSE V3"))
        with mock.patch.object(third_party, "HERE", self.folder), self.assertRaisesRegex(SystemExit, "put its licence"):
            third_party.icu()

    def test_an_archive_of_no_package_is_refused(self):
        with self.assertRaisesRegex(SystemExit, "belongs to no package"):
            third_party.package_of(str(self.folder / "libother.a"))

    def test_the_compiler_of_c_is_that_of_the_toolchain(self):
        path = os.environ["PATH"].split(":")
        swift = next(folder for folder in path if (pathlib.Path(folder) / "swift").exists())
        command = "import toolchain; print(toolchain.clang(), toolchain.version())"
        printed = subprocess.run(
            ["/usr/bin/python3", "-c", command], cwd=ROOT / "Scripts/release", check=True, capture_output=True, text=True,
            env={"PATH": "/usr/bin:/bin", "SWIFT": f"{swift}/swift"}).stdout.split()
        self.assertEqual(printed, [str(toolchain.clang()), toolchain.version()])
        self.assertTrue(os.access(printed[0], os.X_OK))

    def test_uncommitted_changes_and_unknown_files_are_refused(self):
        def git(*arguments):
            subprocess.run(["git", "-c", "user.name=a", "-c", "user.email=a@example.com", *arguments],
                           cwd=self.folder, check=True, stdout=subprocess.DEVNULL)

        git("init", "--quiet")
        (self.folder / "source").write_text("1")
        git("add", "source")
        git("commit", "--quiet", "--message", "First")
        with mock.patch.object(release, "ROOT", self.folder):
            self.assertRegex(release.commit(), r"^[0-9a-f]{40}$")
            (self.folder / "source").write_text("2")
            with self.assertRaisesRegex(SystemExit, r"(?s) M source.*Commit them, or put them away"):
                release.commit()
            git("commit", "--quiet", "--all", "--message", "Second")
            (self.folder / "other").touch()
            with self.assertRaisesRegex(SystemExit, r"\?\? other"):
                release.commit()

    def test_the_address_of_releases_is_the_constant_of_the_makefile(self):
        with mock.patch.dict(os.environ):
            os.environ.pop("OPENSTOREKIT_RELEASES", None)
            self.assertRegex(release.address(), r"^https://.*/releases$")
            os.environ["OPENSTOREKIT_RELEASES"] = "https://example.com/releases"
            self.assertEqual(release.address(), "https://example.com/releases")


if __name__ == "__main__":
    unittest.main()
