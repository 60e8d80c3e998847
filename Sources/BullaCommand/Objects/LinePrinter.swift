internal import Bulla

/// Prints and counts lines during a scan of objects.
struct LinePrinter {
    private let output: ByteOutput
    private(set) var count = 0

    init(_ output: ByteOutput) { self.output = output }

    /// Prints a line, and returns `.next`.
    ///
    /// - Throws: if the output cannot be written.
    mutating func print(_ line: [UInt8]) throws -> ScanStep {
        output.buffer += line
        output.buffer.append(UInt8(ascii: "\n"))
        count += 1
        try output.passOn()
        return .next
    }
}
