internal import BullaText

/// A buffer in front of a file, so that a short line does not cost a system call.
final class ByteOutput {
    private static let flushByteCount = 64 << 10

    let file: Descriptor
    /// The bytes not yet written: append here, then call ``passOn()``.
    var buffer: [UInt8] = []

    init(_ file: Descriptor = .standardOutput) { self.file = file }

    /// Writes the buffer once it is large.
    func passOn() throws {
        if buffer.count >= Self.flushByteCount { try flush() }
    }

    /// Writes the buffer.
    func flush() throws {
        try file.write(buffer[...])
        buffer.removeAll(keepingCapacity: true)
    }

    /// Writes a text to standard output at once.
    static func print(_ text: String) throws {
        try Descriptor.standardOutput.write(Array(text.utf8)[...])
    }
}

/// The output for messages.
enum StandardError {
    /// Writes a text, and ignores failures: they cannot be reported anywhere.
    static func write(_ text: String) {
        try? Descriptor.standardError.write(Array(text.utf8)[...])
    }
}
