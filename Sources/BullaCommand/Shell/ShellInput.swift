/// Where the lines of a shell come from.
protocol ShellInput: AnyObject {
    /// Whether somebody types them, and can mend one that fails.
    var isInteractive: Bool { get }
    /// Where the line stands that was given last, for a message.
    var place: String? { get }

    /// The next line; `nil` at the end.
    func next(_ prompt: String, _ completion: ShellCompletion) throws -> [UInt8]?
}

/// Lines from a pipe or a file, or from a terminal that cannot be written over.
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
