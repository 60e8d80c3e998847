import BullaRecords
import BullaTestSupport

/// Saves a file as an asset, reads it back, and reports how much the process grew meanwhile.
struct AssetJob {
    private let site: TrialSite
    private let view: DatabaseView
    private let byteCount: Int

    private static let zone = "files"
    private static let stepByteCount = 300_000

    init(_ command: TrialCommand) throws {
        site = try command.site()
        view = try site.view(command.account())
        byteCount = try command.number("bytes")
    }

    func run() throws {
        try view.createZone(Self.zone)
        try save(try upload(1_000_000), "small")
        let up = MemoryWatch()
        let asset = try upload(byteCount)
        try save(asset, "large")
        Line.say("up", up.growth())
        let down = MemoryWatch()
        try read(asset)
        Line.say("down", down.growth())
        Line.say("ready")
        try site.close()
    }

    private func upload(_ byteCount: Int) throws -> AssetDescriptor {
        let upload = try view.beginUpload()
        for start in stride(from: 0, to: byteCount, by: Self.stepByteCount) {
            try upload.append(
                Self.bytes(at: start, min(Self.stepByteCount, byteCount - start)))
        }
        return try upload.finish()
    }

    private func save(_ asset: AssetDescriptor, _ name: String) throws {
        let save = RecordChange.Save("File", .isNew, fields: ["file": .init(.asset(asset))])
        let results = try view.modify([RecordChange(name, .save(save))], in: Self.zone)
        if let error = results.first?.error { throw error }
    }

    private func read(_ asset: AssetDescriptor) throws {
        var offset = 0
        try view.asset(asset).read { chunk in
            // Each run must begin at its place in the file, so check the first byte of each.
            for at in stride(from: offset, to: offset + chunk.count, by: Self.runByteCount)
            where chunk[chunk.startIndex + at - offset] != Self.byte(at: at) {
                throw WorkerFailure.impossible("the file is another")
            }
            offset += chunk.count
        }
        guard offset == byteCount else {
            throw WorkerFailure.impossible("the file has \(offset) bytes")
        }
    }

    /// The file's bytes from an offset on: long runs, each of one repeated byte.
    private static func bytes(at offset: Int, _ count: Int) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(count)
        while bytes.count < count {
            let at = offset + bytes.count
            let end = min(count - bytes.count, runByteCount - at % runByteCount)
            bytes += [UInt8](repeating: byte(at: at), count: end)
        }
        return bytes
    }

    private static let runByteCount = 4096

    private static func byte(at offset: Int) -> UInt8 {
        UInt8(truncatingIfNeeded: offset / runByteCount &* 31)
    }
}
