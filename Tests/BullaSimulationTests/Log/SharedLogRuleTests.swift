#if BULLA_CHECKS
import Bulla
import BullaTestSupport
import Testing

/// Breaks each rule, and expects the test of that rule to fail.
@Suite struct `A rule of a shared log that is broken` {
    struct Case: Sendable, CustomTestStringConvertible {
        let bug: PlantedBug
        let run: @Sendable () throws -> Void
        var testDescription: String { "\(bug)" }
    }

    private static let cases = [
        Case(bug: .interruptedFlushTrusted) {
            try `A flush of a shared log`()
                .`whose leader has died is made again, byte for byte`(kind: .gcm)
        },
        Case(bug: .interruptionForgotten) {
            try `A flush of a shared log`()
                .`that was interrupted is remembered until a writer has seen to it`(kind: .gcm)
        },
        Case(bug: .claimedAfterFlush) {
            try `A flush of a shared log`()
                .`ends where its leader had verified the log before`(kind: .gcm)
        },
        Case(bug: .formerPagesTrusted) {
            try `A flush of a shared log`().`covers what was written before its leader came`(
                kind: .gcm)
        },
        Case(bug: .poisonNotShared) {
            try `A flush of a shared log`().`that fails poisons the log for all`(kind: .gcm)
        },
        Case(bug: .poisonNotLatched) {
            try `A flush of a shared log`().`that fails poisons the log for all`(kind: .gcm)
        },
        Case(bug: .failedFrameLeft) {
            try `A writer of a shared log`()
                .`takes back a frame whose write has failed, and goes on`(kind: .gcm)
        },
        Case(bug: .wholeFrameOverwritten) {
            try `A writer of a shared log`().`announces the whole frame of a dead one`(kind: .gcm)
        },
        Case(bug: .logFlushSkipped) {
            try `A log that processes share`().`is durable for all when one has flushed`(kind: .gcm)
        },
        Case(bug: .formerHalfNotFlushed) {
            try `A log that processes share`().`is durable across a switch of halves`(kind: .gcm)
        },
        Case(bug: .newerMarkIgnored) {
            try `The board of a shared log`()
                .`with a record older than a mark is refused by those that join`(kind: .gcm)
        },
        Case(bug: .durableTagIgnored) {
            try `The board of a shared log`().`is refused with a commit that the log has not`()
        },
    ]

    @Test(arguments: cases)
    func `is found by its test`(broken: Case) {
        withKnownIssue {
            try PlantedBug.$current.withValue(broken.bug) { try broken.run() }
        }
    }
}
#endif
