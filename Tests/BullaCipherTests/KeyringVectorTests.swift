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

    @Test func `gives the binding of a page pool`() throws {
        let binding = try opened.master.poolBinding(of: try vector.bytes("world"))
        #expect(binding == (try vector.bytes("poolBinding")))
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
        keys.insert(try opened.master.poolBinding(of: []))
        keys.insert(try opened.master.poolBinding(of: [0]))
        #expect(keys.count == 3 * 3 * 2 * 2 + 5)
    }

    @Test func `has the layout that the table says`() throws {
        let copy = try vector.bytes("copy")
        #expect(copy.count == Keyring.copyByteCount)
        #expect(KeyringField.checksum.offset + 32 == Keyring.copyByteCount)
        #expect(Keyring.copyByteCount == 4096)
        #expect(Array(copy.prefix(8)) == Array("BULLAKEY".utf8))
    }

    @Test func `gives the secret that its own replaces`() throws {
        let former = try MasterSecret.known(try vector.bytes("former"), of: file)
        let keyring = try open()
        let (copy, header) = try copyAndHeader()
        let table = try #require(try Keyring.table(of: copy.view))
        let opened = try table.former(under: keyring.takeMaster(), headerDigest: header)
        #expect(try opened?.metaKey().revealed() == former.metaKey().revealed())
        let successor = try table.successor(of: former, headerDigest: header)
        #expect(try successor?.metaKey().revealed() == self.opened.master.metaKey().revealed())
        let stranger = try MasterSecret.random(for: file)
        #expect(try table.successor(of: stranger, headerDigest: header) == nil)
    }

    @Test func `is made again by us of the same fields`() throws {
        let (copy, header) = try copyAndHeader()
        var table = KeyringTable(firstEpoch: 3)
        table.generation = 5
        let number = try table.add(
            KeyringSlot.Form(
                .key, label: Array("the first".utf8), salt: vector.bytes("salt")),
            opened.master, under: UserKey(known: vector.bytes("userKey")), headerDigest: header)
        #expect(number == 1)
        let former = try MasterSecret.known(try vector.bytes("former"), of: file)
        try table.keep(former: former, under: opened.master, headerDigest: header)
        let made = try table.bytes(under: opened.master, headerDigest: header)
        // The ranges leave out what random nonces change.
        let slot = KeyringField.slots.offset
        for range in [
            0..<KeyringField.former.offset, slot..<slot + SlotField.nonce.offset,
            slot + SlotField.totalByteCount..<KeyringField.authentication.offset,
        ] {
            #expect(made[range] == copy.array[range])
        }
    }

    private func copyAndHeader() throws -> (copy: Bytes, header: Digest) {
        let header = Digest(Bytes(try vector.bytes("headerDigest")).view)
        return (Bytes(try vector.bytes("copy")), header)
    }

    private func open() throws -> OpenedKeyring {
        let (copy, header) = try copyAndHeader()
        return try Keyring.open(
            copies: [copy.view], userKey: UserKey(known: vector.bytes("userKey")),
            fileIdentifier: file, headerDigest: header)
    }
}

/// Lets a test suite hold a master secret: suites are copied, but a master secret cannot be copied.
final class MasterSecretBox: Sendable {
    let master: MasterSecret

    init(_ master: consuming MasterSecret) { self.master = master }
}

extension MasterSecret {
    /// A secret that the test knows.
    static func known(_ bytes: [UInt8], of file: FileIdentifier) throws -> MasterSecret {
        let memory = Bytes(bytes)
        return try memory.view.withSpan { try MasterSecret(copying: $0, fileIdentifier: file) }
    }
}
