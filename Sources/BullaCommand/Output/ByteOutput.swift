internal import BullaText

/// A buffer in front of a file, so that short lines do not cost a system call each.
final class ByteOutput {
    private static let flushByteCount = 64 << 10

    let file: Descriptor
    /// The bytes not yet written: append here, then call ``passOn()``.
    var buffer: [UInt8] = []

    init(_ file: Descriptor = .standardOutput) { self.file = file }

    /// Writes the buffer if it is large.
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

/// Standard error, to which messages go.
enum StandardError {
    /// Writes a text; ignores a failure, because there is nowhere to report it.
    static func write(_ text: String) {
        try? Descriptor.standardError.write(Array(text.utf8)[...])
    }
}
