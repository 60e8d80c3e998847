/// A trace: operations as lines of text, which `record` writes and the workload `replay` follows.
///
///     # bulla-bench trace 1
///     read user6284781860667377211
///     put user8517097267634966620 1000
///     update user1820151046732198393 1000
///     scan user5325561898238113214 47
///     delete a%20key%0Awith%20blanks
///
/// A key's bytes other than visible ASCII letters stand as `%` and two hexadecimal digits. The
/// number behind a key is the value's length in bytes, or the most records that a scan takes. Empty
/// lines, and lines that begin with `#`, are left out. Values are not recorded: they are made up.
package enum TraceFile {
    package static let heading = "# bulla-bench trace 1"
    private static let byteLimit = 2 << 30

    /// The lines of a trace.
    ///
    /// - Throws: ``BenchExit/input`` with the number of the first line that is none.
    package static func lines(_ path: String) throws -> [TraceLine] {
        let bytes = try Descriptor.open(path).readToEnd(limit: byteLimit, of: path)
        let text = String(decoding: bytes, as: UTF8.self)
        var lines: [TraceLine] = []
        for (index, line) in text.split(separator: "\n", omittingEmptySubsequences: false)
            .enumerated()
        {
            guard index > 0 else { try check(heading: line, path); continue }
            guard !line.isEmpty, line.first != "#" else { continue }
            guard let parsed = TraceLine(line) else {
                throw BenchError(.input, "read \(path): line \(index + 1) is no operation")
            }
            lines.append(parsed)
        }
        guard !lines.isEmpty else { throw BenchError(.input, "read \(path): it has no operations") }
        return lines
    }

    private static func check(heading line: Substring, _ path: String) throws {
        guard line == heading else {
            throw BenchError(.input, "read \(path): its first line is not \"\(heading)\"")
        }
    }
}
