import BullaRecords
import BullaRecordsWeb
import BullaTestSupport
import Foundation
import Testing

@Suite("Files as large as they may be")
struct ServiceStreamTests {
    private static let byteCount = 50 << 20
    private static let growthLimit = 16 << 20
    /// The piece that a test passes to the service at a time; the test has no more of the file in
    /// memory.
    private static let piece = [UInt8](repeating: 0x5A, count: 1 << 16)

    private let fixture: ServiceFixture

    init() throws {
        fixture = try ServiceFixture()
        try fixture.makeZone()
    }

    @Test("A file of 50 MB goes through the service in 16 MB of memory", arguments: [false, true])
    func memory(isForm: Bool) throws {
        // Let the store first allocate the memory that it keeps anyway.
        try upload(isForm: isForm) {}
        try download {}
        try measure { look in try upload(isForm: isForm, look) }
        try measure { look in try download(look) }
        let more = try fixture.service.beginUpload(
            WebRequest("POST", fixture.uploadTarget()))
        for _ in 0..<Self.byteCount / Self.piece.count { try more.append(Self.piece[...]) }
        #expect(throws: WebError.self) { try more.append([0]) }
    }

    /// Repeats a transfer until it stays within the limit, because other tests use this process's
    /// memory, too.
    private func measure(_ body: (_ look: () throws -> Void) throws -> Void) throws {
        var least = Int.max
        for _ in 0..<20 where least > Self.growthLimit {
            let before = try Self.residentByteCount()
            var most = before
            try body { most = max(most, try Self.residentByteCount()) }
            least = min(least, most - before)
        }
        #expect(least <= Self.growthLimit, "\(least >> 20) MB")
    }

    /// The process's own memory, without mapped files.
    private static func residentByteCount() throws -> Int {
        let text = try String(contentsOfFile: "/proc/self/statm", encoding: .utf8)
        let counts = text.split(separator: " ").compactMap { Int($0) }
        try #require(counts.count > 2)
        return (counts[1] - counts[2]) * Int(sysconf(Int32(_SC_PAGESIZE)))
    }

    private func upload(isForm: Bool, _ look: () throws -> Void) throws {
        let type = WebHeader("Content-Type", "multipart/form-data; boundary=b")
        let upload = try fixture.service.beginUpload(
            WebRequest("POST", fixture.uploadTarget(), headers: isForm ? [type] : []))
        let head = "--b\r\nContent-Disposition: form-data; name=f; filename=f\r\n\r\n"
        if isForm { try upload.append(Array(head.utf8)[...]) }
        for _ in 0..<Self.byteCount / Self.piece.count {
            try upload.append(Self.piece[...])
            try look()
        }
        if isForm { try upload.append(Array("\r\n--b--".utf8)[...]) }
        let reply = try ServiceReply(upload.finish())
        let asset = try #require(reply.json["singleFile"], "\(reply.text)")
        #expect(asset["size"]?.int64 == Int64(Self.byteCount))
        let saved = try fixture.modify(
            operation("forceUpdate", "a", fields: assetField(asset.assetText)))
        #expect(saved.codes == [nil])
    }

    private func download(_ look: () throws -> Void) throws {
        let download = try fixture.download(fixture.downloadTarget("a"))
        #expect(download.byteCount == UInt64(Self.byteCount))
        for index in 0..<download.chunkCount {
            let chunk = try download.chunk(index)
            #expect(chunk.count == 1 << 20 && chunk.starts(with: Self.piece))
            try look()
        }
    }
}
