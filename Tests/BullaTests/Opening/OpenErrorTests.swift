import Bulla
import BullaTestSupport
import Foundation
import Testing

/// The six errors of opening; none of them changes the file.
@Suite struct `Opening` {
    private let scratch: Scratch

    init() throws { scratch = try Scratch() }

    @Test(arguments: StoreKind.encrypted, [[0], [31], [32], [63], [0, 63]])
    func `19. with a key that differs in either half is a wrong key`(
        kind: StoreKind, places: [Int]
    ) throws {
        try scratch.makeStore("s.bulla", kind)
        var key = StoreKind.keyBytes
        for place in places { key[place] ^= 1 }
        try scratch.expectRefusal(.wrongKey, of: "s.bulla", key: key)
        try scratch.expectRefusal(.wrongKey, of: "s.bulla", key: [UInt8](repeating: 0, count: 64))
    }

    @Test(arguments: StoreKind.encrypted)
    func `19. with the halves of the key exchanged is a wrong key`(kind: StoreKind) throws {
        try scratch.makeStore("s.bulla", kind)
        let key = Array(StoreKind.keyBytes[32...] + StoreKind.keyBytes[..<32])
        try scratch.expectRefusal(.wrongKey, of: "s.bulla", key: key)
    }

    @Test(arguments: StoreKind.encrypted)
    func `19. an encrypted store without a key says that it is encrypted`(kind: StoreKind) throws {
        try scratch.makeStore("s.bulla", kind)
        try scratch.expectRefusal(.encrypted, of: "s.bulla")
    }

    @Test func `19. a plain store with a key says that it is not encrypted`() throws {
        try scratch.makeStore("s.bulla", .plain)
        try scratch.expectRefusal(.notEncrypted, of: "s.bulla", key: StoreKind.keyBytes)
    }

    @Test(arguments: [nil, StoreKind.keyBytes])
    func `what is no store says so`(key: [UInt8]?) throws {
        let texts: [String: [UInt8]] = [
            "empty": [], "short": [0x42], "text": Array("To whom it may concern.\n".utf8),
            "zeros": [UInt8](repeating: 0, count: 100_000),
            "ones": [UInt8](repeating: 0xFF, count: 100_000),
            "database": Array("SQLite format 3\u{0}".utf8) + [UInt8](repeating: 1, count: 8000),
        ]
        for (name, bytes) in texts {
            try scratch.write(bytes, to: name)
            try scratch.expectRefusal(.notAStore, of: name, key: key)
        }
        try FileManager.default.createDirectory(
            atPath: scratch.path("folder"), withIntermediateDirectories: false)
        try scratch.expectRefusal(.notAStore, of: "folder", key: key)
    }

    @Test(arguments: StoreKind.allCases, [UInt16(0), 2, 257, .max])
    func `18. a file of another format version is of an unsupported format`(
        kind: StoreKind, version: UInt16
    ) throws {
        try scratch.makeStore("s.bulla", kind)
        var image = StoreImage(try scratch.bytes("s.bulla"))
        image.setFormatVersion(version)
        try scratch.write(image.bytes, to: "s.bulla")
        let error = try scratch.expectRefusal(.unsupportedFormat, of: "s.bulla", key: key(kind))
        #expect(error.says("\(version)"))
    }

    @Test(arguments: StoreKind.encrypted)
    func `18. a keyring of another layout is of an unsupported format`(kind: StoreKind) throws {
        try scratch.makeStore("s.bulla", kind)
        var image = StoreImage(try scratch.bytes("s.bulla"))
        try image.setKeyringVersion(3)
        try scratch.write(image.bytes, to: "s.bulla")
        try scratch.expectRefusal(.unsupportedFormat, of: "s.bulla", key: key(kind))
    }

    @Test(arguments: StoreKind.allCases)
    func `a file with both copies of what opens it damaged is corrupted`(kind: StoreKind) throws {
        try scratch.makeStore("s.bulla", kind)
        let whole = try scratch.bytes("s.bulla")
        // Damage, one after the other: the header after its magic bytes, the keyring, the meta
        // slots.
        for offset in [20, 30, 4096, 4300, 8192, 8300] where kind != .plain || offset != 4096 {
            guard kind != .plain || offset != 4300 else { continue }
            var bytes = whole
            for copy in [0, 32768] { bytes[offset + copy] ^= 0x10 }
            try scratch.write(bytes, to: "s.bulla")
            try scratch.expectRefusal(.corrupted, of: "s.bulla", key: key(kind))
        }
    }

    @Test(arguments: StoreKind.allCases)
    func `a file that was cut short is refused at every length`(kind: StoreKind) throws {
        try scratch.makeStore("whole", kind)
        let whole = try scratch.bytes("whole")
        let store = try kind.open(scratch.path("whole"))
        let end = Int(try store.info.pageCount) * 4096
        try store.close()
        let lengths = [
            8, 9, 63, 64, 100, 4096, 8192, 40_000, 65_535, 65_536, 65_537, 70_000, end - 1,
        ]
        for length in lengths {
            try scratch.write(Array(whole[..<length]), to: "s.bulla")
            try scratch.expectRefusal(.corrupted, of: "s.bulla", key: key(kind))
        }
    }

    private func key(_ kind: StoreKind) -> [UInt8]? {
        kind == .plain ? nil : StoreKind.keyBytes
    }
}
