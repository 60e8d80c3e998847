import Bulla
import BullaTestSupport
import Foundation
import Testing

@Suite struct `A page pool with the wrong workers` {
    private let files: PooledStore

    init() throws { files = try PooledStore() }

    @Test func `refuses another store, and another secret, while it has workers`() throws {
        let pool = try PagePool(byteCount: 4 << 20)
        let store = try files.open(pool.descriptor)
        func openOther() throws -> Store {
            try StoreKind.gcm.open(files.scratch.path("other.bulla")) {
                $0.pagePool = pool.descriptor
            }
        }
        #expect(refusal { _ = try openOther() }?.code == .otherStore)
        try store.close()
        let other = try openOther()
        #expect(refusal { _ = try files.open(pool.descriptor) }?.code == .otherStore)
        try other.close()
        let again = try files.open(pool.descriptor)
        try again.reencrypt(keys: [try #require(try StoreKind.gcm.key())], pace: 1)
        #expect(refusal { _ = try files.open(pool.descriptor) }?.code == .otherStore)
        try files.expectAll(again)
        try again.close()
        let last = try files.open(pool.descriptor)
        try files.expectAll(last)
        try last.close()
    }

    @Test func `refuses plain stores, and descriptors of other things`() throws {
        let pool = try PagePool(byteCount: 4 << 20)
        #expect(
            refusal {
                _ = try StoreKind.plain.open(files.scratch.path("plain.bulla")) {
                    $0.pagePool = pool.descriptor
                }
            }?.code == .invalidArgument)
        #expect(refusal { _ = try files.open(9999) }?.code == .invalidArgument)
        let file = try FileHandle(forUpdating: URL(fileURLWithPath: files.path))
        #expect(refusal { _ = try files.open(file.fileDescriptor) }?.code == .invalidArgument)
        // This memory can be shortened, and an access beyond its end would then be a fault.
        let name = "/dev/shm/bulla-\(UUID().uuidString)"
        _ = FileManager.default.createFile(atPath: name, contents: nil)
        defer { try? FileManager.default.removeItem(atPath: name) }
        let memory = try FileHandle(forUpdating: URL(fileURLWithPath: name))
        try memory.truncate(atOffset: 64 << 20)
        #expect(refusal { _ = try files.open(memory.fileDescriptor) }?.code == .invalidArgument)
        #expect(refusal { _ = try PagePool(byteCount: 0) }?.code == .invalidArgument)
        #expect(refusal { _ = try PagePool(byteCount: .max) }?.code == .invalidArgument)
    }

    @Test func `can be opened through a descriptor that is closed afterwards`() throws {
        func openInPool() throws -> Store {
            let pool = try PagePool(byteCount: 4 << 20)
            return try files.open(pool.descriptor)
        }
        let store = try openInPool()
        try files.expectAll(store)
        try store.close()
    }
}
