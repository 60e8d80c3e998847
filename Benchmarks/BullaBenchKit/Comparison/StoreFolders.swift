/// Where the stores of a run lie: a folder for each contender's base, and one for its copy.
final class StoreFolders {
    private let scratch: Scratch
    private let lineup: Lineup
    /// Files that are not copied, for each contender.
    private var transientFiles: [[String]] = []

    init(_ scratch: Scratch, _ lineup: Lineup) {
        self.scratch = scratch
        self.lineup = lineup
    }

    /// Empty folders for the bases of a source.
    func makeBases(of source: Source) throws -> [String] {
        try lineup.contenders.indices.map { contender in
            let folder = base(of: source, contender)
            Folder.remove(folder)
            try Folder.make(folder)
            return folder
        }
    }

    /// Notes what the bases turned out to be.
    func keep(_ facts: [EngineFacts]) {
        transientFiles = facts.map(\.transientFiles)
    }

    /// Empty folders for a round.
    func makeRuns() throws -> [String] {
        try lineup.contenders.indices.map { contender in
            Folder.remove(run(contender))
            try Folder.make(run(contender))
            return run(contender)
        }
    }

    func removeRuns() {
        for contender in lineup.contenders.indices { Folder.remove(run(contender)) }
    }

    /// Copies a base to the round's folder, and waits until the disk has it.
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
