import Bulla
import BullaCipher
import BullaMemory
import BullaTestSupport
import Testing

/// The records of commits and flushes are sealed under another key after every 2^28 of them.
@Suite struct `Commits numbered around 2^28` {
    private static let name = "s.bulla"
    private static let boundary: UInt64 = 1 << 28

    private let scratch: Scratch

    init() throws { scratch = try Scratch() }

    @Test(arguments: StoreKind.allCases)
    func `are seen by handles that are open, and by new ones`(kind: StoreKind) throws {
        let path = scratch.path(Self.name)
        try makeOld(kind)
        let stores = [try kind.open(path), try kind.open(path)]
        for number in 0..<8 {
            try stores[number % 2].write { change in
                try change.put("v", forKey: "\(number)", in: try change.tree(named: "t"))
            }
            for store in stores { #expect(try count(store) == number + 1) }
        }
        #expect(try stores[0].info.commit == Self.boundary + 4)
        #expect(try count(kind.open(path)) == 8)
        #expect(try stores[1].check().isSound)
    }

    private func count(_ store: Store) throws -> Int {
        try store.read { try $0.count(of: try $0.tree(named: "t")) }
    }

    /// Makes a store that claims to have had almost 2^28 commits and flushes.
    private func makeOld(_ kind: StoreKind) throws {
        let store = try kind.open(scratch.path(Self.name))
        try store.write { change in try change.openOrCreateTree(named: "t") }
        try store.close()
        let buffer = try ScratchBuffer(byteCount: PageFormat.preambleByteCount)
        defer { withExtendedLifetime(buffer) {} }
        let preamble = buffer.bytes
        for (offset, byte) in try scratch.bytes(Self.name).prefix(preamble.byteCount).enumerated() {
            preamble.store(byte, at: offset)
        }
        let header = try HeaderPage.read(preamble.view, of: Self.name)
        let hmac = try metaAuthentication(kind, header, preamble.view)
        for slot in 0..<MetaPage.slotCount {
            let offset = Int(MetaPage.offset(slot: slot))
            let meta = preamble.slice(offset, MetaField.byteCount)
            var record = try #require(
                try MetaPage.read(meta.view, slot: slot, header: header, hmac: hmac))
            let distance = Self.boundary - 4 - record.commit
            record.commit += distance
            record.lastDurable += distance
            record.flush += distance
            try MetaPage.write(record, slot: slot, header: header, hmac: hmac, into: meta)
            try scratch.overwrite(Self.name, with: meta.view.copied(), at: offset)
        }
    }

    private func metaAuthentication(
        _ kind: StoreKind, _ header: HeaderPage, _ preamble: ByteView
    ) throws -> HMAC {
        guard kind != .plain else { return try HMAC(key: SecretBytes(byteCount: 32)) }
        let copies = [0, PageFormat.copyDistance].map {
            preamble.slice(PageFormat.keyringOffset + $0, Keyring.copyByteCount)
        }
        return try StoreKind.keyBytes.withBytes { bytes -> HMAC in
            let keyring = try Keyring.open(
                copies: copies, userKey: UserKey(copying: bytes),
                fileIdentifier: header.fileIdentifier, headerDigest: header.digest)
            return try HMAC(key: keyring.takeMaster().metaKey())
        }
    }
}
