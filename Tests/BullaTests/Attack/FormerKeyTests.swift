import Bulla
import BullaCipher
import BullaMemory
import BullaTestSupport
import Testing

/// What an attacker can still do with a former way into a store, and with code of their own.
@Suite struct `A former way in` {
    enum Verb: CaseIterable {
        case changeKey, removeSlot, rotate, reencrypt
    }

    /// The keyring of a file, and what binds it to that file.
    private struct Look {
        let keyring: [UInt8]
        let header: Digest
        let file: FileIdentifier

        init(_ bytes: [UInt8]) throws {
            let start = PageFormat.keyringOffset
            keyring = Array(bytes[start..<start + Keyring.copyByteCount])
            (header, file) = try Self.withView(bytes) { view in
                (
                    Digest(view.slice(HeaderField.checksum.offset, 32)),
                    FileIdentifier(view.slice(HeaderField.fileIdentifier.offset, 16))
                )
            }
        }

        /// Whether a key opens this keyring and finds in it the secret under which the keyring of
        /// `other` was written.
        func leads(by key: [UInt8], to other: Look) throws -> Bool {
            let key = try key.withBytes { try UserKey(copying: $0) }
            return try Self.withView(keyring) { view in
                let secret = try Keyring.open(
                    copies: [view], userKey: key, fileIdentifier: file, headerDigest: header
                ).takeMaster()
                return try Keyring.table(
                    ofBytes: other.keyring, under: secret, headerDigest: other.header) != nil
            }
        }

        private static func withView<R>(
            _ bytes: [UInt8], _ body: (ByteView) throws -> R
        ) throws -> R {
            try bytes.withBytes { span in try span.withView(body) }
        }
    }

    private static let newKey = (0..<64).map { UInt8($0 * 2 + 1) }
    private let scratch: Scratch
    private var path: String { scratch.path("s.bulla") }

    init() throws { scratch = try Scratch() }

    private func look() throws -> Look { try Look(scratch.bytes("s.bulla")) }

    /// Makes a store and takes a look at it, then uses a verb to shut its first key out.
    private func shutOut(by verb: Verb) throws -> Look {
        let store = try StoreKind.gcm.open(path, pageByteCount: 4096)
        try store.write { try $0.put("early", forKey: "key", in: $0.createTree(named: "t")) }
        let former = try look()
        let key = try StoreKey(Self.newKey)
        if verb == .changeKey { try store.changeKey(to: key) } else { try store.addSlot(for: key) }
        try store.close()
        let again = try Store.open(at: path, key: key)
        switch verb {
        case .changeKey: break
        case .removeSlot: try again.removeSlot(1)
        case .rotate:
            try again.removeSlot(1)
            try again.rotateDataKeys()
        case .reencrypt: try again.reencrypt(keys: [key], droppingOtherSlots: true)
        }
        try again.write { try $0.put("late", forKey: "key", in: $0.tree(named: "t")) }
        try again.close()
        return former
    }

    @Test(arguments: Verb.allCases)
    func `leads, with an old copy, to the secret until the store is re-encrypted`(
        verb: Verb
    ) throws {
        let former = try shutOut(by: verb)
        #expect(try former.leads(by: StoreKind.keyBytes, to: former))
        #expect(try former.leads(by: StoreKind.keyBytes, to: look()) == (verb != .reencrypt))
    }

    @Test(arguments: Verb.allCases)
    func `meets nothing that it opens in the file as it is now`(verb: Verb) throws {
        let former = try shutOut(by: verb)
        let now = try look()
        #expect(throws: KeyringError.wrongKey) {
            _ = try now.leads(by: StoreKind.keyBytes, to: now)
        }
        // Nor is the slot anywhere else in the file.
        let slot = try #require(try Keyring.table(ofBytes: former.keyring)?.slots.first)
        let bytes = try scratch.bytes("s.bulla")
        let (first, count) = (slot.salt[0], slot.salt.count)
        let isFound = (0...bytes.count - count).contains {
            bytes[$0] == first && Array(bytes[$0..<$0 + count]) == slot.salt
        }
        #expect(count >= 16 && !isFound)
    }
}
