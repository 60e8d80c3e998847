/// Where a reader gets its bytes from: a file, a pipe, or memory.
package protocol ByteOrigin: AnyObject {
    /// The name to use in messages.
    var name: String { get }

    /// Reads the next bytes of the input into `buffer`, from the index `offset` on; returns their
    /// number, 0 at the end of the input.
    func read(into buffer: inout [UInt8], from offset: Int) throws -> Int

    /// The error for malformed input.
    func refusal(_ message: String) -> any Error
}

/// Reads an input, and keeps the current record contiguous in memory.
///
/// Offsets count from the beginning of the current record, and ``advance(past:lines:)`` moves to
/// the next one. The reader may already have read bytes after the record. Memory is bounded by the
/// longest record, whose limit is ``recordByteLimit``.
package final class ByteReader {
    /// The limit for a record, in bytes: it bounds memory, and lets the reader give up early on a
    /// file in which no record ends.
    package static let recordByteLimit = 64 << 20
    /// The initial size of the buffer, and so of most reads: large enough to make the cost of a
    /// system call, and of moving a record, negligible.
    private static let chunkByteCount = 1 << 20

    package let file: any ByteOrigin
    /// The number of the line at which the record begins, from 1.
    package private(set) var line = 1
    private var buffer = [UInt8](repeating: 0, count: chunkByteCount)
    private var start = 0
    private var end = 0

    package init(_ file: any ByteOrigin) { self.file = file }

    /// A line of the record: the offset of its end, and the offset of the next line.
    package struct Line {
        package let end: Int
        package let next: Int

        /// Whether the line ends with a newline; the last line of a file may not.
        package var isWhole: Bool { next > end }
    }

    /// The line that begins at `offset`, or `nil` at the end of the input.
    ///
    /// The last line of a file need not end with a newline.
    package func line(at offset: Int) throws -> Line? {
        var searched = offset
        while true {
            if let hit = buffer.firstIndex(of: UInt8(ascii: "\n"), in: (start + searched)..<end) {
                return Line(end: hit - start, next: hit - start + 1)
            }
            searched = end - start
            guard try readMore() else {
                return searched > offset ? Line(end: searched, next: searched) : nil
            }
        }
    }

    /// At most `limit` bytes, from the beginning of the record on.
    package func head(_ limit: Int) throws -> ArraySlice<UInt8> {
        while end - start < limit, try readMore() {}
        return buffer[start..<min(end, start + limit)]
    }

    /// The first position of `byte` in a range of the record.
    func firstIndex(of byte: UInt8, in range: Range<Int>) -> Int? {
        let place = (start + range.lowerBound)..<(start + range.upperBound)
        return buffer.firstIndex(of: byte, in: place).map { $0 - start }
    }

    /// Skips the byte order mark that some programs put before UTF-8 text.
    package func skipByteOrderMark() throws {
        let mark: [UInt8] = [0xEF, 0xBB, 0xBF]
        if try head(mark.count).elementsEqual(mark) { advance(past: mark.count, lines: 0) }
    }

    package subscript(offset: Int) -> UInt8 { buffer[start + offset] }

    /// A range of the record's bytes.
    package subscript(range: Range<Int>) -> ArraySlice<UInt8> {
        buffer[(start + range.lowerBound)..<(start + range.upperBound)]
    }

    /// Moves past the record.
    ///
    /// - Parameters:
    ///   - offset: where the next record begins.
    ///   - lines: how many lines the record has.
    package func advance(past offset: Int, lines: Int) {
        start += offset
        line += lines
    }

    /// Reads bytes into the buffer, after those that it has.
    ///
    /// - Returns: `false` at the end of the input.
    /// - Throws: if the record is longer than ``recordByteLimit``.
    private func readMore() throws -> Bool {
        makeRoom()
        guard end - start < Self.recordByteLimit else {
            throw failure(
                "the record that begins here is longer than \(Self.recordByteLimit) bytes")
        }
        let count = try file.read(into: &buffer, from: end)
        end += count
        return count > 0
    }

    private func makeRoom() {
        if start > 0 {
            buffer.moveToFront(start..<end)
            end -= start
            start = 0
        }
        if end == buffer.count {
            buffer.grow(to: 2 * buffer.count)
        }
    }

    /// Refuses a line without a newline: the program that wrote it may have been cut off, and part
    /// of a line may mean something other than the whole line.
    package func check(_ line: Line) throws {
        guard line.isWhole else {
            throw failure("the line does not end with a newline: it may have been cut")
        }
    }

    /// An error in the record, with file and line.
    package func failure(_ message: String) -> any Error { failure(message, line: 0) }

    /// An error in line `offset` of the record, whose first line is 0.
    func failure(_ message: String, line offset: Int) -> any Error {
        failure(message, at: line + offset)
    }

    /// An error in line `line` of the input, whose first line is 1.
    package func failure(_ message: String, at line: Int) -> any Error {
        file.refusal("\(file.name): line \(line): \(message)")
    }
}
