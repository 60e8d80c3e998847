internal import BullaText

/// Shows samples of a store as they come.
///
/// On a terminal each sample replaces the previous one; elsewhere, and as JSON, each is one line.
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

    /// Goes back to the first line of the previous sample, clears the terminal from there on, and
    /// writes the new lines.
    private mutating func rewrite(_ lines: [String]) throws {
        // Lines are cut to the width: a line that the terminal wrapped would fill two rows, and the
        // next sample would go back too few rows.
        let width = max(Descriptor.standardOutput.columnCount - 1, 1)
        let back = shownLineCount > 0 ? "\u{1B}[\(shownLineCount)A\r\u{1B}[J" : ""
        try ByteOutput.print(back + lines.map { String($0.prefix(width)) + "\n" }.joined())
        shownLineCount = lines.count
    }
}
