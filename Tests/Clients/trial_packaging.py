"""The unit for systemd and the Containerfile, as far as they can be tested in place."""

import fnmatch
import json
import pathlib
import re
import shlex
import shutil
import subprocess
import unittest

from support.premises import BINARY, SCRATCH, run

ROOT = pathlib.Path(__file__).resolve().parents[2]
UNIT = ROOT / "scripts" / "service" / "bulla-records.service"
CONTAINERFILE = ROOT / "scripts" / "service" / "Containerfile"
INSTALLED = "/usr/local/bin/bulla-records"
# The exit status of a program that does not know its arguments (sysexits(3)).
USAGE = 64
# The limit of systemd-analyze's rating, in tenths of a point; 100: the service may do anything.
EXPOSURE_LIMIT = 20


def try_words(test, words):
    """Runs the installed command line: its words are known, and only the settings are missing."""
    test.assertEqual(words[0], INSTALLED)
    settings = words[words.index("--settings") + 1]
    missing = str(SCRATCH / "no-such-settings.json")
    words = [BINARY] + [missing if word == settings else word for word in words[1:]]
    done = subprocess.run(words, capture_output=True, text=True, check=False, timeout=60)
    test.assertNotIn(done.returncode, (0, USAGE), done.stderr)
    test.assertIn("no-such-settings.json", done.stderr)
    done = subprocess.run(
        words + ["--canary"], capture_output=True, text=True, check=False, timeout=60)
    test.assertEqual(done.returncode, USAGE, done.stderr)


class UnitTrial(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.text = UNIT.read_text()
        folder = SCRATCH / "unit"
        folder.mkdir(parents=True, exist_ok=True)
        cls.file = folder / UNIT.name
        cls.file.write_text(cls.text.replace(INSTALLED, BINARY))

    def value(self, name):
        (value,) = re.findall(rf"^{name}=(.*)$", self.text, re.MULTILINE)
        return value

    def test_its_program_takes_its_words(self):
        try_words(self, shlex.split(self.value("ExecStart")))
        program, signal, process = self.value("ExecReload").split()
        self.assertTrue(pathlib.Path(program).exists())
        self.assertEqual((signal, process), ("-HUP", "$MAINPID"))

    def test_it_says_what_the_service_needs(self):
        defaults = re.search(r"timeouts\.stop\n.*\n    Default: (\d+)", run(BINARY, "settings"))
        self.assertGreater(int(self.value("TimeoutStopSec")), int(defaults[1]))
        self.assertEqual(self.value("LimitCORE"), "0")
        # The commands in its head make its writable folder, and the folder of its settings.
        self.assertIn(f"/var/lib/{self.value('StateDirectory')} ", self.text)
        self.assertIn(f"useradd --system --home-dir /var/lib/bulla-records {self.value('User')}",
                      self.text)

    @unittest.skipUnless(shutil.which("systemd-analyze"), "there is no systemd-analyze")
    def test_systemd_takes_it(self):
        done = self.analyze("verify")
        self.assertEqual([line for line in done if self.file.name in line], [])
        bad = self.file.with_name("bad.service")
        bad.write_text(self.file.read_text().replace("ProtectSystem=strict", "ProtectSystm=strict"))
        self.assertTrue(any("ProtectSystm" in line for line in self.analyze("verify", bad)))

    @unittest.skipUnless(shutil.which("systemd-analyze"), "there is no systemd-analyze")
    def test_it_may_do_little(self):
        lines = self.analyze("security", None, "--offline=yes", "--no-pager")
        if any("offline" in line for line in lines):
            self.skipTest("this systemd-analyze rates no file")
        (rated,) = [line for line in lines if "Overall exposure level" in line]
        exposure = float(re.search(r": ([0-9.]+) ", rated)[1])
        self.assertLessEqual(exposure * 10, EXPOSURE_LIMIT, rated)

    def analyze(self, verb, file=None, *options):
        done = subprocess.run(
            ["systemd-analyze", verb, *options, str(file or self.file)], capture_output=True,
            text=True, check=False, timeout=120)
        return (done.stdout + done.stderr).splitlines()


class ContainerTrial(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        text = re.sub(r"\\\n\s*", "", CONTAINERFILE.read_text())
        cls.instructions = [
            tuple(line.split(None, 1)) for line in text.splitlines()
            if line and not line.startswith("#")]
        cls.stages = []
        for name, words in cls.instructions:
            if name == "FROM":
                cls.stages.append([])
            cls.stages[-1].append((name, words))

    @staticmethod
    def of(stage, name):
        return [words for one, words in stage if one == name]

    def test_it_is_made_of_instructions(self):
        known = {"FROM", "RUN", "WORKDIR", "COPY", "USER", "VOLUME", "EXPOSE", "ENTRYPOINT", "CMD"}
        self.assertEqual({name for name, _ in self.instructions} - known, set())
        self.assertEqual(len(self.stages), 2)
        self.assertTrue(self.of(self.stages[0], "FROM")[0].endswith(" AS build"))
        head = CONTAINERFILE.read_text()
        self.assertIn(f"-f {CONTAINERFILE.relative_to(ROOT)} ", head)

    def test_what_it_copies_is_there(self):
        """It copies what the repository contains, and what the first stage has built."""
        built = [word for word in " ".join(self.of(self.stages[0], "RUN")).split()]
        product = built[built.index("--product") + 1]
        self.assertIn(f'.executable(name: "{product}"', (ROOT / "Package.swift").read_text())
        traits = built[built.index("--traits") + 1].split(",")
        self.assertEqual(set(traits), {"Service", "PostgreSQL"})
        (place,) = self.of(self.stages[0], "WORKDIR")
        for words in self.of(self.stages[0], "COPY"):
            for source in words.split()[:-1]:
                self.assertTrue((ROOT / source).exists(), source)
        (words,) = self.of(self.stages[1], "COPY")
        stage, source, target = words.split()
        self.assertEqual(stage, "--from=build")
        self.assertEqual(source, f"{place}/.build/release/{product}")
        self.assertEqual(target, INSTALLED)

    def test_what_was_built_here_is_not_copied(self):
        patterns = CONTAINERFILE.with_name("Containerfile.dockerignore").read_text().splitlines()
        for name in (".build", ".git", "Benchmarks/.build"):
            self.assertTrue(any(fnmatch.fnmatch(name, one) for one in patterns), name)
        for name in ("Package.swift", "Sources", "CSources", "Tests", "Benchmarks"):
            self.assertFalse(any(fnmatch.fnmatch(name, one) for one in patterns), name)

    def test_its_program_takes_its_words(self):
        stage = self.stages[1]
        (entry,), (words,) = self.of(stage, "ENTRYPOINT"), self.of(stage, "CMD")
        try_words(self, json.loads(entry) + json.loads(words))

    def test_user_and_volume_are_made(self):
        stage = self.stages[1]
        made = " ".join(self.of(stage, "RUN"))
        (user,), (volume,) = self.of(stage, "USER"), self.of(stage, "VOLUME")
        self.assertIn(f"useradd --system --home-dir {volume} --create-home {user} ", made)
        self.assertIn(f"chmod 0700 {volume}", made)

    @unittest.skipUnless(shutil.which("readelf"), "there is no readelf")
    def test_libraries_are_in_the_image(self):
        """The program's libraries are part of Debian, are installed, or are linked statically."""
        installed = " ".join(self.of(self.stages[1], "RUN"))
        packages = {"libcrypto": "libssl3", "libnuma": "libnuma1", "libpq": "libpq5"}
        base = {"libc", "libm", "libgcc_s", "libstdc++", "ld-linux-x86-64", "ld-linux-aarch64"}
        for name in re.findall(r"NEEDED.*\[(.*?)\.so", run("readelf", "-d", BINARY)):
            if name in packages:
                self.assertIn(packages[name], installed)
            elif not re.match("lib(swift|_?Foundation|dispatch|BlocksRuntime)", name):
                self.assertIn(name, base)

    def test_docker_takes_it(self):
        docker = shutil.which("docker")
        if not docker or subprocess.run(
                [docker, "info"], capture_output=True, check=False, timeout=60).returncode != 0:
            self.skipTest("there is no docker that answers")
        run(docker, "build", "--check", "-f", CONTAINERFILE, ROOT)
