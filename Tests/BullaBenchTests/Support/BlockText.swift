/// The part of YAML that a job file uses: mappings, lists and blocks of text, by indentation.
///
/// - Source: YAML 1.2.2, chapter 8, without anchors, tags, and flow collections other than `{}`.
struct BlockText {
    /// Values by their paths, such as `spec/template/spec/containers/0/name`.
    private(set) var values: [String: String] = [:]
    /// The numbers of lines that are none of these.
    private(set) var strangeLines: [Int] = []
    private var open: [(indent: Int, name: String)] = []
    private var counts: [String: Int] = [:]
    /// The block of text being read, and the indentation of its parent.
    private var block: (path: String, indent: Int)?

    init(_ lines: [Substring]) {
        for (index, line) in lines.enumerated() where !takeText(line) { take(line, index + 1) }
    }

    /// The values of a list, in order.
    func list(_ path: String) -> [String] {
        (0..<1_000).map { values["\(path)/\($0)"] }.prefix { $0 != nil }.compactMap { $0 }
    }

    private mutating func takeText(_ line: Substring) -> Bool {
        guard let (path, indent) = block else { return false }
        let depth = line.prefix { $0 == " " }.count
        guard depth > indent || line.isEmpty else { block = nil; return false }
        values[path, default: ""] += line.drop { $0 == " " } + "\n"
        return true
    }

    private mutating func take(_ line: Substring, _ number: Int) {
        var indent = line.prefix { $0 == " " }.count
        var rest = line.dropFirst(indent)
        guard let first = rest.first, first != "#" else { return }
        open.removeAll { $0.indent >= indent }
        while rest.hasPrefix("- ") {
            let list = path
            open.append((indent, "\(counts[list, default: 0])"))
            counts[list, default: 0] += 1
            rest = rest.dropFirst(2)
            indent += 2
        }
        let word = rest.prefix { $0.isLetter || $0.isNumber || $0 == "." || $0 == "/" }
        let behind = rest.dropFirst(word.count)
        if behind == ":" {
            open.append((indent, String(word)))
        } else if behind.hasPrefix(": ") {
            open.append((indent, String(word)))
            set(behind.dropFirst(2), indent)
        } else if open.last.map({ Int($0.name) != nil }) ?? false {
            set(rest, open.last?.indent ?? 0)
        } else {
            strangeLines.append(number)
        }
    }

    private mutating func set(_ text: Substring, _ indent: Int) {
        if text == "|" {
            block = (path, indent)
        } else {
            values[path] = text.hasPrefix("\"") ? String(text.dropFirst().dropLast()) : String(text)
        }
    }

    private var path: String { open.map(\.name).joined(separator: "/") }
}
