internal import Bulla
internal import BullaText

/// Prints the changes of commits, one change per line.
struct ChangePrinter {
    let output = ByteOutput()
    private let form: EntryPrinter.Form
    private let hasValues: Bool
    private var left: UInt64

    /// - Parameters:
    ///   - form: how keys and values are shown; names of trees are escaped in every form except
    ///     JSON.
    ///   - limit: how many lines to print at most.
    init(form: EntryPrinter.Form, hasValues: Bool, limit: UInt64) {
        (self.form, self.hasValues, left) = (form, hasValues, limit)
    }

    /// Whether more lines are to be printed.
    var isWanting: Bool { left > 0 }

    /// Prints those changes of a commit that concern the watched trees.
    mutating func print(_ commit: CommittedChanges, _ trees: inout WatchedTrees) throws {
        for operation in commit {
            guard isWanting else { return }
            guard trees.take(operation) else { continue }
            try print(ChangeLine(operation, hasValues: hasValues), of: commit.commit, trees)
        }
    }

    /// Prints that the changes of the commits after `after`, up to and including `upTo`, are
    /// unknown.
    mutating func printGap(after: UInt64, upTo: UInt64) throws {
        let line =
            form == .json
            ? "{\"after\":\(after),\"commit\":\(upTo),\"operation\":\"gap\"}"
            : "\(upTo)\tgap\t\(after)"
        output.buffer.append(contentsOf: line.utf8)
        try endLine()
    }

    private mutating func print(
        _ line: ChangeLine, of commit: UInt64, _ trees: WatchedTrees
    ) throws {
        let name = line.name ?? trees.name(of: line.tree)
        if form == .json {
            try appendObject(line, of: commit, name)
        } else {
            output.buffer.append(contentsOf: "\(commit)\t\(line.what)\t".utf8)
            append(name: name, of: line.tree)
            for bytes in [line.key, line.value] {
                guard let bytes else { continue }
                output.buffer.append(UInt8(ascii: "\t"))
                if form == .hex {
                    Hex.append(bytes, to: &output.buffer)
                } else {
                    EscapedText.append(bytes, to: &output.buffer)
                }
            }
            if let newName = line.newName {
                output.buffer.append(UInt8(ascii: "\t"))
                append(name: newName, of: line.tree)
            }
        }
        try endLine()
    }

    /// Appends a tree's name in the form of `bulla trees`, or `#` and its number if it has no name.
    ///
    /// Escapes a `#` at the beginning of a name, so that no name looks like a number.
    private func append(name: [UInt8]?, of tree: Int) {
        guard let name else { return output.buffer.append(contentsOf: "#\(tree)".utf8) }
        guard name.first == UInt8(ascii: "#") else {
            return EscapedText.append(name, to: &output.buffer)
        }
        output.buffer.append(contentsOf: "\\x23".utf8)
        EscapedText.append(Array(name.dropFirst()), to: &output.buffer)
    }

    private func appendObject(_ line: ChangeLine, of commit: UInt64, _ name: [UInt8]?) throws {
        func append(_ member: String, _ bytes: [UInt8]?) {
            guard let bytes else { return }
            JSONBytes.append(member, bytes, to: &output.buffer)
            output.buffer.append(UInt8(ascii: ","))
        }
        output.buffer.append(contentsOf: "{\"commit\":\(commit),".utf8)
        append("key", line.key)
        append("newName", line.newName)
        output.buffer.append(contentsOf: "\"operation\":\"\(line.what)\",".utf8)
        append("tree", name)
        output.buffer.append(contentsOf: "\"treeNumber\":\(line.tree)".utf8)
        if let value = line.value {
            try EntryPrinter.checkJSON(value.count)
            output.buffer.append(UInt8(ascii: ","))
            JSONBytes.append("value", value, to: &output.buffer)
        }
        output.buffer.append(UInt8(ascii: "}"))
    }

    /// Removes from the buffer a line that an error has cut short.
    func dropUnfinishedLine() {
        let end = output.buffer.lastIndex(of: UInt8(ascii: "\n")).map { $0 + 1 } ?? 0
        output.buffer.removeLast(output.buffer.count - end)
    }

    private mutating func endLine() throws {
        output.buffer.append(UInt8(ascii: "\n"))
        left -= 1
        try output.passOn()
    }
}

/// What the line for a change says.
private struct ChangeLine {
    let what: String
    let tree: Int
    /// The tree's name, if the change itself contains it.
    var name: [UInt8]?
    var newName: [UInt8]?
    var key: [UInt8]?
    var value: [UInt8]?

    init(_ operation: CommittedOperation, hasValues: Bool) {
        tree = operation.treeNumber
        switch operation {
        case .put(_, let key, let value):
            what = "put"
            self.key = [UInt8](copying: key)
            if hasValues { self.value = [UInt8](copying: value) }
        case .delete(_, let key):
            what = "delete"
            self.key = [UInt8](copying: key)
        case .createTree(_, let name):
            what = "create"
            self.name = [UInt8](copying: name)
        case .dropTree(_, let name):
            what = "drop"
            self.name = [UInt8](copying: name)
        case .renameTree(_, let name, let newName):
            what = "rename"
            self.name = [UInt8](copying: name)
            self.newName = [UInt8](copying: newName)
        }
    }
}

extension [UInt8] {
    /// A copy of the bytes that a commit lends.
    fileprivate init(copying bytes: CommittedBytes) {
        self = bytes.withBytes { [UInt8](copying: $0) }
    }
}
