final class StoreFolders {
    private let scratch: Scratch
    private let lineup: Lineup
    private var transientFiles: [[String]] = []

    init(_ scratch: Scratch, _ lineup: Lineup) { (self.scratch, self.lineup) = (scratch, lineup) }

    func makeBases(of source: Source) throws -> [String] {
        try lineup.contenders.indices.map { try Self.made(base(of: source, $0)) }
    }

    private static func made(_ folder: String) throws -> String {
        Folder.remove(folder)
        try Folder.make(folder)
        return folder
    }

    func bases(of source: Source) -> [String] {
        lineup.contenders.indices.map { base(of: source, $0) }
    }

    func keep(_ facts: [EngineFacts]) { transientFiles = facts.map(\.transientFiles) }

    func makeRuns() throws -> [String] {
        try lineup.contenders.indices.map { try Self.made(run($0)) }
    }

    func removeRuns() {
        for contender in lineup.contenders.indices { Folder.remove(run(contender)) }
    }

    /// Copies a base store to the round's folder, and waits until the copy is on the disk.
    func copyBase(of source: Source, _ contender: Int) throws {
        let transient = transientFiles[contender]
        try Folder.copy(base(of: source, contender), to: run(contender)) { !transient.contains($0) }
    }

    private func base(of source: Source, _ contender: Int) -> String {
        "\(source.path).base-\(lineup.contenders[contender].name)"
    }

    private func run(_ contender: Int) -> String {
        scratch.file("run-\(lineup.contenders[contender].name)")
    }
}

/// The records of one input: where they are, and their digest.
package struct Source: Sendable {
    package let name: String
    package let path: String
    package let recordCount: Int
    package let payloadByteCount: Int
    package let replacedCount: Int
    package let digest: Digest

    /// Writes the records of `table` whose keys `shard` owns, so that workers can map them.
    package init(
        name: String, _ table: RecordTable, _ shard: Shard = .whole, to path: String, seed: UInt64
    ) throws {
        try RecordFile.write(table, to: path, seed: seed) { shard.owns($0) }
        let records = try MappedRecords(path: path)
        (self.name, self.path) = (name, path)
        recordCount = records.count
        payloadByteCount = records.payloadByteCount
        replacedCount = table.replacedCount
        digest = records.digest()
    }
}
