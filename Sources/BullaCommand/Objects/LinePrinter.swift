internal import Bulla

/// Prints lines during a scan of objects, whose closure cannot throw the errors of the output.
struct LinePrinter {
    private let output: ByteOutput
    private var failure: (any Error)?
    private(set) var count = 0

    init(_ output: ByteOutput) { self.output = output }

    /// Prints a line.
    ///
    /// - Returns: `.stop` if the output has failed, or the user interrupts.
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

    /// - Throws: the error that stopped the scan.
    func finish() throws { if let failure { throw failure } }
}
