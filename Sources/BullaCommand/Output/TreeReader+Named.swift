internal import Bulla

extension TreeReader where Self: ~Copyable {
    /// Opens a tree that the user has named.
    ///
    /// - Parameter store: the store, for the message.
    /// - Throws: ``CommandExit/notFound``, with the name that the user may have meant.
    func tree(named name: TreeName, of store: String) throws -> Tree {
        if let tree = try treeIfPresent(named: name) { return tree }
        throw CommandError(missing: name, of: store, among: (try? treeNames()) ?? [])
    }
}

extension CommandError {
    /// The error for a tree that does not exist.
    init(missing name: TreeName, of store: String, among names: [TreeName]) {
        self.init(
            BullaError(
                .treeNotFound,
                "open a tree of \(store): there is none of that name; the verb trees lists them"))
        let likely = Suggestion.best(for: "\(name)", among: names.lazy.map { "\($0)" })
        let question = likely.map { ", did you mean \($0)?" } ?? ""
        hint = "(asked for \(name)\(question))"
    }
}

/// The line of a tree in a list: its name and the number of its entries.
enum TreeLine {
    static func append(_ name: TreeName, _ count: Int, isJSON: Bool, to text: inout [UInt8]) {
        if isJSON {
            text.append(contentsOf: "{\"entryCount\":\(count),".utf8)
            JSONBytes.append("name", name.bytes, to: &text)
            text.append(contentsOf: "}\n".utf8)
        } else {
            EscapedText.append(name.bytes, to: &text)
            text.append(contentsOf: "\t\(count)\n".utf8)
        }
    }
}
