internal import Bulla

/// The words after a verb, sorted into operands and options.
struct StatementArguments {
    private let verb: ShellVerb
    private(set) var operands: [[UInt8]] = []
    private var values: [String: [UInt8]] = [:]
    private var flags: Set<String> = []

    init(_ verb: ShellVerb, _ words: ArraySlice<LineWord>) throws(LineFault) {
        self.verb = verb
        var rest = words
        while let word = rest.popFirst() {
            if let option = word.option {
                try take(option, &rest)
            } else {
                operands.append(word.bytes)
            }
        }
    }

    private mutating func take(
        _ option: String, _ rest: inout ArraySlice<LineWord>
    ) throws(LineFault) {
        if verb.flags.contains(option) {
            flags.insert(option)
            return
        }
        guard verb.valueOptions.contains(option) else { throw unknown(option) }
        guard let value = rest.popFirst() else { throw LineFault("\(option) has no value") }
        values[option] = value.bytes
    }

    private func unknown(_ option: String) -> LineFault {
        let known = verb.flags + verb.valueOptions
        let likely = Suggestion.best(for: option, among: known)
        let question = likely.map { "did you mean \($0)?" } ?? "quote a word that begins so"
        return LineFault("\(verb.rawValue) has no such option; \(question)")
    }

    /// Whether this is a deletion of a range rather than of one key.
    var hasRange: Bool { verb == .delete && (!values.isEmpty || !flags.isEmpty) }

    func checkCount(_ count: Int) throws(LineFault) {
        guard operands.count == count else { throw wrongCount }
    }

    private var wrongCount: LineFault { LineFault("the form is: \(verb.usage)") }

    /// Removes the tree from the operands and returns it; returns `current` if they name no tree.
    ///
    /// - Parameter current: the current tree; `nil` if there is none.
    mutating func takeTree(_ current: TreeName?) throws(LineFault) -> TreeName {
        let count = hasRange ? 0 : verb.operandCount
        if operands.count == count + 1 { return TreeName(bytes: operands.removeFirst()) }
        guard verb.treeOperand == .current, operands.count == count else { throw wrongCount }
        guard let current else {
            throw LineFault("no tree is in use: name one, or begin with use TREE")
        }
        return current
    }

    var bounds: KeyBounds {
        KeyBounds(prefix: values["--prefix"], from: values["--from"], to: values["--to"])
    }

    func scanChoice() throws(LineFault) -> Statement.ScanChoice {
        var choice = Statement.ScanChoice(bounds: bounds)
        if let limit = values["--limit"] {
            guard let number = UInt64(String(decoding: limit, as: UTF8.self)) else {
                throw LineFault("--limit is no number")
            }
            choice.limit = number
        }
        choice.hasValues = !flags.contains("--keys-only")
        choice.order = flags.contains("--reverse") ? .descending : .ascending
        return choice
    }
}
