internal import BullaText

/// Shows samples of a store as they come.
///
/// On a terminal each replaces the previous one; elsewhere, and as JSON, each is a line.
struct LiveView {
    private enum Form {
        case json, line, screen
    }

    private let form: Form
    private var shownLineCount = 0

    init(isJSON: Bool) {
        form = isJSON ? .json : Descriptor.standardOutput.isScreen ? .screen : .line
    }

    mutating func show(_ sample: StoreSample) throws {
        switch form {
        case .json: try ByteOutput.print(JSONOutput.line(sample))
        case .line: try ByteOutput.print(sample.line)
        case .screen: try rewrite(sample.lines)
        }
    }

    /// Goes back to the first line that is shown, clears what is there, and writes the new lines.
    private mutating func rewrite(_ lines: [String]) throws {
        // A line that the terminal wraps would count as two on the way back.
        let width = max(Descriptor.standardOutput.columnCount - 1, 1)
        let back = shownLineCount > 0 ? "\u{1B}[\(shownLineCount)A\r\u{1B}[J" : ""
        try ByteOutput.print(back + lines.map { String($0.prefix(width)) + "\n" }.joined())
        shownLineCount = lines.count
    }
}
