#!/usr/bin/env python3
"""Writes `*-random.txt`, `password-keys.txt`, `sealed-blobs.txt` and `log-frames.txt` beside it.

The answers come of Python's hashlib and hmac (scrypt, PBKDF2, HKDF) and of the package
`cryptography` (AES, AES-GCM, X25519, Ed25519, ECDSA); XAES-256-GCM is composed of these as C2SP specifies. All inputs come
of a fixed seed, so it writes the same files each time. XXH64 is written here once more, from its
specification, and checked by the answers in `xxh64.txt`:

    python3 Tests/BullaCipherTests/Vectors/generate.py
"""

import hashlib
import hmac
import math
import pathlib

from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec, ed25519, x25519
from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes
from cryptography.hazmat.primitives.ciphers.aead import AESGCM

CASES = 1000
FOLDER = pathlib.Path(__file__).parent
STREAM = """# Each line is a case: numbers, a colon, the answer. Inputs are not written down: their bytes are
# taken, one input after the other and one case after the other, from a stream, which is the SHA-256
# of the seed and the number of the block (8 bytes, little-endian), for the blocks 0, 1 and so on.
"""


class Stream:
    """Bytes that a seed gives, here and in the tests."""

    def __init__(self, seed):
        self.seed, self.block, self.rest = seed.encode(), 0, b""

    def take(self, count):
        while len(self.rest) < count:
            self.rest += hashlib.sha256(self.seed + self.block.to_bytes(8, "little")).digest()
            self.block += 1
        taken, self.rest = self.rest[:count], self.rest[count:]
        return taken


class Choice:
    """Numbers that only this script needs: the files hold them."""

    def __init__(self, seed):
        self.stream = Stream(seed + " choice")

    def between(self, least, most):
        word = int.from_bytes(self.stream.take(8), "little")
        return least + word % (most - least + 1)


def hkdf(key, salt, info, count):
    """RFC 5869."""
    secret = hmac.digest(salt or bytes(32), key, "sha256")
    derived, block, number = b"", b"", 1
    while len(derived) < count:
        block = hmac.digest(secret, block + info + bytes([number]), "sha256")
        derived += block
        number += 1
    return derived[:count]


def xaes_seal(key, nonce, context, plaintext):
    """C2SP, XAES-256-GCM: ciphertext and tag."""

    def aes(block):
        encryptor = Cipher(algorithms.AES256(key), modes.ECB()).encryptor()
        return encryptor.update(block) + encryptor.finalize()

    doubled = int.from_bytes(aes(bytes(16)), "big") << 1
    if doubled >> 128:
        doubled ^= 1 << 128 | 0x87
    derived = b""
    for number in (1, 2):
        message = bytes([0, number, 0x58, 0]) + nonce[:12]
        derived += aes((int.from_bytes(message, "big") ^ doubled).to_bytes(16, "big"))
    return AESGCM(derived).encrypt(nonce[12:], plaintext, context)


def check_xaes():
    """The accumulated test of the specification: 10 000 cases from SHAKE-128, hashed likewise."""
    source = hashlib.shake_128(b"").digest(4_000_000)
    place, hashed = 0, hashlib.shake_128()

    def read(count):
        nonlocal place
        place += count
        assert place <= len(source)
        return source[place - count:place]

    for _ in range(10_000):
        key, nonce = read(32), read(24)
        plaintext = read(read(1)[0])
        context = read(read(1)[0])
        hashed.update(xaes_seal(key, nonce, context, plaintext))
    assert (
        hashed.hexdigest(32)
        == "e6b9edf2df6cec60c8cbd864e2211b597fb69a529160cd040d56c0c210081939"
    )


def write(name, title, numbers, case):
    """Writes one file: `case` gets the stream and the choice, and gives numbers and answer."""
    stream, choice = Stream(name), Choice(name)
    lines = [f"# {title}. Written by generate.py.", f"# Seed: {name}", f"# Numbers: {numbers}."]
    text = "\n".join(lines) + "\n" + STREAM + "\n"
    for _ in range(CASES):
        given, answer = case(stream, choice)
        text += " ".join(map(str, given)) + " : " + answer.hex() + "\n"
    (FOLDER / f"{name}.txt").write_text(text)


def scrypt_case(stream, choice):
    password_count, salt_count = choice.between(0, 40), choice.between(0, 40)
    log_n, r, p = choice.between(1, 6), choice.between(1, 8), choice.between(1, 3)
    count = choice.between(1, 64)
    password, salt = stream.take(password_count), stream.take(salt_count)
    answer = hashlib.scrypt(password, salt=salt, n=1 << log_n, r=r, p=p, dklen=count)
    return (password_count, salt_count, log_n, r, p), answer


def pbkdf2_case(stream, choice):
    password_count, salt_count = choice.between(0, 100), choice.between(0, 100)
    iterations, count = choice.between(1, 200), choice.between(1, 32)
    password, salt = stream.take(password_count), stream.take(salt_count)
    answer = hashlib.pbkdf2_hmac("sha256", password, salt, iterations, count)
    return (password_count, salt_count, iterations), answer


def hkdf_case(stream, choice):
    counts = choice.between(1, 100), choice.between(0, 100), choice.between(0, 100)
    key, salt, info = (stream.take(count) for count in counts)
    return counts, hkdf(key, salt, info, choice.between(1, 100))


def aead_case(nonce_count, seal):
    def case(stream, choice):
        counts = choice.between(0, 100), choice.between(0, 100)
        key, nonce = stream.take(32), stream.take(nonce_count)
        context, plaintext = (stream.take(count) for count in counts)
        return counts, seal(key, nonce, context, plaintext)

    return case


def x25519_case(stream, choice):
    """Two private keys; what they agree on."""
    own = x25519.X25519PrivateKey.from_private_bytes(stream.take(32))
    other = x25519.X25519PrivateKey.from_private_bytes(stream.take(32))
    return [32], own.exchange(other.public_key())


def ed25519_case(stream, choice):
    """A private key and a message; the public key and the signature."""
    key = ed25519.Ed25519PrivateKey.from_private_bytes(stream.take(32))
    count = choice.between(0, 300)
    public = key.public_key().public_bytes(
        serialization.Encoding.Raw, serialization.PublicFormat.Raw)
    return [count], public + key.sign(stream.take(count))


def ecdsa_case(stream, choice):
    """A message; the public key and the signature, whose lengths are told."""
    order = 0xFFFFFFFF00000000FFFFFFFFFFFFFFFFBCE6FAADA7179E84F3B9CAC2FC632551
    number = int.from_bytes(stream.take(32), "little") % (order - 1) + 1
    key = ec.derive_private_key(number, ec.SECP256R1())
    count = choice.between(0, 300)
    public = key.public_key().public_bytes(
        serialization.Encoding.DER, serialization.PublicFormat.SubjectPublicKeyInfo)
    signature = key.sign(
        stream.take(count), ec.ECDSA(hashes.SHA256(), deterministic_signing=True))
    return [count, len(public)], public + signature


def write_password_keys():
    """Keys that passwords become with parameters that are in use."""
    stream = Stream("password-keys")
    text = (
        "# The 64 bytes that passwords become: scrypt or PBKDF2-HMAC-SHA-256 to 32 bytes, then\n"
        '# HKDF-SHA-256 with the same salt and the info "bulla password key v1". Written by\n'
        "# generate.py. The encoding is the table of `StretchingField`.\n"
    )
    for kind, numbers in (
        (1, (17, 8, 1)),
        (1, (17, 8, 2)),
        (1, (18, 8, 1)),
        (2, (600_000, 0, 0)),
        (2, (600_001, 0, 0)),
        (2, (1_000_000, 0, 0)),
    ):
        password, salt = stream.take(8 + stream.take(1)[0] % 32), stream.take(32)
        if kind == 1:
            log_n, r, p = numbers
            stretched = hashlib.scrypt(
                password, salt=salt, n=1 << log_n, r=r, p=p, maxmem=1 << 30, dklen=32)
        else:
            stretched = hashlib.pbkdf2_hmac("sha256", password, salt, numbers[0], 32)
        encoding = bytes([kind, 0, 0, 0]) + b"".join(n.to_bytes(4, "little") for n in numbers)
        key = hkdf(stretched, salt, b"bulla password key v1", 64)
        text += f"\nencoding = {encoding.hex()}\npassword = {password.hex()}\n"
        text += f"salt = {salt.hex()}\nkey = {key.hex()}\n"
    (FOLDER / "password-keys.txt").write_text(text)


def padded(count):
    """Steps of 32 to 256, then Padme as its paper writes it."""
    if count <= 256:
        return -(-count // 32) * 32
    exponent = int(math.floor(math.log2(count)))
    digits = int(math.floor(math.log2(exponent))) + 1
    mask = (1 << (exponent - digits)) - 1
    return (count + mask) & ~mask


def write_blobs():
    """Sealed blobs of every size that behaves differently."""
    stream, choice = Stream("sealed-blobs"), Choice("sealed-blobs")
    text = (
        "# Sealed blobs, composed of XAES-256-GCM by generate.py. The layout is the table of\n"
        "# `BlobField`, the plaintext that of `BlobPadding`; authenticated beside it are the first\n"
        "# 22 bytes of the blob, the identity's count (4 bytes, little-endian), and the identity.\n"
    )
    for count in (0, 1, 28, 29, 60, 61, 252, 253, 268, 269, 508, 509, 1000, 1020, 1021, 5000):
        key, vault, nonce = stream.take(32), stream.take(16), stream.take(24)
        epoch = choice.between(0, (1 << 32) - 1)
        identity, cleartext = stream.take(choice.between(0, 64)), stream.take(count)
        header = bytes([1, 0]) + epoch.to_bytes(4, "little") + vault
        plaintext = count.to_bytes(4, "little") + cleartext
        plaintext += bytes(padded(len(plaintext)) - len(plaintext))
        context = header + len(identity).to_bytes(4, "little") + identity
        blob = header + nonce + xaes_seal(key, nonce, context, plaintext)
        text += f"\nkey = {key.hex()}\nvault = {vault.hex()}\nepoch = {epoch}\n"
        text += f"identity = {identity.hex()}".rstrip() + "\n"
        text += f"cleartext = {cleartext.hex()}".rstrip() + f"\nblob = {blob.hex()}\n"
    (FOLDER / "sealed-blobs.txt").write_text(text)


PRIMES = (
    0x9E3779B185EBCA87, 0xC2B2AE3D27D4EB4F, 0x165667B19E3779F9, 0x85EBCA77C2B2AE63,
    0x27D4EB2F165667C5)
WORD = (1 << 64) - 1


def xxh64(data, seed):
    """xxHash fast digest algorithm, version 0.1.1, "XXH64"."""

    def rotate(word, bits):
        return (word << bits | word >> 64 - bits) & WORD

    def round64(accumulator, lane):
        return rotate((accumulator + lane * PRIMES[1]) & WORD, 31) * PRIMES[0] & WORD

    def number(place, count):
        return int.from_bytes(data[place:place + count], "little")

    place = 0
    if len(data) >= 32:
        lanes = [seed + PRIMES[0] + PRIMES[1], seed + PRIMES[1], seed, seed - PRIMES[0]]
        while place + 32 <= len(data):
            lanes = [round64(lane & WORD, number(place + 8 * n, 8)) for n, lane in enumerate(lanes)]
            place += 32
        total = sum(rotate(lane, bits) for lane, bits in zip(lanes, (1, 7, 12, 18))) & WORD
        for lane in lanes:
            total = ((total ^ round64(0, lane)) * PRIMES[0] + PRIMES[3]) & WORD
    else:
        total = seed + PRIMES[4] & WORD
    total = total + len(data) & WORD
    while place + 8 <= len(data):
        total = rotate(total ^ round64(0, number(place, 8)), 27) * PRIMES[0] + PRIMES[3] & WORD
        place += 8
    if place + 4 <= len(data):
        total ^= number(place, 4) * PRIMES[0] & WORD
        total = rotate(total, 23) * PRIMES[1] + PRIMES[2] & WORD
        place += 4
    for byte in data[place:]:
        total = rotate(total ^ byte * PRIMES[4] & WORD, 11) * PRIMES[0] & WORD
    total = (total ^ total >> 33) * PRIMES[1] & WORD
    total = (total ^ total >> 29) * PRIMES[2] & WORD
    return total ^ total >> 32


def check_xxh64():
    """The answers that the tests have of the reference implementation."""
    lines = (FOLDER / "xxh64.txt").read_text().splitlines()
    values = [line.split("=")[1] for line in lines if "=" in line]
    assert len(values) >= 3
    for count, seed, answer in zip(values[::3], values[1::3], values[2::3]):
        data = bytes((131 * index + 17) % 256 for index in range(int(count)))
        assert xxh64(data, int(seed, 16)) == int(answer, 16)


def frame(suite, key, segment, nonce, file, version, sequence, offset, previous, kind, content):
    """A frame of the log: the tables of `FrameField` and `FrameContext`."""
    count = 16 + 12 + len(content) + 16
    context = file + previous + sequence.to_bytes(8, "little") + offset.to_bytes(8, "little")
    context += count.to_bytes(4, "little") + version.to_bytes(2, "little") + bytes([kind, suite])
    head = count.to_bytes(4, "little") + bytes([kind, 0, 0, 0]) + previous[:8]
    if suite == 0:
        tag = xxh64(content, xxh64(context, xxh64(segment, 0))).to_bytes(8, "little") + bytes(8)
        return head + nonce + content + tag
    if suite == 1:
        sealed = AESGCM(key[:32]).encrypt(nonce, content, context)
    else:
        encryptor = Cipher(algorithms.AES256(key[:32]), modes.CTR(nonce + bytes(4))).encryptor()
        ciphertext = encryptor.update(content) + encryptor.finalize()
        sealed = ciphertext + hmac.digest(key[32:64], context + nonce + ciphertext, "sha256")[:16]
    encryptor = Cipher(algorithms.AES256(key[64:]), modes.ECB()).encryptor()
    mask = encryptor.update(sealed[:16]) + encryptor.finalize()
    return bytes(a ^ b for a, b in zip(head, mask)) + nonce + sealed


def log_key(master, file, labels, which):
    """Keys of the log, from the half of the master secret that each label names."""
    return b"".join(
        hkdf(master[half * 32:half * 32 + 32], file, label.encode() + which, 32)
        for half, label in labels)


FRAME_LABELS = (
    (0, "bulla log frame encrypt v1"), (1, "bulla log frame authenticate v1"),
    (0, "bulla log frame mask v1"))
HEADER_LABELS = (
    (0, "bulla log header encrypt v1"), (1, "bulla log header authenticate v1"))


def write_frames():
    """Frames of the log, with the keys that come of a master secret."""
    stream, choice = Stream("log-frames"), Choice("log-frames")
    text = (
        "# Frames of the log, composed by generate.py. The layout is the table of `FrameField`, what\n"
        "# is authenticated beside it that of `FrameContext`. The keys come of the master secret by\n"
        "# HKDF-SHA-256 with the file as the salt; the info is a label, then suite, history and, of\n"
        "# frames, segment.\n"
    )
    for suite in (0, 1, 2):
        for count in (16, 17, 32, 33, 100, 256, 1000, 4096, 5001):
            master, file = stream.take(64), stream.take(16)
            history, segment = stream.take(16), stream.take(32)
            previous = stream.take(8) + (stream.take(8) if suite else bytes(8))
            nonce, content = stream.take(12) if suite else bytes(12), stream.take(count)
            version, kind = choice.between(0, (1 << 16) - 1), choice.between(0, 255)
            sequence, offset = (choice.between(0, (1 << 64) - 1) for _ in range(2))
            which = bytes([suite]) + history
            key = log_key(master, file, FRAME_LABELS, which + segment)
            header_key = log_key(master, file, HEADER_LABELS, which)
            sealed = frame(
                suite, key, segment, nonce, file, version, sequence, offset, previous, kind, content)
            text += f"\nsuite = {suite}\nmaster = {master.hex()}\nfile = {file.hex()}\n"
            text += f"formatVersion = {version}\nhistory = {history.hex()}\n"
            text += f"segment = {segment.hex()}\nkey = {key.hex()}\nheaderKey = {header_key.hex()}\n"
            text += f"sequence = {sequence}\noffset = {offset}\nprevious = {previous.hex()}\n"
            text += f"kind = {kind}\ncontent = {content.hex()}\nframe = {sealed.hex()}\n"
    (FOLDER / "log-frames.txt").write_text(text)


def main():
    check_xaes()
    check_xxh64()
    write(
        "scrypt-random", "scrypt (RFC 7914)",
        "bytes of the password, bytes of the salt, log2 N, r, p", scrypt_case)
    write(
        "pbkdf2-random", "PBKDF2-HMAC-SHA-256 (RFC 8018)",
        "bytes of the password, bytes of the salt, iterations", pbkdf2_case)
    write(
        "hkdf-random", "HKDF-SHA-256 (RFC 5869)",
        "bytes of the key, bytes of the salt, bytes of the info", hkdf_case)
    counts = "bytes of the context, bytes of the plaintext; key and nonce stand before both"
    write(
        "aes-256-gcm-random", "AES-256-GCM (SP 800-38D): ciphertext, tag", counts,
        aead_case(12, lambda key, nonce, context, text: AESGCM(key).encrypt(nonce, text, context)))
    write(
        "xaes-256-gcm-random", "XAES-256-GCM (C2SP): ciphertext, tag", counts,
        aead_case(24, xaes_seal))
    write("x25519-random", "X25519 (RFC 7748)", "bytes of each of two private keys", x25519_case)
    write(
        "ed25519-random", "Ed25519 (RFC 8032): public key, signature",
        "bytes of the message; the private key stands before it", ed25519_case)
    write(
        "ecdsa-p256-random", "ECDSA over P-256 with SHA-256: public key, signature",
        "bytes of the message, bytes of the public key; 32 bytes stand before it: the private key "
        "is that number, little-endian, modulo the order less one, and one more", ecdsa_case)
    write_password_keys()
    write_blobs()
    write_frames()


if __name__ == "__main__":
    main()
