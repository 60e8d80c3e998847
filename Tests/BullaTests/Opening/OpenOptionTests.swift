import Bulla
import BullaTestSupport
import Foundation
import Testing

/// The caller's options must agree with the file.
@Suite struct `Options of opening` {
    private let scratch: Scratch

    init() throws { scratch = try Scratch() }

    @Test(arguments: StoreOptions.pageByteCounts, StoreOptions.pageByteCounts)
    func `that name another page size are refused`(stored: Int, asked: Int) throws {
        try scratch.makeStore("s.bulla", .gcm, pageByteCount: stored)
        var options = StoreOptions()
        options.pageByteCount = asked
        guard stored != asked else {
            let store = try StoreKind.gcm.open(scratch.path("s.bulla"), pageByteCount: asked)
            #expect(try store.info.pageByteCount == asked)
            return
        }
        let error = try scratch.expectRefusal(
            .optionMismatch, of: "s.bulla", key: StoreKind.keyBytes, options: options)
        #expect(error.says("\(stored)"))
        #expect(error.says("\(asked)"))
    }

    /// The same holds for any file that is made through such a link.
    @Test(arguments: ["there.bulla", "/there.bulla"])
    func `make a store where a link leads that leads to none yet`(target: String) throws {
        let there = scratch.path("there.bulla")
        let link = target.hasPrefix("/") ? there : target
        try FileManager.default.createSymbolicLink(
            atPath: scratch.path("link.bulla"), withDestinationPath: link)
        let store = try StoreKind.gcm.open(scratch.path("link.bulla"))
        try store.write { _ = try $0.openOrCreateTree(named: "t") }
        try store.close()
        let again = try StoreKind.gcm.open(there)
        #expect(try again.read { try $0.treeNames().count } == 1)
        try again.close()
    }

    @Test(arguments: StoreKind.encrypted)
    func `that name another suite are refused`(kind: StoreKind) throws {
        try scratch.makeStore("s.bulla", kind)
        var options = StoreOptions()
        options.suite = kind == .gcm ? .aes256CTRHMACSHA256 : .aes256GCM
        try scratch.expectRefusal(
            .optionMismatch, of: "s.bulla", key: StoreKind.keyBytes, options: options)
    }

    @Test(arguments: [0, 1, 2048, 4095, 4097, 131_072, -4096])
    func `that name an impossible page size are refused`(pageByteCount: Int) throws {
        var options = StoreOptions()
        options.pageByteCount = pageByteCount
        try scratch.expectRefusal(.invalidArgument, of: "new.bulla", options: options)
    }

    @Test func `that name a suite without a key are refused`() throws {
        var options = StoreOptions()
        options.suite = .aes256GCM
        try scratch.expectRefusal(.invalidArgument, of: "new.bulla", options: options)
    }

    @Test func `that name a suite of a later version are refused`() throws {
        var options = StoreOptions()
        options.suite = CipherSuite(rawValue: "of-later-version")
        let error = try scratch.expectRefusal(
            .invalidArgument, of: "new.bulla", key: StoreKind.keyBytes, options: options)
        #expect(error.says("of-later-version") && error.says("aes-256-gcm"))
        try scratch.makeStore("s.bulla", .gcm)
        try scratch.expectRefusal(
            .invalidArgument, of: "s.bulla", key: StoreKind.keyBytes, options: options)
    }

    @Test func `that end snapshots after fewer than no commits are refused`() throws {
        var options = StoreOptions()
        options.snapshotCommitLimit = -1
        try scratch.expectRefusal(
            .invalidArgument, of: "new.bulla", key: StoreKind.keyBytes, options: options)
    }

    @Test func `take what the file has where nothing is asked`() throws {
        try scratch.makeStore("s.bulla", .ctrHMAC, pageByteCount: 16384)
        let store = try Store.open(
            at: scratch.path("s.bulla"), key: try StoreKey(StoreKind.keyBytes))
        let info = try store.info
        #expect(info.pageByteCount == 16384)
        #expect(info.suite == .aes256CTRHMACSHA256)
        #expect(info.suite?.description == "aes-256-ctr-hmac-sha-256")
        #expect(info.isEncrypted)
        #expect(info.formatVersion == 1)
        #expect(info.keyByteLimit == 4096)
        #expect(info.treeCount == 1)
    }

    @Test func `that demand a file that is not there say so and make none`() throws {
        var options = StoreOptions()
        options.creation = .never
        let error = try scratch.expectRefusal(.io, of: "missing.bulla", options: options)
        #expect(error?.errno == 2)
        let path = scratch.path("no/such/folder.bulla")
        #expect(refusal { _ = try Store.open(at: path) }?.errno == 2)
    }

    @Test func `that demand a new file refuse the one that is there`() throws {
        try scratch.makeStore("s.bulla", .plain)
        var options = StoreOptions()
        options.creation = .exclusive
        try scratch.expectRefusal(.invalidArgument, of: "s.bulla", options: options)
        try Store.open(at: scratch.path("new.bulla"), options: options).close()
    }

    @Test(arguments: StoreKind.allCases)
    func `for reading alone refuse every write and change no byte`(kind: StoreKind) throws {
        try scratch.makeStore("s.bulla", kind)
        let before = try scratch.bytes("s.bulla")
        let store = try kind.open(scratch.path("s.bulla")) { $0.access = .readOnly }
        #expect(refusal { try store.write { _ in } }?.code == .readOnly)
        #expect(refusal { _ = try store.beginWrite() }?.code == .readOnly)
        let value = try store.read { try $0.value(forKey: "key 7", in: try $0.tree(named: "pets")) }
        #expect(value == Array("value 7".utf8))
        try store.close()
        #expect(try scratch.bytes("s.bulla") == before)
    }
}
