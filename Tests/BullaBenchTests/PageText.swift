import Testing

/// The text of a page as a reader sees it; the page must be well-formed, with elements closed in
/// order and known character references.
struct PageText {
    private(set) var text = ""
    private(set) var headline = ""

    /// - Throws: an error that names the first thing that is not well-formed.
    init(_ source: String) throws {
        let start = "<!DOCTYPE html>\n"
        try require(source.hasPrefix(start), "it begins with its kind")
        var rest = source.dropFirst(start.count)
        var open: [String] = []
        while let mark = rest.firstIndex(of: "<") {
            try take(rest[..<mark], in: open)
            let end = try #require(rest[mark...].firstIndex(of: ">"), "an element ends")
            try Self.follow(rest[mark...end].dropFirst().dropLast(), &open)
            rest = rest[rest.index(after: end)...]
        }
        try require(open.isEmpty, "all elements are closed, not \(open)")
        try take(rest, in: open)
    }

    func contains(_ part: String) -> Bool { text.contains(part) }

    private mutating func take(_ piece: Substring, in open: [String]) throws {
        guard open.last != "style" else { return }
        let read = try Self.unescaped(piece)
        text += read
        if open.contains("h1") { headline += read }
    }

    private static func follow(_ tag: Substring, _ open: inout [String]) throws {
        if tag.first == "/" {
            let name = String(tag.dropFirst())
            try require(open.popLast() == name, "\(name) is closed in its turn")
            return
        }
        let name = tag.prefix { $0 != " " && $0 != "/" }
        let isClosed = tag.last == "/"
        try checkAttributes(tag.dropFirst(name.count).dropLast(isClosed ? 1 : 0))
        if !isClosed { open.append(String(name)) }
    }

    /// Checks attributes of the form ` name="text" name="text"`.
    private static func checkAttributes(_ text: Substring) throws {
        let pieces = text.split(separator: "\"", omittingEmptySubsequences: false)
        try require(pieces.count % 2 == 1 && pieces.last == "", "attributes stand in quotes")
        for place in stride(from: 0, to: pieces.count - 1, by: 2) {
            let name = pieces[place]
            let letters = name.dropFirst().dropLast().allSatisfy {
                $0.isLetter || "-123".contains($0)
            }
            try require(name.first == " " && name.last == "=" && letters, "an attribute: \(name)")
            _ = try unescaped(pieces[place + 1])
        }
    }

    private static func unescaped(_ text: Substring) throws -> String {
        let references = ["amp": "&", "lt": "<", "gt": ">", "quot": "\"", "#39": "'"]
        try require(!text.contains(">"), "a sign is escaped")
        var pieces = text.split(separator: "&", omittingEmptySubsequences: false)
        var read = String(pieces.removeFirst())
        for piece in pieces {
            let parts = piece.split(separator: ";", maxSplits: 1, omittingEmptySubsequences: false)
            let sign = try #require(references[String(parts[0])], "a known reference: \(piece)")
            try require(parts.count == 2, "a reference ends")
            read += sign + parts[1]
        }
        return read
    }
}

private func require(_ holds: Bool, _ sentence: Comment) throws {
    try #require(holds, sentence)
}
