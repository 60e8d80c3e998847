import Bulla
import BullaMemory
import BullaSimulation
import Testing

/// What a flush of a range covers on the simulated disk.
@Suite struct `A flush of a range of a simulated file` {
    private static let page = 4096
    private let disk: SimulatedDisk
    private let file: any StorageFile
    private let handle: any FlushHandle

    init() throws {
        let disk = try SimulatedDisk()
        let process = SimulatedProcess(disk)
        let file = try process.open("file", .creating)
        try [UInt8](repeating: 0, count: 8 * Self.page).withView { bytes throws(BullaError) in
            try file.write(bytes, at: 0)
        }
        try file.flush()
        try process.flushFolder(of: "file")
        handle = try file.openFlushHandle()
        (self.disk, self.file) = (disk, file)
    }

    private func write(_ byte: UInt8, _ offset: Int, count: Int) throws {
        try [UInt8](repeating: byte, count: count).withView { bytes throws(BullaError) in
            try file.write(bytes, at: UInt64(offset))
        }
    }

    private func crashed(_ choice: CrashChoice = .nothing) throws -> [UInt8] {
        var replay = DiskReplay(from: disk.base)
        for event in disk.history { replay.apply(event) }
        return try #require(replay.crashed(choice).bytes(of: "file"))
    }

    @Test func `keeps the pages that it touches, and no others`() throws {
        try write(1, Self.page + 100, count: 50)
        try write(2, 3 * Self.page, count: 50)
        try handle.flush(at: UInt64(Self.page), byteCount: 1)
        let bytes = try crashed()
        #expect(bytes[Self.page + 149] == 1)
        #expect(bytes[3 * Self.page] == 0)
        #expect(try crashed(.everything)[3 * Self.page] == 2)
    }

    @Test func `keeps of a write what lies in those pages`() throws {
        try write(1, Self.page - 10, count: 2 * Self.page)
        try handle.flush(at: UInt64(Self.page), byteCount: 20)
        let bytes = try crashed()
        #expect(bytes[Self.page - 1] == 0)
        #expect(bytes[Self.page] == 1 && bytes[2 * Self.page - 1] == 1)
        #expect(bytes[2 * Self.page] == 0)
        let whole = try crashed(.everything)
        #expect(whole[Self.page - 10] == 1 && whole[3 * Self.page - 11] == 1)
    }

    @Test func `makes the file as long as it needs`() throws {
        try write(1, 9 * Self.page, count: 2 * Self.page)
        try handle.flush(at: UInt64(9 * Self.page), byteCount: 1)
        let bytes = try crashed()
        #expect(bytes.count == 10 * Self.page)
        #expect(bytes[9 * Self.page] == 1)
    }

    @Test func `that fails leaves in doubt what it covered, and is told of once`() throws {
        try write(1, Self.page, count: 10)
        try write(2, 3 * Self.page, count: 10)
        disk.add(DiskFault(.flushRange, .error(5)))
        let offset = UInt64(Self.page)
        #expect(throws: BullaError.self) { try handle.flush(at: offset, byteCount: 1) }
        try handle.flush(at: offset, byteCount: 1)
        #expect(try crashed()[Self.page] == 0)
        #expect(try crashed(.everything)[Self.page] == 1)
        try handle.flush(at: UInt64(3 * Self.page), byteCount: 1)
        #expect(try crashed()[3 * Self.page] == 2)
    }

    @Test func `that the disk only pretends keeps nothing`() throws {
        try write(1, Self.page, count: 10)
        disk.add(DiskFault(.flushRange, .lost))
        try handle.flush(at: UInt64(Self.page), byteCount: 1)
        #expect(try crashed()[Self.page] == 0)
    }

    @Test func `of a file that was cut does not bring back what was cut off`() throws {
        try write(1, 2 * Self.page, count: Self.page)
        try file.truncate(to: UInt64(2 * Self.page))
        try write(2, 3 * Self.page, count: 10)
        try handle.flush(at: UInt64(3 * Self.page), byteCount: 1)
        let bytes = try crashed()
        #expect(bytes[2 * Self.page] == 0)
        #expect(bytes[3 * Self.page] == 2)
    }
}
