/// The small text files in which Linux tells about itself.
enum SystemText {
    private static let byteLimit = 1 << 22

    /// What the file says; nil where it cannot be read.
    static func contents(_ path: String) -> String? {
        guard let file = try? Descriptor.open(path),
            let bytes = try? file.readToEnd(limit: byteLimit, of: path)
        else { return nil }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// Its lines, without the line breaks.
    static func lines(_ path: String) -> [Substring] {
        contents(path)?.split(separator: "\n") ?? []
    }

    /// What stands behind `name` and a colon in the first line that begins with it.
    static func field(_ name: String, in path: String) -> String? {
        for line in lines(path) where line.hasPrefix(name) {
            guard let colon = line.firstIndex(of: ":") else { continue }
            return trimmed(line[line.index(after: colon)...])
        }
        return nil
    }

    static func word(_ path: String) -> String? {
        contents(path).map { trimmed($0[...]) }
    }

    static func trimmed(_ text: Substring) -> String {
        let isBlank: (Character) -> Bool = { $0.isWhitespace || $0 == "\0" }
        let start = text.drop(while: isBlank)
        guard let last = start.lastIndex(where: { !isBlank($0) }) else { return "" }
        return String(start[...last])
    }
}
