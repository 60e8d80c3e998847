internal import Bulla
internal import BullaText

/// Writes trees in the form that `bulla load --format dump` reads: see ``DumpForm``.
struct DumpWriter {
    let output: ByteOutput
    let progress: ProgressBar
    private var trees = 0
    private var entries = 0
    private var part: [UInt8] = []

    init(_ output: ByteOutput, progress: ProgressBar) {
        self.output = output
        self.progress = progress
        output.buffer.append(contentsOf: "\(DumpForm.head)\n".utf8)
    }

    /// Writes a tree with all its entries.
    mutating func write(_ tree: Tree, named name: [UInt8], of snapshot: borrowing Snapshot) throws {
        output.buffer.append(contentsOf: DumpForm.tree.utf8)
        EscapedText.append(name, to: &output.buffer)
        output.buffer.append(UInt8(ascii: "\n"))
        trees += 1
        var walk = try EntryWalk(snapshot, tree)
        while try walk.next() {
            try write(walk, of: snapshot)
            entries += 1
            progress.update(entries)
        }
    }

    private mutating func write(_ walk: borrowing EntryWalk, of snapshot: borrowing Snapshot) throws
    {
        writeKey(walk.key)
        var part = part
        var isFirst = true
        try walk.withValueParts(of: snapshot) { span in
            part.removeAll(keepingCapacity: true)
            part.append(span)
            try writeLines(part, isFirst: &isFirst)
        }
        self.part = part
        if isFirst { output.buffer.append(contentsOf: "\t\n".utf8) }
        try output.passOn()
    }

    private func writeKey(_ key: [UInt8]) {
        guard key.first == UInt8(ascii: "#") else {
            return EscapedText.append(key, to: &output.buffer)
        }
        output.buffer.append(contentsOf: #"\x23"#.utf8)
        EscapedText.append(Array(key.dropFirst()), to: &output.buffer)
    }

    /// Writes a part of a value: the value's first chunk on the line of its key, each other chunk
    /// on a line of its own.
    private func writeLines(_ part: [UInt8], isFirst: inout Bool) throws {
        for start in stride(from: 0, to: part.count, by: DumpForm.chunkByteCount) {
            output.buffer.append(UInt8(ascii: "\t"))
            let end = min(start + DumpForm.chunkByteCount, part.count)
            EscapedText.append(Array(part[start..<end]), to: &output.buffer)
            output.buffer.append(UInt8(ascii: "\n"))
            try output.passOn()
            isFirst = false
        }
    }

    /// Writes the last line; a dump without it counts as incomplete.
    mutating func finish() throws {
        output.buffer.append(contentsOf: "\(DumpForm.end)\(trees) \(entries)\n".utf8)
        try output.flush()
    }
}
