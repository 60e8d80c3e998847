internal import Bulla
internal import BullaText

/// A source of a shell's lines.
protocol ShellInput: AnyObject {
    /// Whether a user types the lines, and can correct one that fails.
    var isInteractive: Bool { get }
    /// The position of the last line, for a message.
    var place: String? { get }

    /// The next line; `nil` at the end.
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

/// The lines that were typed: in memory, and in a file only on request.
final class ShellHistory {
    private static let lineLimit = 1000

    private var lines: [String]
    private let file: Descriptor?
    /// The index of the shown line; the number of lines if it is the new one.
    private var index = 0
    private var unfinished = ""

    /// - Parameter path: a file that keeps the lines for the next session, keys and values
    ///   included.
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

    /// The line before the shown one, which is saved if it is the new one.
    func older(_ shown: String) -> String? {
        guard index > 0 else { return nil }
        if index == lines.count { unfinished = shown }
        index -= 1
        return lines[index]
    }

    /// The line after the shown one.
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
