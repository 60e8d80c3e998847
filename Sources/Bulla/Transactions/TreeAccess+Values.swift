internal import BullaMemory

/// Reads values part by part, and measures trees.
extension TreeAccess {
    /// Reads a part of a value; `nil` if the key is missing.
    func readValue(
        _ tree: Tree, _ key: RawSpan, at offset: Int, into buffer: inout [UInt8]
    ) throws(BullaError) -> Int? {
        guard offset >= 0 else {
            throw BullaError(
                .invalidArgument,
                "read a value of \(core.parts.path): the offset is \(offset), expected 0 or more")
        }
        guard let value = try found(tree, key) else { return nil }
        defer { value.end() }
        return try value.read(at: offset, into: &buffer)
    }

    /// Lends a value part by part; `false` if the key is missing.
    func streamValue(
        _ tree: Tree, _ key: RawSpan, _ body: (RawSpan) throws -> Void
    ) throws -> Bool {
        guard let value = try found(tree, key) else { return false }
        defer { value.end() }
        try value.stream(body)
        return true
    }

    private func found(_ tree: Tree, _ key: RawSpan) throws(BullaError) -> FoundValueReader? {
        try key.withView { key throws(BullaError) in try found(tree, key) }
            .map { FoundValueReader(access: self, value: $0) }
    }

    /// The measures of a tree; ``TreeStatistics`` says whose pages they cover.
    func statistics(of tree: Tree) throws(BullaError) -> TreeStatistics {
        let root = try root(tree)
        if let pages {
            // `pageCount` leaves out changed pages, which have no page number yet, so add them.
            let limit = pages.space.pageCount + UInt64(pages.memory.arena.count)
            var census = TreeCensus(pages, root, pageLimit: limit)
            return try census.run()
        }
        return try claim.reading { () throws(BullaError) in
            var census = TreeCensus(
                pager, root, pageLimit: try pager.pageLimit(), checkUse: claim.checkAfterLeaf)
            var found = try census.run()
            found.entryCount = Int(clamping: try count(tree))
            return found
        }
    }
}
