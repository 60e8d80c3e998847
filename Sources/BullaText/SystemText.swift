/// The small text files in which Linux describes the system: see proc(5) and sysfs(5).
package struct SystemText: Sendable {
    /// The contents of the file at a path; nil if it cannot be read.
    package let contents: @Sendable (String) -> String?

    package init(contents: @escaping @Sendable (String) -> String?) { self.contents = contents }

    /// The lines of a file, without line breaks.
    package func lines(_ path: String) -> [Substring] {
        contents(path)?.split(separator: "\n") ?? []
    }

    package func word(_ path: String) -> String? { contents(path).map { Self.trimmed($0[...]) } }

    /// A list of numbers; nil if there is no such file, or it contains no list.
    package func list(_ path: String) -> [Int]? { word(path).flatMap(NumberList.parsed) }

    /// The text after the colon, in the first line that begins with `name` and has a colon.
    package func field(_ name: String, in path: String) -> String? {
        for line in lines(path) where line.hasPrefix(name) {
            guard let colon = line.firstIndex(of: ":") else { continue }
            return Self.trimmed(line[line.index(after: colon)...])
        }
        return nil
    }

    /// The number of bytes given by a line such as `Node 0 MemTotal: 24684096 kB`; 0 if there is no
    /// such line.
    package func byteCount(of name: String, in path: String) -> Int {
        for words in lines(path).map({ $0.split(whereSeparator: \.isWhitespace) }) {
            guard let at = words.firstIndex(of: name + ":"), at + 1 < words.count else { continue }
            return (Int(words[at + 1]) ?? 0) << 10
        }
        return 0
    }

    package static func trimmed(_ text: Substring) -> String {
        let isBlank: (Character) -> Bool = { $0.isWhitespace || $0 == "\0" }
        let start = text.drop(while: isBlank)
        guard let last = start.lastIndex(where: { !isBlank($0) }) else { return "" }
        return String(start[...last])
    }
}

/// A line of `/proc/self/mountinfo`; see proc_pid_mountinfo(5).
package struct Mount {
    /// The part of the file system that is mounted at ``point``.
    package let root: String
    package let point: String
    package let options: String
    package let kind: String
    package let source: String
    /// The options of the whole file system; the options of this mount are in ``options``.
    package let ownOptions: String

    package static func all(_ text: String) -> [Mount] {
        text.split(separator: "\n").compactMap { Mount($0) }
    }

    private init?(_ line: Substring) {
        let words = line.split(separator: " ").map(String.init)
        guard let dash = words.firstIndex(of: "-"), dash >= 6, words.count > dash + 3 else {
            return nil
        }
        (root, point, options) = (words[3], words[4], words[5])
        (kind, source, ownOptions) = (words[dash + 1], words[dash + 2], words[dash + 3])
    }
}
