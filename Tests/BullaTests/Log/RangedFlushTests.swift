import Bulla
import BullaMemory
import BullaTestSupport
import Testing

/// Whether the kernel tells which pages are waiting to be written; nothing else can tell.
private let kernelTells: Bool = {
    guard let scratch = try? Scratch() else { return false }
    let path = scratch.path("asked")
    guard let file = try? SystemStorage().open(path, .creating),
        [0xEF53, 0x5846_5342].contains(file.fileSystemKind), let pages = CachedPages(path)
    else { return false }
    pages.close()
    return true
}()

@Suite(.enabled(if: kernelTells, "it takes cachestat(2), and ext4 or XFS"))
struct `A flush of a range` {
    private static let page: UInt64 = 4096
    /// A page so far away from the others that the kernel does not cache it in one piece with them.
    private static let far: UInt64 = 8192
    private let scratch: Scratch
    private let file: any StorageFile
    private let pages: CachedPages

    init() throws {
        let scratch = try Scratch()
        let path = scratch.path("file")
        let file = try SystemStorage().open(path, .creating)
        try [UInt8](repeating: 1, count: 64 * 4096).withView { bytes throws(BullaError) in
            try file.write(bytes, at: 0)
        }
        try file.flush()
        pages = try #require(CachedPages(path))
        self.scratch = scratch
        self.file = file
    }

    private func dirty(_ page: UInt64) throws {
        try [UInt8](repeating: 2, count: 300).withView { bytes throws(BullaError) in
            try file.write(bytes, at: page * Self.page + 100)
        }
    }

    private func isDirty(_ page: UInt64) throws -> Bool {
        try #require(pages.dirtyCount(page * Self.page..<(page + 1) * Self.page)) > 0
    }

    @Test func `leaves its pages clean`() throws {
        let handle = try file.openFlushHandle()
        try dirty(3)
        try dirty(4)
        try handle.flush(at: 3 * Self.page + 200, byteCount: Self.page)
        #expect(try !isDirty(3))
        #expect(try !isDirty(4))
        pages.close()
    }

    @Test func `does not wait for what lies elsewhere`() throws {
        let handle = try file.openFlushHandle()
        // The kernel may write any page at any time, so success in one of ten attempts is enough.
        let stayed = try (0..<10).contains { _ in
            try dirty(3)
            try dirty(Self.far)
            try handle.flush(at: 3 * Self.page, byteCount: 1)
            #expect(try !isDirty(3))
            return try isDirty(Self.far)
        }
        #expect(stayed)
        pages.close()
    }

    @Test func `through a file that was opened for reading covers it too`() throws {
        let reader = try SystemStorage().open(file.path, .reading)
        let handle = try reader.openFlushHandle()
        try dirty(3)
        try handle.flush(at: 3 * Self.page, byteCount: 1)
        #expect(try !isDirty(3))
        pages.close()
    }

    @Test func `is refused by a handle that was given up`() throws {
        let handle = try file.openFlushHandle()
        try handle.flush(at: 0, byteCount: 1)
        handle.close()
        #expect(refusal { try handle.flush(at: 0, byteCount: 1) }?.code == .io)
        pages.close()
    }
}
