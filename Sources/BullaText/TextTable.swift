/// Columns of text, each as wide as its widest cell.
package struct TextTable: Sendable {
    private var rows: [[String]]
    private let leftColumnCount: Int

    /// - Parameter leftColumnCount: how many columns, from the first, are aligned left; the others
    ///   are aligned right.
    package init(header: [String], leftColumnCount: Int) {
        rows = [header]
        self.leftColumnCount = leftColumnCount
    }

    package mutating func append(_ row: [String]) {
        precondition(row.count == rows[0].count, "a row has a cell for each column")
        rows.append(row)
    }

    /// The lines: first the header, then one line for each row.
    package var lines: [String] {
        let widths = rows[0].indices.map { column in rows.map { $0[column].count }.max() ?? 0 }
        return rows.map { row in
            let cells = row.indices.map { column in
                column < leftColumnCount
                    ? Format.padRight(row[column], widths[column])
                    : Format.padLeft(row[column], widths[column])
            }
            return Self.withoutEndingSpaces(cells.joined(separator: "  "))
        }
    }

    private static func withoutEndingSpaces(_ line: String) -> String {
        guard let last = line.lastIndex(where: { $0 != " " }) else { return "" }
        return String(line[...last])
    }
}
