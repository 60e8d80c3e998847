/// The store and the files that committing processes share.
enum CommitStage {
    /// Makes them in a folder that is there and empty.
    static func prepare(_ folder: String, key: String?) throws {
        try StoreCommitter.prepare(store(folder), key: try RunKey.bytes(key, of: folder))
        try BareFile.prepare(folder)
    }

    static func committer(
        _ contender: CommitContender, _ folder: String, key: String?
    ) throws -> any Committer {
        switch contender {
        case .write, .groupWrite:
            try StoreCommitter(
                store(folder), key: try RunKey.bytes(key, of: folder),
                isGrouped: contender == .groupWrite)
        case .bare(let hold): try BareCommits(folder, holdMicroseconds: hold)
        }
    }

    private static func store(_ folder: String) -> String { folder + "/store.bulla" }
}
