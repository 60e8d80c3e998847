"""Composes the vector file of a keyring from one-shot primitives of another library.

    python3 keyring.py > keyring.txt
"""

import hashlib
import hmac
from struct import pack

from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from cryptography.hazmat.primitives.kdf.hkdf import HKDF


def known(label, count):
    """Bytes that are known, and look random."""
    text = b""
    while len(text) < count:
        text += hashlib.sha256(label.encode() + pack("<I", len(text))).digest()
    return text[:count]


def derive(key, salt, info, count=32):
    return HKDF(hashes.SHA256(), count, salt, info).derive(key)


def mac(key, *parts):
    return hmac.new(key, b"".join(parts), hashlib.sha256).digest()


file = bytes(range(0xA0, 0xB0))
user = known("user key", 64)
header = known("header digest", 32)
master = known("master secret", 64)
former = known("former secret", 64)
salt = known("salt", 32)
slot_salt = file + salt
label = "the first".encode()

# The slot: its fields before the commitment, then what is sealed, then the label.
head = pack("<HBBIH6x", 220 + len(label), 1, len(label), 1, 0) + bytes(16) + salt
commitment = derive(user, slot_salt, b"bulla slot commitment v1")
sealing = derive(user[:32], slot_salt, b"bulla slot seal v1")
authentication = derive(user[32:], slot_salt, b"bulla slot authenticate v1")
nonce = known("nonce of the slot", 12)
context = header + hashlib.sha256(head + commitment + label).digest()
sealed = nonce + AESGCM(sealing).encrypt(nonce, master, context)
before = head + commitment + sealed
slot = before + mac(authentication, header, before, label) + label

# The former secret, then the whole.
first_epoch = pack("<Q", 3)
relay = derive(master[:32], file, b"bulla former secret v1")
nonce = known("nonce of the former secret", 12)
relayed = nonce + AESGCM(relay).encrypt(nonce, former, header + first_epoch)
relay = derive(former[:32], file, b"bulla successor secret v1")
nonce = known("nonce of the successor", 12)
relayed += nonce + AESGCM(relay).encrypt(nonce, master, header + first_epoch)
copy = b"BULLAKEY" + pack("<HHII4xQ", 2, 1, 1, 2, 5) + first_epoch + relayed
copy += slot.ljust(3808, b"\0")
copy += mac(derive(master[32:], file, b"bulla keyring v1"), header, copy)
copy += hashlib.sha256(copy).digest()


def data_key(history):
    which = bytes([1]) + pack("<I", 3) + history
    return derive(master[:32], file, b"bulla data key encrypt v1" + which) + derive(
        master[32:], file, b"bulla data key authenticate v1" + which
    )


history = bytes(range(0xB0, 0xC0))
fork = bytes(range(0xC0, 0xD0))
world = b"a world"
print("# One copy of a keyring, and what is derived from its master secret: made by keyring.py.")
print()
for name, value in [
    ("file", file),
    ("userKey", user),
    ("headerDigest", header),
    ("master", master),
    ("former", former),
    ("salt", salt),
    ("generation", 5),
    ("copy", copy),
    ("history", history),
    ("dataKey", data_key(history)),
    ("forkHistory", fork),
    ("forkDataKey", data_key(fork)),
    ("metaKey", derive(master[32:], file, b"bulla meta key v1")),
    ("world", world),
    ("boardKey", derive(master[:32], file, b"bulla board key v1" + world)),
    ("poolBinding", derive(master[32:], file, b"bulla page pool v1" + world)),
]:
    print(name, "=", value if isinstance(value, int) else value.hex())
