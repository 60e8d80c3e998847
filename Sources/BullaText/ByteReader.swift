/// What a reader reads: a file, a pipe, or bytes that are in memory already.
package protocol ByteOrigin: AnyObject {
    /// What messages call it.
    var name: String { get }

    /// Reads into `buffer` from `offset` on; how many bytes, 0 at the end.
    func read(into buffer: inout [UInt8], from offset: Int) throws -> Int

    /// The error that refuses what was read.
    func refusal(_ message: String) -> any Error
}

/// The bytes of an input, with the record that is being read in one piece.
///
/// A record begins at offset 0 and is passed with ``advance(past:lines:)``; what comes after it is
/// read ahead. Memory is bounded by the longest record, and that by ``recordByteLimit``.
package final class ByteReader {
    /// One record fits in memory several times over; a file that is no records at all does not.
    package static let recordByteLimit = 64 << 20
    /// How much is read at a time: large against the cost of a system call and of moving a record.
    private static let chunkByteCount = 1 << 20

    package let file: any ByteOrigin
    /// The number of the line that the record begins at, from 1.
    package private(set) var line = 1
    private var buffer = [UInt8](repeating: 0, count: chunkByteCount)
    private var start = 0
    private var end = 0

    package init(_ file: any ByteOrigin) { self.file = file }

    /// A line of the record: where its content ends, and where the next line begins.
    package struct Line {
        package let end: Int
        package let next: Int

        /// Whether a newline ends it; the last one of a file may have none.
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

    /// The first bytes of the record, as many as there are up to `limit`.
    package func head(_ limit: Int) throws -> ArraySlice<UInt8> {
        while end - start < limit, try readMore() {}
        return buffer[start..<min(end, start + limit)]
    }

    /// The first place of `byte` in some bytes of the record.
    func firstIndex(of byte: UInt8, in range: Range<Int>) -> Int? {
        let place = (start + range.lowerBound)..<(start + range.upperBound)
        return buffer.firstIndex(of: byte, in: place).map { $0 - start }
    }

    /// Passes the mark that some programs put before UTF-8 text.
    package func skipByteOrderMark() throws {
        let mark: [UInt8] = [0xEF, 0xBB, 0xBF]
        if try head(mark.count).elementsEqual(mark) { advance(past: mark.count, lines: 0) }
    }

    package subscript(offset: Int) -> UInt8 { buffer[start + offset] }

    /// Some bytes of the record.
    package subscript(range: Range<Int>) -> ArraySlice<UInt8> {
        buffer[(start + range.lowerBound)..<(start + range.upperBound)]
    }

    /// Passes the record.
    ///
    /// - Parameters:
    ///   - offset: where the next one begins.
    ///   - lines: how many lines lie between them.
    package func advance(past offset: Int, lines: Int) {
        start += offset
        line += lines
    }

    /// Reads on.
    ///
    /// - Returns: whether there was more.
    /// - Throws: when the record is longer than ``recordByteLimit``.
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

    /// Refuses a line that no newline ends: a program that was cut short may have left a part of
    /// one, and the part may ask for something else.
    package func check(_ line: Line) throws {
        guard line.isWhole else {
            throw failure("the line does not end with a newline: it may have been cut")
        }
    }

    /// An error about the record, with file and line.
    package func failure(_ message: String) -> any Error { failure(message, line: 0) }

    /// An error about a line of the record, counted from 0.
    func failure(_ message: String, line offset: Int) -> any Error {
        failure(message, at: line + offset)
    }

    /// An error about a line of the input, counted from 1.
    package func failure(_ message: String, at line: Int) -> any Error {
        file.refusal("\(file.name): line \(line): \(message)")
    }
}
