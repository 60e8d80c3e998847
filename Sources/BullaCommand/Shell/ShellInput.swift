internal import Bulla
internal import BullaText

/// A source of a shell's lines.
protocol ShellInput: AnyObject {
    /// Whether a user types the lines, and so can correct a line that fails.
    var isInteractive: Bool { get }
    /// The input's name and the number of the line that ``next(_:_:)`` returned last, for use in
    /// error messages; `nil` if a user types the lines.
    var place: String? { get }

    /// The next line; `nil` at the end of the input.
    func next(_ prompt: String, _ completion: ShellCompletion) throws -> [UInt8]?
}

/// Lines from a pipe or a file, or from a terminal without line editing.
final class PlainInput: ShellInput {
    let isInteractive: Bool
    private let input: ByteReader
    private var number = 0

    init(_ input: ByteReader, isInteractive: Bool) {
        self.input = input
        self.isInteractive = isInteractive
    }

    var place: String? { isInteractive ? nil : "\(input.file.name): line \(number)" }

    func next(_ prompt: String, _ completion: ShellCompletion) throws -> [UInt8]? {
        if isInteractive { try ByteOutput.print(prompt) }
        guard let line = try input.line(at: 0) else { return nil }
        if !isInteractive { try input.check(line) }
        number = input.line
        let bytes = Array(input[0..<line.end])
        input.advance(past: line.next, lines: 1)
        return bytes
    }
}

/// The lines that the user has typed; they are kept in memory, and in a file only on request.
final class ShellHistory {
    private static let lineLimit = 1000

    private var lines: [String]
    private let file: Descriptor?
    /// The index of the line that is shown; `lines.count` while the new line is shown.
    private var index = 0
    private var unfinished = ""

    /// - Parameter path: a file that keeps the lines, including any keys and values in them, for
    ///   the next session; `nil` for none.
    /// - Throws: ``CommandExit/noPermission`` if others can read the file.
    init(file path: String?) throws {
        file = try path.map { try Descriptor.appending($0) }
        lines = []
        guard let file else { return }
        let input = ByteReader(try InputFile(file))
        while let line = try input.line(at: 0) {
            let bytes = Array(input[0..<line.end])
            if let text = String(validating: bytes, as: UTF8.self) { keep(text) }
            input.advance(past: line.next, lines: 1)
        }
    }

    /// Begins a new line.
    func begin() { (index, unfinished) = (lines.count, "") }

    /// The line before the one that is shown; `nil` if there is none.
    ///
    /// - Parameter shown: the text that is shown; if that is the new line, ``newer()`` can bring it
    ///   back.
    func older(_ shown: String) -> String? {
        guard index > 0 else { return nil }
        if index == lines.count { unfinished = shown }
        index -= 1
        return lines[index]
    }

    /// The line after the one that is shown; `nil` if there is none.
    func newer() -> String? {
        guard index < lines.count else { return nil }
        index += 1
        return index == lines.count ? unfinished : lines[index]
    }

    func add(_ line: String) throws {
        guard !line.isEmpty, line != lines.last else { return }
        keep(line)
        try file?.write(Array((line + "\n").utf8)[...])
    }

    private func keep(_ line: String) {
        if lines.count == Self.lineLimit { lines.removeFirst() }
        lines.append(line)
    }
}
