import BullaCipher
import BullaMemory
import Testing

@Suite struct `A keyring of another implementation` {
    private let vector: Vector
    private let file: FileIdentifier
    private let opened: MasterSecretBox

    init() throws {
        vector = try VectorFile("keyring").vectors[0]
        file = FileIdentifier(Bytes(try vector.bytes("file")).view)
        let keyring = try Keyring.open(
            copies: [Bytes(try vector.bytes("copy")).view],
            userKey: UserKey(known: vector.bytes("userKey")),
            fileIdentifier: file,
            headerDigest: Digest(Bytes(try vector.bytes("headerDigest")).view))
        #expect(keyring.generation == (try vector.number("generation")))
        opened = MasterSecretBox(keyring.takeMaster())
    }

    @Test func `gives the data key of an epoch and a suite`() throws {
        let key = try opened.master.dataKey(
            epoch: 3, suite: .aes256GCM, history: vector.bytes("history"))
        #expect(key.revealed() == (try vector.bytes("dataKey")))
    }

    @Test func `gives an epoch of the same number of another history another data key`() throws {
        let key = try opened.master.dataKey(
            epoch: 3, suite: .aes256GCM, history: vector.bytes("forkHistory"))
        #expect(key.revealed() == (try vector.bytes("forkDataKey")))
        #expect(try vector.bytes("forkDataKey") != vector.bytes("dataKey"))
    }

    @Test func `gives the meta key and the board key`() throws {
        let meta = try opened.master.metaKey()
        #expect(meta.revealed() == (try vector.bytes("metaKey")))
        let board = try opened.master.boardKey(world: try vector.bytes("world"))
        #expect(board.revealed() == (try vector.bytes("boardKey")))
    }

    @Test func `gives no two purposes one key`() throws {
        var keys: Set<[UInt8]> = []
        for suite in Suite.allCases {
            for epoch: UInt32 in [0, 1, 256] {
                for name in ["history", "forkHistory"] {
                    let key = try opened.master.dataKey(
                        epoch: epoch, suite: suite, history: vector.bytes(name)
                    ).revealed()
                    keys.insert(Array(key.prefix(32)))
                    keys.insert(Array(key.suffix(32)))
                }
            }
        }
        keys.insert(try opened.master.metaKey().revealed())
        keys.insert(try opened.master.boardKey(world: []).revealed())
        keys.insert(try opened.master.boardKey(world: [0]).revealed())
        #expect(keys.count == 3 * 3 * 2 * 2 + 3)
    }

    @Test func `has the layout that the table says`() throws {
        let copy = try vector.bytes("copy")
        #expect(copy.count == Keyring.copyByteCount)
        #expect(KeyringField.checksum.offset + 32 == Keyring.copyByteCount)
        #expect(Keyring.copyByteCount <= 512)
        #expect(Array(copy.prefix(8)) == Array("BULLAKEY".utf8))
    }

    @Test func `is sealed again by us to bytes that open to the same secret`() throws {
        let header = Digest(Bytes(try vector.bytes("headerDigest")).view)
        let copy = try Keyring.seal(
            opened.master, userKey: UserKey(known: vector.bytes("userKey")),
            headerDigest: header, generation: 5)
        let expected = try vector.bytes("copy")
        // Up to the random nonce, every byte is given.
        #expect(
            copy.prefix(KeyringField.nonce.offset) == expected.prefix(KeyringField.nonce.offset))
    }
}

/// A test's suite is copied, a master secret is not.
final class MasterSecretBox: Sendable {
    let master: MasterSecret

    init(_ master: consuming MasterSecret) { self.master = master }
}
