internal import Bulla

/// The text format that `bulla dump` writes and `bulla load --format dump` reads back exactly.
///
///     #bulla-dump 1                   first line: the format and its version
///     #tree NAME                      the entries up to the next such line are this tree's
///     KEY <tab> VALUE                 one entry
///     <tab> VALUE                     more of the previous entry's value
///     #end TREES ENTRIES              last line: the counts; a dump without it was cut off
///
/// Names, keys and values are in the one-line form of ``EscapedText``. A `#` at the beginning of a
/// key is written as `\x23`, and no key is empty, so the first byte of a line shows its kind.
package enum DumpForm {
    package static let head = "#bulla-dump 1"
    package static let tree = "#tree "
    package static let end = "#end "

    /// The maximum number of bytes of a value on one line, so that no line is too long for a
    /// reader.
    package static let chunkByteCount = 64 << 10
}

/// Reads what `bulla dump` wrote: see ``DumpForm``.
package struct DumpReader: RecordReader {
    package let input: ByteReader
    private var hasBegun = false
    private var trees = 0
    private var entries = 0

    package init(_ input: ByteReader) { self.input = input }

    package mutating func read(_ record: inout Record) throws -> Bool {
        if !hasBegun { try readHead() }
        guard let line = try input.line(at: 0) else {
            throw input.failure("the dump ends without its \(DumpForm.end)line: it was cut")
        }
        record.line = input.line
        let text = input[0..<line.end]
        guard text.first == UInt8(ascii: "#") else {
            try take(text, next: line.next, into: &record)
            return true
        }
        guard let tree = try treeName(text) else {
            try checkEnd(text, next: line.next)
            return false
        }
        record.tree = tree
        record.hasEntry = false
        trees += 1
        input.advance(past: line.next, lines: 1)
        return true
    }

    private mutating func readHead() throws {
        let line = try input.line(at: 0)
        guard let line, input[0..<line.end].elementsEqual(DumpForm.head.utf8) else {
            throw input.failure(
                "not a dump of this version: the first line is not \(DumpForm.head)")
        }
        input.advance(past: line.next, lines: 1)
        hasBegun = true
    }

    private func treeName(_ text: ArraySlice<UInt8>) throws -> [UInt8]? {
        guard text.starts(with: DumpForm.tree.utf8) else { return nil }
        return try unescape(text.dropFirst(DumpForm.tree.utf8.count))
    }

    private func unescape(_ text: ArraySlice<UInt8>) throws -> [UInt8] {
        guard let bytes = EscapedText.bytes(text) else {
            throw input.failure("a backslash does not begin an escape")
        }
        return bytes
    }

    private mutating func take(
        _ text: ArraySlice<UInt8>, next: Int, into record: inout Record
    ) throws {
        guard trees > 0 else { throw input.failure("an entry comes before the first tree") }
        guard let tab = text.firstIndex(of: UInt8(ascii: "\t")), tab > text.startIndex else {
            throw input.failure("the line is not a key, a tab and a value")
        }
        record.key = try unescape(text[..<tab])
        record.value = try unescape(text[(tab + 1)...])
        entries += 1
        input.advance(past: next, lines: 1)
        record.hasMore = try continuation() != nil
    }

    /// The line that continues the value, if there is one.
    private func continuation() throws -> ByteReader.Line? {
        guard let line = try input.line(at: 0), line.end > 0, input[0] == UInt8(ascii: "\t") else {
            return nil
        }
        return line
    }

    package mutating func readMore(_ record: inout Record) throws -> Bool {
        guard let line = try continuation() else { return false }
        record.value = try unescape(input[1..<line.end])
        input.advance(past: line.next, lines: 1)
        return true
    }

    /// Checks that the line is the last one, and that its counts are those of the trees and entries
    /// that were read.
    private func checkEnd(_ text: ArraySlice<UInt8>, next: Int) throws {
        guard text.starts(with: DumpForm.end.utf8) else {
            throw input.failure("the line begins with #, but names no tree, and is not the end")
        }
        guard text.elementsEqual("\(DumpForm.end)\(trees) \(entries)".utf8) else {
            throw input.failure(
                "read \(trees) trees and \(entries) entries; the last line has other counts")
        }
        input.advance(past: next, lines: 1)
        guard try input.line(at: 0) == nil else { throw input.failure("lines follow the last one") }
    }
}
