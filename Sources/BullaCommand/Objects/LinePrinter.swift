internal import Bulla

/// Prints lines that a scan of objects hands on, which cannot throw what a closed output does.
struct LinePrinter {
    private let output: ByteOutput
    private var failure: (any Error)?
    private(set) var count = 0

    init(_ output: ByteOutput) { self.output = output }

    /// Prints a line.
    ///
    /// - Returns: that the scan ends, where the output has failed or somebody interrupts.
    mutating func print(_ line: [UInt8]) -> ScanStep {
        output.buffer += line
        output.buffer.append(UInt8(ascii: "\n"))
        count += 1
        do {
            try output.passOn()
        } catch {
            failure = error
        }
        return failure == nil ? .next : .stop
    }

    /// - Throws: what ended the scan.
    func finish() throws { if let failure { throw failure } }
}
