"""Runs `bulla-records serve` as a process of its own."""

import contextlib
import itertools
import json
import os
import pathlib
import signal
import socket
import ssl
import subprocess
import threading
import time
import urllib.error
import urllib.request

from .client import Client
from .leak import leak
from .premises import BINARY, CANARY, PASSWORDS, SCRATCH, premises

_numbers = itertools.count(1)
# How long anything may take on a busy machine.
PATIENCE = 120


def free_ports(count):
    """Ports that nobody listens on."""
    sockets = [socket.socket() for _ in range(count)]
    for one in sockets:
        one.bind(("127.0.0.1", 0))
    ports = [one.getsockname()[1] for one in sockets]
    for one in sockets:
        one.close()
    return ports


def eventually(condition, what, patience=PATIENCE):
    """Waits until a condition holds, and fails if it never does."""
    end = time.monotonic() + patience
    while not condition():
        if time.monotonic() > end:
            raise AssertionError(f"it never came: {what}")
        time.sleep(0.02)


class Service:
    """A service with its own stores, or with those of a former service."""

    def __init__(self, settings=None, data=None, prepare=None, is_logged=True):
        """`prepare` runs in the process before the service starts; it can remove the log."""
        self.port, self.admin_port = free_ports(2)
        self.premises = premises()
        self.folder = self.premises.copy(
            SCRATCH / "services" / f"{os.getpid()}-{next(_numbers)}", settings or {}, self.port,
            self.admin_port, data)
        self.log_file = self.folder / "log"
        self.certificate = self.folder / "certificate.pem"
        self.private_key = self.folder / "private.pem"
        self.prepare, self.is_logged = prepare, is_logged
        self.process = None
        self.tokens = {}
        self.secrets = list(PASSWORDS.values()) + list(self.premises.api_tokens.values())
        self.start()

    def start(self):
        """Starts the service, and waits until it serves."""
        serving_line = '"serving"'
        begun = self.log().count(serving_line)
        with open(self.log_file, "ab") as log:
            self.process = subprocess.Popen(
                [BINARY, "serve", "--settings", str(self.folder / "settings.json")],
                stdin=subprocess.DEVNULL, stdout=log, stderr=log, preexec_fn=self.prepare)
        eventually(
            lambda: self.process.poll() is not None or (
                self.log().count(serving_line) > begun if self.is_logged else self.is_ready()),
            "the service serves")
        if self.process.poll() is not None:
            raise AssertionError(f"it did not start: {self.log()[-2000:]}")

    def log(self):
        return self.log_file.read_text() if self.log_file.exists() else ""

    def log_lines(self):
        """The log's lines; fails if one is not JSON."""
        return [json.loads(line) for line in self.log().splitlines()]

    def is_running(self):
        return self.process is not None and self.process.poll() is None

    def send(self, number):
        os.kill(self.process.pid, number)

    def stop(self, number=signal.SIGTERM):
        """Ends the service, checks that its log has no secret, and returns its exit status."""
        if self.is_running():
            self.send(number)
        status = self.process.wait(PATIENCE)
        self.check_log()
        return status

    def check_log(self):
        """Fails if the log contains a secret."""
        text = self.log()
        at = leak(text, self.secrets + [CANARY])
        if at is not None:
            raise AssertionError(f"the log has a secret: {text[max(at - 300, 0):at + 60]}")

    # Memory, in bytes.

    def _status(self, name):
        for line in pathlib.Path(f"/proc/{self.process.pid}/status").read_text().splitlines():
            if line.startswith(name + ":"):
                return int(line.split()[1]) * 1024
        raise AssertionError(f"/proc has no {name}")

    def memory(self):
        """The service's own memory, without pages of files, which the system can reclaim."""
        return self._status("RssAnon")

    def processor_seconds(self):
        """The processor time that the service has used."""
        text = pathlib.Path(f"/proc/{self.process.pid}/stat").read_text()
        fields = text.rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    # Clients.

    def context(self):
        return ssl.create_default_context(cafile=str(self.certificate))

    def client(self, name=None, environment="development", **options):
        """A client; if a name is given, that user has signed in."""
        client = Client(self, environment, **options)
        if name:
            key = (name, environment)
            if key not in self.tokens:
                self.tokens[key] = client.sign_in(name, PASSWORDS[name])
                self.secrets.append(self.tokens[key])
            client.token = self.tokens[key]
        return client

    def admin(self, path):
        """Status and text of an answer from the operators' port."""
        try:
            with urllib.request.urlopen(
                    f"http://127.0.0.1:{self.admin_port}{path}", timeout=PATIENCE) as answer:
                return answer.status, answer.read().decode()
        except urllib.error.HTTPError as error:
            return error.code, error.read().decode()

    def is_ready(self):
        try:
            return self.admin("/health/ready")[0] == 200
        except OSError:
            return False

    def metric(self, name):
        """The value of a metric, whose labels are part of its name."""
        for line in self.admin("/metrics")[1].splitlines():
            if line.startswith(f"bulla_records_{name} "):
                return float(line.rpartition(" ")[2])
        return 0.0


class Peak:
    """Watches how much a service's memory grows meanwhile."""

    def __init__(self, service):
        self.service, self.growth = service, 0
        self.ended = threading.Event()
        self.thread = threading.Thread(target=self._watch, args=(service.memory(),))

    def __enter__(self):
        self.thread.start()
        return self

    def _watch(self, begin):
        while not self.ended.wait(0.005):
            self.growth = max(self.growth, self.service.memory() - begin)

    def __exit__(self, *_):
        self.ended.set()
        self.thread.join()


@contextlib.contextmanager
def serving(settings=None, **options):
    """A service for one test or one group of tests; it must end well."""
    service = Service(settings, **options)
    try:
        yield service
    except BaseException:
        service.process.kill()
        service.process.wait()
        raise
    if not service.is_running():
        raise AssertionError(
            f"it ended by itself: {service.process.returncode}: {service.log()[-2000:]}")
    status = service.stop()
    if status != 0:
        raise AssertionError(f"it ended with {status}: {service.log()[-2000:]}")


_shared = []


def shared():
    """A service with ordinary settings, for tests that leave it unchanged."""
    if not _shared:
        # Few workers: memory that a worker holds counts once for each of them.
        _shared.append(Service({"limits": {"workers": 4}}))
    return _shared[0]


def end_shared():
    """Ends the shared service; fails if it does not end well."""
    for service in _shared:
        status = service.stop()
        if status != 0:
            raise AssertionError(f"it ended with {status}: {service.log()[-2000:]}")
    _shared.clear()
