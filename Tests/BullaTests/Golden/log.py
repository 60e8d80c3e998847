#!/usr/bin/env python3
"""Writes `v1-log.txt` beside it: a segment of the log in each suite, composed without Bulla.

The parts come of `generate.py` among the vectors of the cipher's tests, which composes them of the
package `cryptography` and Python's hmac. All inputs come of a fixed seed:

    python3 Tests/BullaTests/Golden/log.py
"""

import pathlib
import sys

FOLDER = pathlib.Path(__file__).parent
sys.path.insert(0, str(FOLDER.parent.parent / "BullaCipherTests" / "Vectors"))

import generate
from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes
from cryptography.hazmat.primitives.ciphers.aead import AESGCM

VERSION = 1


def little(number, count=8):
    return number.to_bytes(count, "little")


def page(suite, key, nonce, file, number, birth, kind, content):
    """The table of `PageContext` and of `TrailerField`."""
    context = file + little(number) + little(birth) + bytes(4) + bytes([kind, suite])
    context += little(VERSION, 2)
    if suite == 0:
        tag = little(generate.xxh64(content, generate.xxh64(context, 0))) + bytes(8)
        return content + bytes(12) + tag + bytes(4)
    if suite == 1:
        sealed = AESGCM(key[:32]).encrypt(nonce, content, context)
        return sealed[:-16] + nonce + sealed[-16:] + bytes(4)
    encryptor = Cipher(algorithms.AES256(key[:32]), modes.CTR(nonce + bytes(4))).encryptor()
    ciphertext = encryptor.update(content) + encryptor.finalize()
    tag = generate.hmac.digest(key[32:], context + nonce + ciphertext, "sha256")[:16]
    return ciphertext + nonce + tag + bytes(4)


def varint(number):
    """Unsigned LEB128."""
    coded = b""
    while number >= 0x80:
        coded += bytes([number & 0x7F | 0x80])
        number >>= 7
    return coded + bytes([number])


def put(tree, key, value):
    coded = b"\1" + varint(tree) + varint(len(key)) + varint(len(value)) + key + value
    return coded, f"put {tree} {key.hex()} {value.hex()}"


def delete(tree, key):
    return b"\2" + varint(tree) + varint(len(key)) + key, f"delete {tree} {key.hex()}"


def create(tree, name):
    return b"\3" + varint(tree) + varint(len(name)) + name, f"create {tree} {name.hex()}"


def drop(tree, name):
    return b"\4" + varint(tree) + varint(len(name)) + name, f"drop {tree} {name.hex()}"


def rename(tree, name, new_name):
    coded = b"\5" + varint(tree) + varint(len(name)) + varint(len(new_name)) + name + new_name
    return coded, f"rename {tree} {name.hex()} {new_name.hex()}"


def record(commit, history):
    """A commit record of an empty store of pages of 4 KiB: the table of `CommitField`."""
    words = [commit, commit - 1] + [0] * 7  # catalog: seven words
    words += [18, 0, 0, 0, 0, 0, 0, 1, 5, 100, 1]
    coded = b"".join(map(little, words)) + history
    coded += little(1) + little(77) + bytes(16) + little(0) + little(0) + little(9) + little(1)
    # Each half of the log has one page; where it goes on behind the frame is the reader's to say.
    log = little(0) + little(0) + little(2**64 - 1) + bytes(16)
    log += little(16) + little(1) + little(17) + little(1)
    return coded + history + log, f"record {commit} pages 18 flush 77"


def frames(stream):
    """Kind, commit, what was durable, operations."""
    key, value = stream.take(16), stream.take(100)
    return [
        (1, 1001, 999, [create(1, b"pets"), create(1 << 61, b"\xff" * 255)]),
        (1, 1002, 999, [put(1, key, value), delete(1, key), put(1, b"k", b"")]),
        (1, 1003, 1002, []),
        (2, 1004, 1002, [put(127, stream.take(1024), stream.take(3000))]),
        (2, 1004, 1003, [put(128, key, stream.take(127)), put(1 << 14, key, stream.take(128))]),
        (3, 1004, 1003, [rename(1, b"pets", b"animals"), drop(1 << 61, b"\xff" * 255)]),
        (4, 1005, 1004, None),
    ]


def contents(body, commit, durable):
    plaintext = little(len(body) + 16, 4) + little(commit) + little(durable) + body
    return plaintext + bytes(generate.padded(len(plaintext)) - len(plaintext))


def segment(suite, stream):
    master, file, history = stream.take(64), stream.take(16), stream.take(16)
    random, world, previous = stream.take(32), stream.take(16), stream.take(16)
    if suite == 0:
        previous = previous[:8] + bytes(8)
    sequence, start, durable = 7, 12288, (900, 6, 5000)
    which = bytes([suite]) + history
    header_key = generate.log_key(master, file, generate.HEADER_LABELS, which)
    key = generate.log_key(master, file, generate.FRAME_LABELS, which + random)

    def nonce():
        return stream.take(12) if suite else bytes(12)

    content = random + world + little(sequence) + previous
    content += b"".join(map(little, durable)) + bytes(352)
    copies = []
    for copy in (0, 1):
        claims = b"BULLAlog" + little(VERSION, 2) + bytes([suite, copy]) + bytes(4) + history
        copies.append(
            claims + page(
                suite, header_key, nonce(), file, start, sequence % 2, 0x10 + copy, content))
    text = f"\nsuite = {suite}\nmaster = {master.hex()}\nfile = {file.hex()}\n"
    text += f"history = {history.hex()}\nsegment = {start}\nrandom = {random.hex()}\n"
    text += f"world = {world.hex()}\nsequence = {sequence}\nprevious = {previous.hex()}\n"
    text += "durable = " + " ".join(map(str, durable)) + "\n"
    text += f"first = {copies[0].hex()}\nsecond = {copies[1].hex()}\n"
    offset, coded, told = start + 4096 + 512, b"", []
    for kind, commit, flushed, operations in frames(stream):
        parts = [record(commit, history)] if operations is None else operations
        body = b"".join(part for part, _ in parts)
        sealed = generate.frame(
            suite, key, random, nonce(), file, VERSION, sequence, offset, previous, kind,
            contents(body, commit, flushed))
        told.append(f"{kind} {commit} {flushed} {len(sealed)}: " + "; ".join(s for _, s in parts))
        coded, offset, previous = coded + sealed, offset + len(sealed), sealed[-16:]
    text += f"frames = {coded.hex()}\n"
    return text + "".join(f"frame{number} = {line}\n" for number, line in enumerate(told))


def main():
    generate.check_xxh64()
    text = "# Segments of the log: headers and frames, and what they say. Written by log.py.\n"
    for suite in (0, 1, 2):
        text += segment(suite, generate.Stream(f"log {suite}"))
    (FOLDER / "v1-log.txt").write_text(text)


if __name__ == "__main__":
    main()
