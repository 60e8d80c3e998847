internal import Bulla
internal import BullaMemory
internal import BullaTestSupport

/// A store in which the input changes one page or the meta record; every seal is valid.
struct PageFuzz {
    private let target: FuzzTarget

    init(_ target: FuzzTarget) { self.target = target }

    /// The first byte says what to do with the store, the second how high the tree claims to be;
    /// the rest are edits.
    func run(_ input: FuzzInput) {
        var input = input
        let choice = input.byte()
        let keys = choice & 1 == 0 ? FuzzKeys.encrypted : .plain
        let path = FuzzFile.path("store")
        do {
            let file = try forge(keys, &input)
            precondition(FuzzFile.write(file, to: path), "the store can be written")
        } catch { preconditionFailure("a forged store can be made") }
        StoreVerbs(path: path, key: keys.key).run(job: Int(choice >> 1))
        let head = FuzzFile.read(path, byteCount: HeaderField.byteCount)
        precondition(
            head.elementsEqual(keys.preamble.prefix(head.count)),
            "no writer writes over what says whose file this is")
    }

    private func forge(_ keys: FuzzKeys, _ input: inout FuzzInput) throws -> [UInt8] {
        var forge = FuzzForge(keys)
        let claim = input.byte()
        let tree = try tree(&forge, claim, &input)
        var catalog = try catalog(&forge, tree)
        if target == .catalog { input.edit(&catalog) }
        let root = forge.root(try forge.add(catalog, .leaf), height: 1)
        let sound = forge.record(root)
        guard target == .meta else { return try forge.file([sound, sound]) }
        let edited = try edited(sound, &input)
        return try forge.file(claim & 1 == 0 ? [edited, edited] : [sound, edited])
    }

    private func edited(_ record: CommitRecord, _ input: inout FuzzInput) throws -> CommitRecord {
        let buffer = try ScratchBuffer(byteCount: CommitField.byteCount)
        record.write(buffer.bytes)
        var bytes = buffer.bytes.view.slice(0, CommitField.byteCount).copied()
        input.edit(&bytes)
        return bytes.withBytes { span in span.withView { CommitRecord($0) } }
    }

    /// A tree in which the input has changed the page of the target's kind, if the tree has such a
    /// page.
    private func tree(
        _ forge: inout FuzzForge, _ claim: UInt8, _ input: inout FuzzInput
    ) throws -> TreeRoot {
        let value = try largeValue(&forge, &input)
        var leaf = leaf(value)
        if target == .leaf { input.edit(&leaf) }
        let first = try forge.add(leaf, .leaf)
        guard target == .branch else {
            return forge.root(
                first, height: target == .leaf ? 1 + Int(claim % 3) : 1, largeCount: 1)
        }
        let empty = try forge.add(ForgedPage.leaf([]), .leaf)
        let last = try forge.add(ForgedPage.leaf(["x", "y"]), .leaf)
        let middle = try forge.add(ForgedPage.leaf(["na", "nb"]), .leaf)
        var branch = ForgedPage.branch(
            [("", first), ("n", middle), ("o", empty), ("x", last)], level: 1)
        input.edit(&branch)
        return forge.root(try forge.add(branch, .branch), height: 2 + Int(claim % 3))
    }

    /// A leaf with long and short keys, values of any kind, and one large value.
    private func leaf(_ value: [UInt8]) -> [UInt8] {
        var entries = ["a", "b", "bb", "c", "k0", "k1", "k2", "m"].map {
            (key: Array($0.utf8), word: UInt32(3), payload: [1, 2, 3] as [UInt8])
        }
        entries[2] = (entries[2].key, 300, [UInt8](repeating: 7, count: 300))
        entries[3] = (entries[3].key, ForgedPage.largeMark | 40, value)
        return ForgedPage.leaf(entries)
    }

    /// A value of three pages, and its descriptor.
    private func largeValue(_ forge: inout FuzzForge, _ input: inout FuzzInput) throws -> [UInt8] {
        let page = [UInt8](repeating: 5, count: ForgedPage.byteCount)
        let pages = try (0..<3).map { _ in try forge.add(page, .value) }
        var index = ForgedPage.index(pages, level: 1)
        var words = UInt64(10_000).bytes + UInt64(1).bytes
        if target == .index {
            // Change the length and the height first, because most depends on them.
            let count = Int(input.byte() % 17)
            words.replaceSubrange(0..<count, with: padded(input.take(count), to: count))
            input.edit(&index)
        }
        let root = try forge.add(index, .valueIndex)
        return words + ForgedPage.pointer(root)
    }

    private func padded(_ bytes: [UInt8], to count: Int) -> [UInt8] {
        bytes + [UInt8](repeating: 0, count: count - bytes.count)
    }

    /// The names of the tree and of an empty one, freed pages, and a part of the free map.
    private func catalog(_ forge: inout FuzzForge, _ tree: TreeRoot) throws -> [UInt8] {
        let unused = try (0..<3).map { _ in try forge.add(ForgedPage.leaf([]), .leaf).number }
        let freed = unused[0].bytes + UInt64(1).bytes + UInt64(3).bytes
        var map = [UInt8](repeating: 0, count: 512)
        for page in unused.dropFirst() { map[Int(page / 8)] |= 1 << (page % 8) }
        let key = [2] + UInt64(5).bytes.reversed() + [0, 0, 0, 0]
        let records: [(key: [UInt8], value: [UInt8])] = [
            ([1, 0x74], ForgedPage.record(tree)),
            ([1, 0x75], ForgedPage.record(.empty, number: 2)),
            (key, freed), ([3] + UInt64(0).bytes, map),
        ]
        return ForgedPage.leaf(records.map { ($0.key, UInt32($0.value.count), $0.value) })
    }

    /// Every action, with and without changes to the store.
    var seeds: [[UInt8]] {
        (0..<UInt8(2 * StoreVerbs.jobCount)).flatMap { choice in
            [[choice, 0], [choice, 1, 0, 2, 0, 1, 9, 9], [choice, 2, 3, 16, 0, 5, 0, 0]]
        }
    }
}
