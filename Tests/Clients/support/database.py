"""A PostgreSQL server of its own, reachable over a socket in its folder only."""

import os
import pathlib
import pwd
import shutil
import subprocess
import tempfile
import time

from .premises import run

USER = "bulla"
PATIENCE = 60


def program(name):
    """The path of one of the server's programs; None if it is not installed."""
    folders = sorted(pathlib.Path("/usr/lib/postgresql").glob("*/bin"), reverse=True)
    return shutil.which(name, path=os.pathsep.join(map(str, folders)) + ":/usr/bin")


class Cluster:
    """A server that is removed at the end.

    It refuses to run as root: a trial that runs as root starts it as the user `postgres`.
    """

    def __init__(self):
        # The path of a socket may have about a hundred characters.
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="bulla-trial-"))
        self.words = []
        if os.geteuid() == 0:
            user = pwd.getpwnam("postgres")
            os.chown(self.folder, user.pw_uid, user.pw_gid)
            self.words = ["setpriv", "--reuid=postgres", "--regid=postgres", "--clear-groups"]
        self.process = None
        try:
            run(*self.words, program("initdb"), "-D", self.folder / "data", "-U", USER, "-A",
                "trust", "-E", "UTF8", "--no-locale", "--no-sync", cwd=self.folder)
            self._start()
        except BaseException:
            self.remove()
            raise

    def _start(self):
        with open(self.folder / "log", "wb") as log:
            self.process = subprocess.Popen(
                [*self.words, program("postgres"), "-D", str(self.folder / "data"), "-k",
                 str(self.folder), "-c", "listen_addresses="],
                stdin=subprocess.DEVNULL, stdout=log, stderr=log, cwd=self.folder)
        end = time.monotonic() + PATIENCE
        while True:
            try:
                self.query("postgres", "SELECT 1")
                return
            except RuntimeError:
                if self.process.poll() is not None or time.monotonic() > end:
                    raise
                time.sleep(0.05)

    def _psql(self, database):
        return [program("psql"), "-X", "-q", "-A", "-t", "-v", "ON_ERROR_STOP=1", "-h",
                str(self.folder), "-U", USER, "-d", database]

    def query(self, database, statement):
        """Runs a statement, and returns what it prints."""
        return run(*self._psql(database), "-c", statement)

    def dump(self, database):
        """All that a database has, as a backup in SQL."""
        return run(program("pg_dump"), "-h", self.folder, "-U", USER, database)

    def settings(self, database):
        """Makes an empty database, and returns the service's settings for it."""
        self.query("postgres", f"CREATE DATABASE {database}")
        return {"host": str(self.folder), "name": database, "user": USER}

    def lock(self, database, table):
        """Keeps everybody from a table, until the process that is returned ends."""
        process = subprocess.Popen(
            self._psql(database), stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        process.stdin.write(f"BEGIN; LOCK TABLE {table}; SELECT 'locked';\n")
        process.stdin.flush()
        if process.stdout.readline().strip() != "locked":
            raise RuntimeError(f"{table} cannot be locked")
        return process

    def remove(self):
        if self.process and self.process.poll() is None:
            self.process.terminate()
            self.process.wait(PATIENCE)
        shutil.rmtree(self.folder, ignore_errors=True)
