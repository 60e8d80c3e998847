"""Many clients at once that save records, and remember what was acknowledged."""

import http.client
import threading

from .client import ZONE, operation, plain


class Crowd:
    """Threads that each have a connection, and save records until they are told to end."""

    def __init__(self, service, count, batch=1, prefix="crowd"):
        self.service, self.batch, self.prefix = service, batch, prefix
        self.lock = threading.Lock()
        self.acknowledged = set()
        # Errors that nothing excuses, and answers other than 200.
        self.faults, self.refusals, self.cut = [], [], 0
        self.ended = threading.Event()
        self.threads = [
            threading.Thread(target=self._work, args=(number,)) for number in range(count)]

    def __enter__(self):
        for thread in self.threads:
            thread.start()
        return self

    def __exit__(self, *_):
        self.ended.set()
        for thread in self.threads:
            thread.join()

    def _work(self, number):
        round_number = 0
        client = self.service.client("alice")
        while not self.ended.is_set():
            round_number += 1
            names = [
                f"{self.prefix}-{number}-{round_number}-{index}" for index in range(self.batch)]
            try:
                answer = client.modify([operation(
                    "forceReplace", name, {"title": plain("canary " + name, "STRING")})
                    for name in names], ZONE)
                saved = [record["recordName"] for record in answer.json.get("records", [])]
            except (OSError, http.client.HTTPException):
                # The service was killed or has ended.
                with self.lock:
                    self.cut += 1
                client.close()
                self.ended.wait(0.05)
                continue
            except ValueError as error:
                with self.lock:
                    self.faults.append(error)
                return
            with self.lock:
                if answer.status == 200 and answer.code is None:
                    self.acknowledged.update(saved)
                else:
                    self.refusals.append(answer)
        client.close()

    def count(self):
        with self.lock:
            return len(self.acknowledged)
