import BullaCipher
import BullaMemory
import Testing

@Suite struct `A keyring` {
    private let file = FileIdentifier.known()
    private let header: Digest

    init() throws {
        header = try KeyDerivation.sha256(Bytes(pattern(100)).view)
    }

    @Test func `opens with its key to the secret that it was made with`() throws {
        let (copies, meta) = try made(generations: [1, 1])
        let opened = try open(copies)
        #expect(opened.generation == 1)
        #expect(opened.copiesAgree)
        #expect(opened.metaKey == meta[0])
    }

    @Test(arguments: 0..<64)
    func `says wrong key when any byte of either half differs`(byte: Int) throws {
        let (copies, _) = try made(generations: [1, 1])
        var key = pattern(64)
        key[byte] ^= 1
        #expect(failure(copies, key: key) == .wrongKey)
    }

    @Test func `says wrong key when the halves are swapped`() throws {
        let (copies, _) = try made(generations: [1, 1])
        #expect(
            failure(copies, key: Array(pattern(64).suffix(32) + pattern(64).prefix(32)))
                == .wrongKey)
    }

    @Test(arguments: 0..<2)
    func `opens from the other copy when any byte of one is damaged`(copy: Int) throws {
        let (copies, meta) = try made(generations: [1, 1])
        for byte in 0..<Keyring.copyByteCount {
            copies[copy][byte] ^= 0x10
            let opened = try open(copies)
            #expect(!opened.copiesAgree)
            #expect(opened.metaKey == meta[1 - copy])
            copies[copy][byte] ^= 0x10
        }
    }

    @Test func `is damaged when a byte of both copies is, whatever the key`() throws {
        let (copies, _) = try made(generations: [1, 1])
        for byte in 0..<Keyring.copyByteCount {
            copies.forEach { $0[byte] ^= 1 }
            #expect(failure(copies) == .damaged)
            #expect(failure(copies, key: pattern(64, from: 1)) == .damaged)
            copies.forEach { $0[byte] ^= 1 }
        }
    }

    @Test func `is damaged, not under another key, when what the key commits to was forged`() throws
    {
        let fields: [KeyringField] = [
            .flags, .nextSlot, .reserved, .generation, .firstEpoch, .former, .successor,
            .authentication,
        ]
        let slotFields: [SlotField] = [
            .reserved, .stretching, .nonce, .sealedSecret, .tag, .authentication, .number, .kind,
        ]
        let end = KeyringField.authentication.offset - 1
        for offset in fields.map(\.offset) + slotFields.map(Self.offset) + [end] {
            let (copies, _) = try made(generations: [1, 1])
            for copy in copies { try forge(copy, at: offset) }
            #expect(failure(copies) == .damaged, "\(offset)")
        }
    }

    @Test func `is damaged when a forged copy of ours stands beside one of another key`() throws {
        let (copies, _) = try made(generations: [1, 2])
        try forge(copies[0], at: Self.offset(.tag))
        let other = try copy(generation: 2, key: pattern(64, from: 1), of: .random(for: file))
        #expect(failure([copies[0], other]) == .damaged)
    }

    @Test func `is under another key when its commitment is`() throws {
        let (copies, _) = try made(generations: [1, 1])
        for copy in copies { try forge(copy, at: Self.offset(.commitment)) }
        #expect(failure(copies) == .wrongKey)
    }

    @Test func `of a newer layout says so`() throws {
        let (copies, _) = try made(generations: [1, 1])
        for copy in copies { try forge(copy, at: KeyringField.layoutVersion.offset, with: 3) }
        #expect(failure(copies) == .unsupportedVersion(3))
    }

    @Test(arguments: [[1, 2], [2, 1], [UInt64.max - 1, .max]])
    func `opens from the newest generation that opens`(generations: [UInt64]) throws {
        let (copies, meta) = try made(generations: generations)
        let newest = generations[0] > generations[1] ? 0 : 1
        let opened = try open(copies)
        #expect(opened.generation == generations[newest])
        #expect(!opened.copiesAgree)
        #expect(opened.metaKey == meta[newest])
        copies[newest][40] ^= 1
        let older = try open(copies)
        #expect(older.generation == generations[1 - newest])
        #expect(older.metaKey == meta[1 - newest])
    }

    @Test func `that was cut short between its copies opens with the old key and with the new`()
        throws
    {
        let master = try MasterSecret.random(for: file)
        let old = try copy(generation: 1, key: pattern(64), of: master)
        let new = try copy(generation: 2, key: pattern(64, from: 1), of: master)
        let expected = try master.metaKey().revealed()
        let withOld = try open([new, old])
        #expect(withOld.generation == 1)
        #expect(withOld.metaKey == expected)
        let withNew = try open([new, old], key: pattern(64, from: 1))
        #expect(withNew.generation == 2)
        #expect(!withNew.copiesAgree)
        #expect(withNew.metaKey == expected)
        #expect(failure([new, old], key: pattern(64, from: 2)) == .wrongKey)
    }

    @Test func `does not open beside another header`() throws {
        let (copies, _) = try made(generations: [1, 1])
        let other = try KeyDerivation.sha256(Bytes(pattern(101)).view)
        #expect(failure(copies, header: other) == .damaged)
    }

    @Test func `does not open in another file`() throws {
        let (copies, _) = try made(generations: [1, 1])
        #expect(failure(copies, file: .known(1)) == .wrongKey)
    }

    @Test func `that is cut short or missing is damaged`() throws {
        let (copies, _) = try made(generations: [1, 1])
        #expect(failure([]) == .damaged)
        #expect(failure([Bytes(count: 0), Bytes(count: 4096)]) == .damaged)
        let short = Bytes(Array(copies[0].array.dropLast()))
        #expect(failure([short]) == .damaged)
    }

    @Test func `shows nothing of the key or the secret`() throws {
        let secret = pattern(64, from: 77)
        let (copies, _) = try made(generations: [1, 1])
        let text = copies[0].array
        for part in [pattern(64), secret] {
            for start in 0...56 { #expect(!text.contains(Array(part[start..<start + 8]))) }
        }
    }

    /// A copy for each generation, each with a master secret of its own, and the meta keys of these
    /// secrets.
    private func made(generations: [UInt64]) throws -> (copies: [Bytes], metaKeys: [[UInt8]]) {
        var copies: [Bytes] = []
        var metaKeys: [[UInt8]] = []
        for generation in generations {
            let master = try MasterSecret.random(for: file)
            copies.append(try copy(generation: generation, key: pattern(64), of: master))
            metaKeys.append(try master.metaKey().revealed())
        }
        return (copies, metaKeys)
    }

    private func copy(
        generation: UInt64, key: [UInt8], of master: borrowing MasterSecret
    ) throws -> Bytes {
        let userKey = try UserKey(known: key)
        return Bytes(
            try Keyring.seal(
                master, userKey: userKey, headerDigest: header, generation: generation))
    }

    private func open(_ copies: [Bytes], key: [UInt8] = pattern(64)) throws -> Opened {
        let keyring = try Keyring.open(
            copies: copies.map(\.view), userKey: UserKey(known: key),
            fileIdentifier: file, headerDigest: header)
        let (generation, copiesAgree) = (keyring.generation, keyring.copiesAgree)
        return Opened(
            generation: generation, copiesAgree: copiesAgree,
            metaKey: try keyring.takeMaster().metaKey().revealed())
    }

    /// The parts of an opened keyring that a test checks.
    private struct Opened {
        let generation: UInt64
        let copiesAgree: Bool
        let metaKey: [UInt8]
    }

    private func failure(
        _ copies: [Bytes], key: [UInt8] = pattern(64), file: FileIdentifier? = nil,
        header: Digest? = nil
    ) -> KeyringError? {
        do {
            _ = try Keyring.open(
                copies: copies.map(\.view), userKey: UserKey(known: key),
                fileIdentifier: file ?? self.file, headerDigest: header ?? self.header)
        } catch {
            return error as? KeyringError
        }
        return nil
    }

    /// The offset of a field in the first slot.
    private static func offset(_ field: SlotField) -> Int {
        KeyringField.slots.offset + field.offset
    }

    /// Changes a byte and corrects the checksum, as an attacker would.
    private func forge(_ copy: Bytes, at offset: Int, with byte: UInt8? = nil) throws {
        copy[offset] = byte ?? copy[offset] ^ 1
        try KeyDerivation.sha256(copy.view.slice(0, KeyringField.checksum.offset))
            .store(in: copy.mutableView, at: KeyringField.checksum.offset)
    }
}

extension [UInt8] {
    /// Whether the bytes contain `part`.
    func contains(_ part: [UInt8]) -> Bool {
        guard count >= part.count else { return false }
        return (0...count - part.count).contains { self[$0..<$0 + part.count].elementsEqual(part) }
    }
}
