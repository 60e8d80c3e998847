/// Extracts the only file of a form (`multipart/form-data`) that arrives in pieces of any size.
///
/// Exactly one part must have a file name: that part is the file. The reader skips the other parts.
/// It buffers only the headers of one part at a time.
///
/// - Source: RFC 7578; RFC 2046, section 5.1.
package struct FormReader {
    /// Receives the next bytes of the file.
    package typealias Sink = (ArraySlice<UInt8>) throws(WebError) -> Void

    private enum State {
        /// Before the first boundary.
        case preamble
        /// After a boundary, in the rest of its line.
        case boundaryEnd([UInt8])
        case headers
        case body(isFile: Bool)
        /// After the last boundary: everything is ignored.
        case epilogue
    }

    private let delimiter: [UInt8]
    private let headerByteCount: Int
    private var state = State.preamble
    /// How many bytes of the delimiter the latest input bytes have matched.
    ///
    /// It begins at 2, because the first boundary may stand at the very beginning of the form, with
    /// no line break before it.
    private var matchedCount = 2
    private var header: [UInt8] = []
    private var hasFile = false

    private static let lineBreak = Array("\r\n".utf8)
    private static let headerEnd = Array("\r\n\r\n".utf8)

    package init(_ boundary: FormBoundary, headerByteCount: Int) {
        delimiter = boundary.delimiter
        self.headerByteCount = headerByteCount
    }

    /// Reads the next bytes of the form, however many.
    ///
    /// - Parameter file: called, in order, with the bytes that belong to the file.
    package mutating func read(_ bytes: ArraySlice<UInt8>, _ file: Sink) throws(WebError) {
        var rest = bytes
        while !rest.isEmpty {
            switch state {
            case .preamble: try readBody(&rest) { _ in }
            case .boundaryEnd(let line): try readBoundaryEnd(line, &rest)
            case .headers: try readHeaders(&rest)
            case .body(let isFile): try isFile ? readBody(&rest, file) : readBody(&rest) { _ in }
            case .epilogue: return
            }
        }
    }

    /// - Throws: an error if the form is not complete, or has no file.
    package func finish() throws(WebError) {
        guard case .epilogue = state else { throw Self.refused("it ends before its last boundary") }
        guard hasFile else { throw Self.refused("no part of it is a file") }
    }

    private static func refused(_ reason: String) -> WebError {
        WebError(.badRequest, "read a multipart form: \(reason)")
    }

    /// Reads up to the next boundary.
    private mutating func readBody(_ rest: inout ArraySlice<UInt8>, _ sink: Sink) throws(WebError) {
        if matchedCount > 0 {
            match(&rest)
            guard matchedCount < delimiter.count else { return beginBoundaryEnd() }
            guard !rest.isEmpty else { return }
            // The matched bytes were not a delimiter.
            try sink(delimiter[..<matchedCount])
            matchedCount = 0
        }
        var place = rest.startIndex
        while let start = rest[place...].firstIndex(of: delimiter[0]) {
            var tail = rest[start...]
            match(&tail)
            guard matchedCount < delimiter.count, !tail.isEmpty else {
                if rest.startIndex < start { try sink(rest[..<start]) }
                rest = tail
                if matchedCount == delimiter.count { beginBoundaryEnd() }
                return
            }
            // The delimiter's first byte occurs nowhere else in the delimiter, so no match can
            // begin within the bytes that have just matched.
            (place, matchedCount) = (tail.startIndex, 0)
        }
        if !rest.isEmpty { try sink(rest) }
        rest = []
    }

    /// Consumes bytes that continue the delimiter.
    private mutating func match(_ rest: inout ArraySlice<UInt8>) {
        while matchedCount < delimiter.count, rest.first == delimiter[matchedCount] {
            matchedCount += 1
            rest = rest.dropFirst()
        }
    }

    private mutating func beginBoundaryEnd() {
        (matchedCount, state) = (0, .boundaryEnd([]))
    }

    /// Reads the rest of a boundary's line: two hyphens after the last boundary, and nothing but
    /// blanks after any other.
    private mutating func readBoundaryEnd(
        _ line: [UInt8], _ rest: inout ArraySlice<UInt8>
    ) throws(WebError) {
        guard let byte = rest.popFirst() else { return }
        let isBlank = byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t")
        switch (line, byte) {
        case ([], .minus), ([], Self.lineBreak[0]): state = .boundaryEnd([byte])
        case ([.minus], .minus): state = .epilogue
        case ([Self.lineBreak[0]], Self.lineBreak[1]):
            // In a part without headers, this line break is already the first of the two that end
            // the headers.
            (state, header) = (.headers, Self.lineBreak)
        case ([], _) where isBlank: return
        default: throw Self.refused("a boundary's line has more than the boundary")
        }
    }

    private mutating func readHeaders(_ rest: inout ArraySlice<UInt8>) throws(WebError) {
        while let byte = rest.popFirst() {
            header.append(byte)
            if header.suffix(4).elementsEqual(Self.headerEnd) {
                let part = try FormPart(header[2..<header.count - 2])
                (state, header) = (.body(isFile: part.isFile), [])
                if part.isFile, hasFile { throw Self.refused("two parts of it are files") }
                hasFile = hasFile || part.isFile
                return
            }
            guard header.count < headerByteCount else {
                throw Self.refused("a part's headers have more than \(headerByteCount) bytes")
            }
        }
    }
}

/// The headers of a form's part.
private struct FormPart {
    let isFile: Bool

    /// - Parameter bytes: the header lines, each with its line break.
    init(_ bytes: ArraySlice<UInt8>) throws(WebError) {
        var disposition: HeaderValue?
        for line in try Self.lines(bytes) {
            let parts = line.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
            guard parts.count == 2, !parts[0].isEmpty,
                parts[0].utf8.allSatisfy({ HeaderValue.isToken($0) })
            else { throw Self.refused("a line of its headers has no name") }
            let value = parts[1].trimmingBlanks()
            switch parts[0].lowercased() {
            case "content-disposition":
                guard disposition == nil, let read = HeaderValue(value) else {
                    throw Self.refused("its Content-Disposition cannot be read, or appears twice")
                }
                disposition = read
            case "content-transfer-encoding":
                guard ["binary", "8bit", "7bit"].contains(value.lowercased()) else {
                    throw Self.refused("it is in a transfer encoding")
                }
            default: continue
            }
        }
        guard let disposition, disposition.name == "form-data" else {
            throw Self.refused("its Content-Disposition is not form-data")
        }
        isFile =
            disposition.parameters["filename"] != nil
            || disposition.parameters["filename*"] != nil
    }

    private static func refused(_ reason: String) -> WebError {
        WebError(.badRequest, "read a part of a form: \(reason)")
    }

    private static func lines(_ bytes: ArraySlice<UInt8>) throws(WebError) -> [Substring] {
        guard let text = String(validating: bytes, as: UTF8.self) else {
            throw refused("its headers are not UTF-8")
        }
        // Swift treats CR LF as one character. A lone CR or LF counts as a control character below.
        let lines = text.split(separator: "\r\n")
        let isClean = lines.allSatisfy { line in
            line.utf8.allSatisfy { $0 >= 32 && $0 != 127 || $0 == 9 }
        }
        guard isClean else { throw refused("its headers have a control character") }
        return lines
    }
}

extension Substring {
    fileprivate func trimmingBlanks() -> Substring {
        var rest = self
        while rest.first == " " || rest.first == "\t" { rest.removeFirst() }
        while rest.last == " " || rest.last == "\t" { rest.removeLast() }
        return rest
    }
}
