/// Comma-separated values with a header: a row's key is one of its columns, its value the row as it
/// stands in the file.
///
/// - Source: RFC 4180. A field in double quotes may hold commas, line breaks and doubled quotes.
package enum CSVRecords {
    /// - Parameter keyField: the column that holds the keys; nil: the first.
    package static func table(
        _ input: [UInt8], keyField: String?, name: String
    ) throws -> RecordTable {
        var rows = CSVRows(input, name: name)
        guard let header = try rows.next() else {
            throw BenchError(.input, "read \(name): there is no header")
        }
        let column = try keyColumn(keyField, header, name)
        var table = RecordTable()
        while let row = try rows.next() {
            let key = try key(of: row, column, header, name)
            table.append(
                key: { $0.append(contentsOf: key) }, value: { $0.append(contentsOf: row.text) })
        }
        return table
    }

    private static func keyColumn(
        _ keyField: String?, _ header: CSVRow, _ name: String
    ) throws -> Int {
        guard let keyField else { return 0 }
        guard let column = header.fields.firstIndex(of: Array(keyField.utf8)) else {
            throw BenchError(.input, "read \(name): its header has no column \(keyField)")
        }
        return column
    }

    private static func key(
        of row: CSVRow, _ column: Int, _ header: CSVRow, _ name: String
    ) throws -> [UInt8] {
        guard row.fields.count == header.fields.count else {
            throw BenchError(
                .input,
                "read \(name): line \(row.line) has \(row.fields.count) fields, "
                    + "the header has \(header.fields.count)")
        }
        guard !row.fields[column].isEmpty else {
            throw BenchError(.input, "read \(name): line \(row.line) has an empty key")
        }
        return row.fields[column]
    }
}
