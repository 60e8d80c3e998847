"""Accounts in several databases, as an operator places them."""

import json
import os
import secrets
import subprocess
import unittest

from support.client import ZONE, plain, sealed
from support.database import Cluster, program
from support.leak import leak
from support.premises import BINARY, CONTAINER, PASSWORDS, SCRATCH, premises
from support.service import eventually, serving
from trial_assets import Files
from trial_canaries import SCHEMA

PUBLIC = (CONTAINER, "development", "-", "public")


def has_databases():
    """Whether PostgreSQL is installed, and the service was built for it."""
    if not program("initdb"):
        return False
    done = subprocess.run(["ldd", BINARY], capture_output=True, text=True, check=False)
    return "libpq." in done.stdout


@unittest.skipUnless(has_databases(), "PostgreSQL is missing, or the build has no databases")
class PlacementTrial(unittest.TestCase):
    def setUp(self):
        self.cluster = Cluster()
        self.addCleanup(self.cluster.remove)
        self.settings = {
            "databases": {name: self.cluster.settings(name) for name in ("west", "east")},
            "placement": {"newAccounts": "west"},
        }
        self.service = None

    def command(self, *words):
        return self.service.premises.command("placement", *words, folder=self.service.folder)

    def refused(self, *words):
        """What a command says that must fail."""
        with self.assertRaises(RuntimeError) as caught:
            self.command(*words)
        return str(caught.exception)

    @staticmethod
    def lines(text):
        """The columns of lines, without the names of user records."""
        return [tuple(line.split("\t")[:3] + line.split("\t")[4:]) for line in text.splitlines()]

    def place_of(self, name, environment="development"):
        """What the list says of an account."""
        for found in self.lines(self.command("list")):
            if found[:3] == (CONTAINER, environment, name):
                return found[3:]
        raise AssertionError(f"{name} is not in the list")

    def use(self, name, record, environment="development"):
        """Saves a record of an account, and reads the ones that it had."""
        with self.service.client(name, environment) as client:
            client.make_zone()
            answer = client.create(record, {"secret": sealed("canary", "STRING")}, zone=ZONE)
            self.assertIsNone(answer.code, answer)

    def records(self, name, names):
        with self.service.client(name) as client:
            return client.names_of(names, ZONE)

    def test_operators_commands(self):
        with serving(self.settings) as service:
            self.service = service
            for name in ("alice", "bob"):
                self.use(name, "first")
            self.check_list_and_moves()
            self.check_interrupted_moves()
            self.check_losses()

    def check_list_and_moves(self):
        listed = self.lines(self.command("list"))
        self.assertEqual(len(listed), 5)
        # Accounts from before the databases were added; nobody has used the public database yet.
        self.assertEqual({line[3] for line in listed if line[2] != "-"}, {"main"})
        self.assertEqual(
            self.lines(self.command("list", CONTAINER, "--environment", "production")),
            [line for line in listed if line[1] == "production"])
        self.assertEqual(self.command("move", CONTAINER, "alice", "east"), "alice is in east")
        self.assertEqual(
            self.command("move", CONTAINER, "alice", "west", "--environment", "production"),
            "alice is in west")
        self.assertEqual(
            self.command("move-public", CONTAINER, "west"), "the public database is in west")
        self.assertEqual(self.place_of("alice"), ("east",))
        self.assertEqual(self.place_of("alice", "production"), ("west",))
        self.assertEqual(self.place_of("-"), ("west",))
        self.assertEqual(self.records("alice", {"first"}), {"first"})
        self.assertIn("no database named north", self.refused("move", CONTAINER, "bob", "north"))
        stays = "it is in {}, and does not move"
        self.assertIn(stays.format("east"), self.refused("cancel", CONTAINER, "alice"))
        self.assertIn(stays.format("west"), self.refused("cancel-public", CONTAINER))
        self.assertEqual(self.command("resume"), "")

    def interrupt(self, name, target):
        """Kills a mover while it waits for its target."""
        lock = self.cluster.lock(target, "bulla_assets")
        mover = subprocess.Popen(
            [BINARY, "placement", "move", CONTAINER, name, target, "--settings",
             str(self.service.folder / "settings.json")],
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        moving = ("main", f"moving to {target}")
        eventually(lambda: self.place_of(name) == moving, "the move is announced")
        mover.kill()
        mover.wait()
        lock.stdin.close()
        lock.stdout.close()
        lock.wait()
        self.assertEqual(self.place_of(name), moving)

    def check_interrupted_moves(self):
        self.interrupt("bob", "east")
        self.assertIn("resume or cancel", self.refused("move", CONTAINER, "bob", "west"))
        self.assertEqual(self.command("cancel", CONTAINER, "bob"), "bob stays in main")
        self.interrupt("bob", "west")
        self.use("bob", "second")
        self.assertEqual(
            self.lines(self.command("resume")), [(CONTAINER, "development", "bob", "west")])
        self.assertEqual(self.records("bob", {"first", "second"}), {"first", "second"})

    def check_losses(self):
        # As if the database had been restored to a time before the accounts came to it.
        self.assertEqual(self.command("move", CONTAINER, "bob", "east"), "bob is in east")
        self.assertEqual(self.command("restored", "east"), "")
        self.assertIn("nothing is lost", self.refused("abandon", CONTAINER, "alice"))
        self.cluster.query("east", "DELETE FROM bulla_homes; DELETE FROM bulla_zones")
        self.assertEqual(
            self.lines(self.command("restored", "east")),
            [(CONTAINER, "development", name, "lost") for name in ("alice", "bob")])
        self.assertIn("placement abandon", self.refused("move", CONTAINER, "alice", "west"))
        self.assertIn("add --yes", self.refused("abandon", CONTAINER, "alice"))
        said = self.command("abandon", CONTAINER, "alice", "west", "--yes")
        self.assertIn("everything that alice owned there is lost", said)
        self.assertIn("alice is in west", said)
        with self.service.client("alice") as client:
            self.assertEqual(client.look_up(["first"], ZONE).code, "ZONE_NOT_FOUND")
        self.use("alice", "anew")
        self.service.premises.command(
            "account", "delete", CONTAINER, "bob", folder=self.service.folder)
        self.assertEqual(len(self.lines(self.command("list"))), 4)
        for name in ("main", "west"):
            self.command("move-public", CONTAINER, name)
        self.cluster.query("west", "DELETE FROM bulla_homes")
        said = self.command("abandon-public", CONTAINER, "main", "--yes")
        self.assertIn("the public database is in main", said)
        self.assertEqual(self.place_of("-"), ("main",))


@unittest.skipUnless(has_databases(), "PostgreSQL is missing, or the build has no databases")
class DumpTrial(unittest.TestCase):
    NAMES = ("north", "west", "east")

    def test_no_dump_has_a_value(self):
        """Searches a dump of each of three servers, all of which have had accounts."""
        clusters = {}
        for name in self.NAMES:
            clusters[name] = Cluster()
            self.addCleanup(clusters[name].remove)
        settings = {name: cluster.settings(name) for name, cluster in clusters.items()}
        canaries = ["canary-" + secrets.token_hex(16) for _ in range(2)]
        with serving({"databases": settings}) as service:
            path = service.folder / "schema.ckdb"
            path.write_text(SCHEMA)
            service.premises.command("import-schema", CONTAINER, path, folder=service.folder)
            for user, places in (("alice", ("west", "north")), ("bob", ("east",))):
                for place in places:
                    service.premises.command(
                        "placement", "move", CONTAINER, user, place, folder=service.folder)
                    self.fill(service.client(user), f"in-{place}", canaries)
            service.secrets += canaries
        # Nothing is left where alice was first.
        counts = [
            int(clusters[name].query(name, "SELECT COUNT(*) FROM bulla_records"))
            for name in self.NAMES]
        self.assertEqual(counts, [4, 0, 2])
        for name in self.NAMES:
            dump = clusters[name].dump(name)
            self.assertEqual(b"indexed".hex() in dump, name != "west")
            self.assertIsNotNone(leak(dump + canaries[0].encode().hex(), canaries))
            at = leak(dump, canaries + list(PASSWORDS.values()))
            self.assertIsNone(at, f"the dump of {name} has a secret at {at}")

    @staticmethod
    def fill(client, name, canaries):
        """Saves a record with plain and encrypted values, and one with a file."""
        client.make_zone()
        # A backend sees indexed values, and no others.
        answer = client.create(name, {
            "line": plain("indexed", "STRING"), "plain": plain(canaries[0], "STRING"),
            "secret": sealed(canaries[1], "STRING")}, "Kept", ZONE)
        if answer.code:
            raise AssertionError(f"not saved: {answer}")
        Files(client, ZONE).sent(f"file-{name}", canaries[1].encode() * 100)


@unittest.skipUnless(has_databases(), "PostgreSQL is missing, or the build has no databases")
class OneDatabaseTrial(unittest.TestCase):
    def test_a_second_name_is_refused(self):
        """A database that is named twice is found out, whichever names its host has."""
        cluster = Cluster()
        self.addCleanup(cluster.remove)
        one = cluster.settings("one")
        link = cluster.folder / "link"
        os.symlink(cluster.folder, link)
        settings = {"databases": {"a": one, "b": {**one, "host": str(link)}}}
        folder = premises().copy(SCRATCH / "services" / f"{os.getpid()}-twice", settings, 1, 2)
        for databases, part in (
                (json.dumps(settings["databases"]), "is the same one as"),
                (json.dumps({"a": one, "b": one}), "databases.b: the same database as databases.a"),
                ("{}", "only one database")):
            with self.assertRaises(RuntimeError) as caught:
                premises().command(
                    "placement", "move", CONTAINER, "alice", "b", folder=folder,
                    env={**os.environ, "BULLA_RECORDS_DATABASES": databases})
            self.assertIn(part, str(caught.exception))
