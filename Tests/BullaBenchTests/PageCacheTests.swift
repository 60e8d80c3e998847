import BullaBenchKit
import BullaText
import Testing

@Suite struct `The page cache` {
    @Test func `has what was written, and loses what is dropped`() throws {
        let scratch = try Scratch(under: "/var/tmp", isKept: false)
        guard FileSystem(holding: scratch.path)?.kind != "tmpfs" else { return }
        let path = scratch.file("data")
        let byteCount = (3 << 20) + 5
        try Descriptor.create(path).write([UInt8](repeating: 7, count: byteCount))
        #expect(try PageCache.residentByteCount(of: path) == byteCount)
        try PageCache.drop(path)
        #expect(try PageCache.residentByteCount(of: path) == 0)
        #expect(try Descriptor.open(path).read(upTo: 10) == [UInt8](repeating: 7, count: 10))
        #expect(try PageCache.residentByteCount(of: path) > 0)
    }

    @Test func `has nothing of an empty file`() throws {
        let scratch = try Scratch(under: "/var/tmp", isKept: false)
        let path = scratch.file("data")
        try Descriptor.create(path).write([])
        try PageCache.drop(path)
        #expect(try PageCache.residentByteCount(of: path) == 0)
    }

    @Test(.enabled(if: FileSystem(holding: "/dev/shm")?.kind == "tmpfs", "/dev/shm is no tmpfs"))
    func `is all there is to a file in memory, which says so when it is dropped`() throws {
        let scratch = try Scratch(under: "/dev/shm", isKept: false)
        let path = scratch.file("data")
        try Descriptor.create(path).write([UInt8](repeating: 7, count: 1 << 20))
        let error = #expect(throws: BenchError.self) { try PageCache.drop(path) }
        #expect(error?.exit == .system)
        #expect(error?.message.contains("1 MiB of it are still there") == true)
        #expect(error?.message.hasSuffix("(file system tmpfs)") == true)
    }

    @Test func `of a file that is not there is an error`() {
        let error = #expect(throws: BenchError.self) { try PageCache.drop("/nowhere/data") }
        #expect(error?.exit == .system)
    }
}
