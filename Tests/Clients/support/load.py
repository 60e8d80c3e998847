"""Measures what saving records costs the service: processor time, and time."""

import json
import multiprocessing
import os
import statistics
import time

from .client import operation
from .premises import make_premises
from .service import serving

RECORDS = 10_000
BATCH = 200
ROUNDS = int(os.environ.get("BULLA_LOAD_ROUNDS", "7"))
CLIENTS = int(os.environ.get("BULLA_LOAD_CLIENTS", "2"))
SETTINGS = {
    "limits": {"requestsPerSecond": 1_000_000, "requestBurst": 1_000_000},
    "log": {"level": "info"},
}


def fields(number, is_sealed):
    """Ten fields like those of an app, of which five or none are encrypted."""
    values = [
        ("STRING", f"canary title of {number}"), ("STRING", "a line of text " * 3),
        ("INT64", number), ("DOUBLE", number / 7), ("TIMESTAMP", 1_700_000_000_000 + number),
    ]
    found = {}
    for index, (kind, value) in enumerate(values):
        found[f"plain{index}"] = {"type": kind, "value": value}
        found[f"other{index}"] = {"type": kind, "value": value}
        if is_sealed:
            found[f"other{index}"]["isEncrypted"] = True
    return found


def bodies(prefix, count, is_sealed):
    """The requests of one client for one round."""
    return [
        json.dumps({
            "zoneID": {"zoneName": "load"},
            "operations": [operation(
                "create", f"{prefix}-{begin + index}", fields(begin + index, is_sealed),
                "Sealed" if is_sealed else "Plain") for index in range(BATCH)],
        }).encode() for begin in range(0, count, BATCH)]


def work(service, token, number, orders):
    """A client that builds its requests, waits until all clients have, and sends them."""
    client = service.client()
    client.token = token
    while (order := orders.recv()) is not None:
        round_number, is_sealed = order
        requests = bodies(
            f"{number}-{round_number}-{is_sealed}", RECORDS // CLIENTS, is_sealed)
        orders.send("ready")
        orders.recv()
        for request in requests:
            answer = client.call("records/modify", request)
            if answer.status != 200 or answer.code:
                raise AssertionError(answer)
        orders.send("done")


def measure_round(service, pipes, order):
    """The service's processor seconds, and the seconds, of one round."""
    for pipe in pipes:
        pipe.send(order)
    for pipe in pipes:
        pipe.recv()
    processor, begun = service.processor_seconds(), time.monotonic()
    for pipe in pipes:
        pipe.send("go")
    for pipe in pipes:
        pipe.recv()
    return service.processor_seconds() - processor, time.monotonic() - begun


def measure():
    """Measures sealed and plain records in turn, so that other work of the machine affects both."""
    make_premises()
    with serving(SETTINGS) as service:
        client = service.client("alice")
        client.make_zone("load")
        pipes, processes = [], []
        for number in range(CLIENTS):
            here, there = multiprocessing.Pipe()
            process = multiprocessing.Process(
                target=work, args=(service, client.token, number, there), daemon=True)
            process.start()
            pipes.append(here)
            processes.append(process)
        results = {True: [], False: []}
        for round_number in range(ROUNDS + 1):
            for is_sealed in (True, False) if round_number % 2 else (False, True):
                result = measure_round(service, pipes, (round_number, is_sealed))
                # The first round only fills caches, and loads the schema and the connections.
                if round_number:
                    results[is_sealed].append(result)
                    print(f"round {round_number}, {'sealed' if is_sealed else 'plain'}: "
                          f"{result[0]:.2f} processor seconds, {result[1]:.2f} s", flush=True)
        for pipe in pipes:
            pipe.send(None)
        for process in processes:
            process.join()
    report(results)
    return 0


def report(results):
    for is_sealed, name in ((False, "plain"), (True, "5 of 10 fields sealed")):
        processor, elapsed = zip(*results[is_sealed])
        print(f"{RECORDS} records, {name}: {statistics.median(processor):.2f} processor seconds "
              f"of the service ({min(processor):.2f} to {max(processor):.2f}), "
              f"{statistics.median(elapsed):.2f} s")
    for index, name in ((0, "processor time"), (1, "time")):
        ratios = [
            sealed[index] / plain[index]
            for sealed, plain in zip(results[True], results[False])]
        print(f"sealed to plain, {name}: {statistics.median(ratios):.3f} "
              f"({min(ratios):.3f} to {max(ratios):.3f})")
