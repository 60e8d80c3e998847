/// Reads a pipe line by line.
package final class LineReader {
    let descriptor: Descriptor
    private var bytes: [UInt8] = []

    package init(_ descriptor: Descriptor) {
        self.descriptor = descriptor
    }

    /// The next line without its line break; nil at the end.
    ///
    /// - Parameter timeLimit: seconds to wait for more; nil: for ever.
    /// - Throws: ``BenchExit/worker`` when that time is over.
    package func next(timeLimit: Int? = nil) throws -> [UInt8]? {
        var searched = 0
        while true {
            if let end = bytes[searched...].firstIndex(of: UInt8(ascii: "\n")) {
                defer { bytes.removeFirst(end + 1) }
                return Array(bytes[..<end])
            }
            searched = bytes.count
            guard try readMore(timeLimit) else { return nil }
        }
    }

    private func readMore(_ timeLimit: Int?) throws -> Bool {
        if let timeLimit, try !descriptor.waitUntilReadable(seconds: timeLimit) {
            throw BenchError(.worker, "no answer within \(timeLimit) seconds")
        }
        let piece = try descriptor.read(upTo: 1 << 16)
        bytes += piece
        return !piece.isEmpty
    }
}
