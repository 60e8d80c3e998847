internal import Glibc

/// Lines between a worker and its test.
package enum Line {
    /// Writes a line in one call, so that a reader never sees only a part of it.
    package static func say(_ text: String) { write(text, to: STDOUT_FILENO) }

    package static func say(_ name: String, _ value: some BinaryInteger) { say("\(name)=\(value)") }

    package static func complain(_ text: String) { write(text, to: STDERR_FILENO) }

    private static func write(_ text: String, to descriptor: Int32) {
        let bytes = Array((text + "\n").utf8)
        // SAFETY: the array outlives the call.
        _ = unsafe Glibc.write(descriptor, bytes, bytes.count)
    }

    /// Waits for the next line of standard input; `false` at its end.
    @discardableResult
    package static func await() -> Bool { next() != nil }

    /// The next line of standard input; `nil` at its end.
    package static func next() -> String? {
        var (line, byte): ([UInt8], UInt8) = ([], 0)
        while true {
            // SAFETY: there is room for the one byte requested.
            let count = unsafe read(STDIN_FILENO, &byte, 1)
            if count < 0 && errno == EINTR { continue }
            guard count == 1 else { return nil }
            if byte == UInt8(ascii: "\n") { return String(decoding: line, as: UTF8.self) }
            line.append(byte)
        }
    }

    /// Waits for the end of standard input.
    package static func awaitEnd() { while self.await() {} }
}

extension WorkerExit {
    /// Ends the process.
    package func leave() -> Never { exit(rawValue) }
}
