"""Operators' commands: their output, their arguments, and the service's process."""

import os
import pathlib
import re
import resource
import subprocess
import unittest

from support.client import ZONE, plain
from support.premises import BINARY, CONTAINER, run
from support.service import serving, shared

# What `settings` prints for each: name, purpose, default, name in the environment.
SETTING = re.compile(
    r"^([a-zA-Z.]+)\n    [A-Z].*\.\n    (?:Default: (.+)\. )?Environment: ([A-Z_]+)\n",
    re.MULTILINE)


class SettingsTrial(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.service = shared()
        cls.printed = run(BINARY, "settings") + "\n"
        cls.settings = SETTING.findall(cls.printed)

    def test_each_is_explained(self):
        """The command prints nothing else, and needs no settings."""
        self.assertEqual(SETTING.sub("", self.printed), "")
        names = [name for name, _, _ in self.settings]
        self.assertEqual(len(set(names)), len(names))
        for name in ("data", "publicURL", "keys.records", "tls.privateKey", "limits.workers"):
            self.assertIn(name, names)
        defaults = {name: default for name, default, _ in self.settings}
        self.assertEqual(defaults["limits.operations"], "200")
        self.assertEqual(defaults["data"], "")

    def command(self, **environment):
        """Runs a command that reads the settings, with an environment."""
        return subprocess.run(
            [BINARY, "container", "list", "--settings", self.service.folder / "settings.json"],
            env={**os.environ, **environment}, capture_output=True, text=True, check=False)

    def test_each_is_taken_from_the_environment(self):
        for name, default, variable in self.settings:
            if not default.isdigit():
                continue
            done = self.command(**{variable: "canary"})
            self.assertNotEqual(done.returncode, 0, name)
            self.assertIn(name, done.stderr)
            self.assertNotIn("canary", done.stderr)
            done = self.command(**{variable: default})
            self.assertEqual((done.returncode, done.stdout), (0, CONTAINER + "\n"), done.stderr)

    def test_environment_goes_before_the_file(self):
        done = self.command(BULLA_RECORDS_DATA=str(self.service.folder / "nothing"))
        self.assertNotEqual(done.returncode, 0)


class SchemaTrial(unittest.TestCase):
    """A schema that is exported, changed, validated, imported, and promoted."""

    def test_promotion(self):
        with serving() as service:
            def command(*words):
                return service.premises.command(*words, folder=service.folder)

            file = pathlib.Path(service.folder) / "schema.ckdb"
            file.write_text(command("export-schema", CONTAINER).replace(
                "DEFINE SCHEMA", "DEFINE SCHEMA RECORD TYPE Tablet ( line STRING QUERYABLE );"))
            run(BINARY, "validate-schema", file)
            command("import-schema", CONTAINER, file)
            self.assertIn("Tablet", command("export-schema", CONTAINER))
            production = ("export-schema", CONTAINER, "--environment", "production")
            self.assertNotIn("Tablet", command(*production))
            client = service.client("alice", "production")
            client.make_zone()
            fields = {"line": plain("canary", "STRING")}
            self.assertEqual(client.create("a", fields, "Tablet", ZONE).code, "BAD_REQUEST")
            self.assertIn("Tablet", command("promote", CONTAINER))
            self.assertIn("Tablet", command(*production))
            self.assertIsNone(client.create("a", fields, "Tablet", ZONE).code)
            # Nothing is left to promote; the command's other name does the same.
            self.assertEqual(command("promote-schema", CONTAINER), "")
            client.close()


class ProcessTrial(unittest.TestCase):
    def test_no_core_is_dumped(self):
        """The limit is zero and stays zero, whatever the shell's limit is."""
        with serving(prepare=self.allow_core_dumps) as service:
            process = pathlib.Path(f"/proc/{service.process.pid}")
            (line,) = [
                line for line in (process / "limits").read_text().splitlines()
                if line.startswith("Max core file size")]
            self.assertEqual(line.split()[4:6], ["0", "0"])
            # The superuser owns the memory of a process that must not be dumped.
            self.assertEqual((process / "mem").stat().st_uid, 0)

    @staticmethod
    def allow_core_dumps():
        _, hard = resource.getrlimit(resource.RLIMIT_CORE)
        resource.setrlimit(resource.RLIMIT_CORE, (hard, hard))
