/// A syntax error in a schema text.
package struct SchemaTextFault: Error, Hashable, Sendable {
    /// Counted from 1.
    package let line: Int
    /// Counted from 1, in bytes.
    package let column: Int
    package let expected: String
    package let found: String

    package init(line: Int, column: Int, expected: String, found: String) {
        self.line = line
        self.column = column
        self.expected = expected
        self.found = found
    }

    /// The error for the caller that passed the text.
    package var recordError: RecordError { RecordError(.invalidArguments, "\(self)") }
}

extension SchemaTextFault: CustomStringConvertible {
    package var description: String {
        "read the schema: line \(line), column \(column): expected \(expected), found \(found)"
    }
}
