import BullaTestSupport
import Foundation

/// What a writer reports about a batch that it knows to be committed.
package struct BatchReport: Sendable {
    package let zone: TrialZone
    package let writer: Int
    package let number: UInt64
    /// The version of the batch's first change.
    package let first: UInt64
    /// How often the writer has tried to commit the batch, or to find out whether it is committed.
    package let attemptCount: UInt64
    /// When the successful call of `commit` began and ended, on the clock of ``now``; `nil` if the
    /// writer has found the batch committed by asking for its outcome.
    package let call: Range<UInt64>?

    init(
        _ zone: TrialZone, writer: Int, _ number: UInt64, first: UInt64, attemptCount: UInt64,
        call: Range<UInt64>?
    ) {
        (self.zone, self.writer, self.number) = (zone, writer, number)
        (self.first, self.attemptCount, self.call) = (first, attemptCount, call)
    }

    /// The nanoseconds since the machine was started, the same in all processes.
    package static var now: UInt64 { DispatchTime.now().uptimeNanoseconds }

    /// The zone and six numbers.
    var text: String {
        let (start, end) = (call?.lowerBound ?? 0, call?.upperBound ?? 0)
        return "\(zone.text) \(writer) \(number) \(first) \(attemptCount) \(start) \(end)"
    }

    package init(_ text: String) throws {
        let parts = text.split(separator: " ")
        let numbers = parts.dropFirst().compactMap { UInt64($0) }
        guard parts.count == 7, numbers.count == 6, numbers[4] <= numbers[5] else {
            throw WorkerFailure.impossible("a writer has said \(text)")
        }
        let call = numbers[5] == 0 ? nil : numbers[4]..<numbers[5]
        self.init(
            try TrialZone(parts[0]), writer: Int(clamping: numbers[0]), numbers[1],
            first: numbers[2], attemptCount: numbers[3], call: call)
    }
}
