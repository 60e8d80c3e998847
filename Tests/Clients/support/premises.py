"""Makes, once for a run, a service's folder with accounts, programs and a server's key."""

import functools
import json
import os
import pathlib
import secrets
import shutil
import subprocess

CONTAINER = "iCloud.org.example.notes"

BINARY = os.environ.get("BULLA_RECORDS_BINARY", "")
SCRATCH = pathlib.Path(os.environ.get("BULLA_CLIENTS_SCRATCH", "."))
IS_LONG = os.environ.get("BULLA_LONG") == "1"
# The third-party clients that may not be left out.
DEMANDED = os.environ.get("BULLA_CLIENTS", "").replace(",", " ").split()

# None of these may ever appear in a log.
PASSWORDS = {"alice": "canary-password-of-alice", "bob": "canary-password-of-bob"}
CANARY = "canary"


def is_demanded(client):
    """Whether the trials of a third-party client fail if it is missing."""
    return client in DEMANDED or "all" in DEMANDED


def run(*command, **options):
    """Runs a command that must succeed, and returns its output."""
    done = subprocess.run(
        [str(part) for part in command], capture_output=True, text=True, check=False, **options)
    if done.returncode != 0:
        raise RuntimeError(f"{command[0]} {command[1]}: {done.returncode}: {done.stderr}")
    return done.stdout.strip()


def make_certificate(certificate, key):
    """Makes a self-signed certificate for this machine's own name."""
    run("openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1",
        "-nodes", "-days", "2", "-subj", "/CN=localhost", "-addext",
        "subjectAltName=DNS:localhost,IP:127.0.0.1", "-keyout", key, "-out", certificate)
    os.chmod(key, 0o600)


def make_signing_key(key, public):
    """Makes a P-256 key for signing requests, and its public half."""
    run("openssl", "ecparam", "-name", "prime256v1", "-genkey", "-noout", "-out", key)
    os.chmod(key, 0o600)
    run("openssl", "ec", "-in", key, "-pubout", "-out", public)


class Premises:
    """The state with which every service of a run begins."""

    def __init__(self, folder):
        self.folder = pathlib.Path(folder)
        self.certificate = self.folder / "certificate.pem"
        self.signing_key = self.folder / "server.pem"
        self.names = self.folder / "names.json"
        if not self.names.exists():
            self._make()
        names = json.loads(self.names.read_text())
        self.api_tokens, self.key_id = names["api_tokens"], names["key_id"]

    def _make(self):
        self.folder.mkdir(parents=True)
        for name in ("records", "accounts"):
            key = self.folder / f"{name}.key"
            key.touch(mode=0o600)
            key.write_text(secrets.token_hex(32))
        make_certificate(self.certificate, self.folder / "private.pem")
        make_signing_key(self.signing_key, self.folder / "server-public.pem")
        self._write({
            "data": str(self.folder / "data"), "publicURL": "https://localhost:8443",
            "keys": self.keys,
        }, self.folder)
        self._fill()

    @property
    def keys(self):
        return {name: f"file:{self.folder / name}.key" for name in ("records", "accounts")}

    @staticmethod
    def _write(settings, folder):
        path = folder / "settings.json"
        path.write_text(json.dumps(settings, indent=1))
        return path

    def command(self, *words, folder=None, **options):
        """Runs a command of bulla-records."""
        settings = (folder or self.folder) / "settings.json"
        return run(BINARY, *words, "--settings", settings, **options)

    def _fill(self):
        self.command("init")
        self.command("container", "add", CONTAINER)
        for name, password in PASSWORDS.items():
            self.command(
                "account", "add", CONTAINER, name, "--password-source", "fd:0", input=password)
        api_tokens = {}
        for environment in ("development", "production"):
            api_tokens[environment] = self.command(
                "program", "add", CONTAINER, "web", "--environment", environment)
        self.command(
            "account", "add", CONTAINER, "alice", "--password-source", "fd:0",
            "--environment", "production", input=PASSWORDS["alice"])
        key_id = self.command(
            "server-key", "add", CONTAINER, "server", self.folder / "server-public.pem")
        self.names.write_text(json.dumps({"api_tokens": api_tokens, "key_id": key_id}))

    def copy(self, folder, settings, port, admin_port, data=None):
        """Makes a folder for one service, with a copy of the stores and its own settings."""
        folder = pathlib.Path(folder)
        folder.mkdir(parents=True)
        data = pathlib.Path(data or folder / "data")
        shutil.copytree(self.folder / "data", data, dirs_exist_ok=True)
        for name in ("certificate.pem", "private.pem"):
            shutil.copy(self.folder / name, folder / name)
        merged = {
            "data": str(data), "publicURL": f"https://localhost:{port}", "keys": self.keys,
            "listen": {"port": port}, "admin": {"port": admin_port}, "log": {"level": "trace"},
            "tls": {
                "certificate": str(folder / "certificate.pem"),
                "privateKey": str(folder / "private.pem"),
            },
        }
        for group, values in settings.items():
            is_group = isinstance(values, dict)
            merged[group] = {**merged.get(group, {}), **values} if is_group else values
        self._write(merged, folder)
        return folder


def make_premises():
    """Makes the premises of a run, for all of its processes."""
    for name in ("premises", "services"):
        shutil.rmtree(SCRATCH / name, ignore_errors=True)
    return Premises(SCRATCH / "premises")


@functools.cache
def premises():
    """The premises of this run."""
    return Premises(SCRATCH / "premises")
