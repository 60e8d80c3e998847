internal import BullaText

/// Bytes on their way to a file, gathered so that a short line costs no system call.
final class ByteOutput {
    private static let flushByteCount = 64 << 10

    let file: Descriptor
    /// What is not written yet: writers append here, then call ``passOn()``.
    var buffer: [UInt8] = []

    init(_ file: Descriptor = .standardOutput) { self.file = file }

    /// Writes what was gathered, once it is much.
    func passOn() throws {
        if buffer.count >= Self.flushByteCount { try flush() }
    }

    /// Writes what was gathered.
    func flush() throws {
        try file.write(buffer[...])
        buffer.removeAll(keepingCapacity: true)
    }

    /// Writes a text to standard output, now.
    static func print(_ text: String) throws {
        try Descriptor.standardOutput.write(Array(text.utf8)[...])
    }
}

/// Where messages go.
enum StandardError {
    /// Writes a text, or fails in silence: there is nobody left to tell.
    static func write(_ text: String) {
        try? Descriptor.standardError.write(Array(text.utf8)[...])
    }
}
