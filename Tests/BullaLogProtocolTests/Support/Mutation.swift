/// A rule to remove, with the scene in which its absence shows, and the fault that results.
enum Mutation: String, CaseIterable {
    case comparesChain, looksAtHeadersFirst, adoptsWholeFrames, keepsWholeFrames
    case waitsForTheLastPart, beginsOwnSegments, comparesHeaders, sparesWhatMetasNeed
    case sparesWhatTheRecordNames
    case heedsTheNewestSlot, awaitsBothNames, sparesFormerPlaces, learnsPlaces, asksAgainAtTheEnd
    case acknowledgesAfterFlush, verifiesBeforeFlush, stopsAtAnnounced, reachesOwnCommit
    case flushesBothHalves, redoesInterrupted, remembersInterrupted
    case marksWhatIsDurable, marksInTurn, flushesNewestMark
    case flushesPagesFirst, flushesOwnRanges, flushesBetweenMetas, mergesWhatIsDurable
    case finishesMetas
    case looksForRootFrames, flushesRootsBeforePosting, logsDirectCommits
    case slotsHoldCheckpoints, looksAgain, fencesTheClaim, asksDurableLast, reachesBackToTheTree
    case reportsEarlyEnds, recoversByWriting, rewritesBothMetas, knowsWhatObliges
    case boundsLockWait

    struct Plan {
        /// The rules to remove: one, or several if each of them alone would prevent the fault.
        var rules: [WritableKeyPath<Rules, Bool>]
        var choice: SceneChoice
        var fault: Fault

        init(
            _ rules: WritableKeyPath<Rules, Bool>..., in choice: SceneChoice, shows fault: Fault
        ) {
            self.rules = rules
            self.choice = choice
            self.fault = fault
        }
    }

    var plan: Plan {
        switch self {
        case .comparesChain: Plan(\.comparesChain, in: .flushing, shows: .promiseBroken)
        case .looksAtHeadersFirst:
            Plan(
                \.looksAtHeadersFirst, \.zeroesTheFormerEnd, \.keepsWholeFrames, in: .zeroing,
                shows: .promiseBroken)
        case .adoptsWholeFrames: Plan(\.adoptsWholeFrames, in: .scribbling, shows: .forked)
        case .keepsWholeFrames: Plan(\.keepsWholeFrames, in: .scribbledFailing, shows: .refused)
        case .waitsForTheLastPart: Plan(\.waitsForTheLastPart, in: .large, shows: .halved)
        case .beginsOwnSegments: Plan(\.beginsOwnSegments, in: .again, shows: .resurrected)
        case .comparesHeaders: Plan(\.comparesHeaders, in: .publishing, shows: .viewBehind)
        case .sparesWhatMetasNeed: Plan(\.sparesWhatMetasNeed, in: .reusing, shows: .refused)
        case .sparesWhatTheRecordNames:
            Plan(\.sparesWhatTheRecordNames, in: .finishing, shows: .refused)
        case .heedsTheNewestSlot: Plan(\.heedsTheNewestSlot, in: .growing, shows: .promiseBroken)
        case .awaitsBothNames: Plan(\.awaitsBothNames, in: .growing, shows: .promiseBroken)
        case .sparesFormerPlaces: Plan(\.sparesFormerPlaces, in: .moving, shows: .promiseBroken)
        case .learnsPlaces: Plan(\.learnsPlaces, in: .movedReading, shows: .refused)
        case .asksAgainAtTheEnd: Plan(\.asksAgainAtTheEnd, in: .movedWriting, shows: .forked)
        case .acknowledgesAfterFlush:
            Plan(\.acknowledgesAfterFlush, in: .flushing, shows: .promiseBroken)
        case .verifiesBeforeFlush: Plan(\.verifiesBeforeFlush, in: .flushing, shows: .promiseBroken)
        case .stopsAtAnnounced:
            Plan(\.stopsAtAnnounced, \.keepsWholeFrames, in: .failing, shows: .refused)
        case .reachesOwnCommit: Plan(\.reachesOwnCommit, in: .scribbling, shows: .promiseBroken)
        case .flushesBothHalves: Plan(\.flushesBothHalves, in: .flushing, shows: .promiseBroken)
        case .redoesInterrupted: Plan(\.redoesInterrupted, in: .flushing, shows: .promiseBroken)
        case .remembersInterrupted:
            Plan(\.remembersInterrupted, in: .interrupted, shows: .promiseBroken)
        case .marksWhatIsDurable: Plan(\.marksWhatIsDurable, in: .marking, shows: .refused)
        case .marksInTurn: Plan(\.marksInTurn, in: .damaged, shows: .cutUnnoticed)
        case .flushesNewestMark: Plan(\.flushesNewestMark, in: .marking, shows: .refused)
        case .flushesPagesFirst: Plan(\.flushesPagesFirst, in: .switching, shows: .overwritten)
        case .flushesOwnRanges: Plan(\.flushesOwnRanges, in: .switching, shows: .promiseBroken)
        case .flushesBetweenMetas: Plan(\.flushesBetweenMetas, in: .metas, shows: .refused)
        case .mergesWhatIsDurable:
            Plan(\.mergesWhatIsDurable, in: .publishing, shows: .viewOlderThanTree)
        case .finishesMetas: Plan(\.finishesMetas, in: .directDeaths, shows: .overwritten)
        case .looksForRootFrames: Plan(\.looksForRootFrames, in: .directDeaths, shows: .overwritten)
        case .flushesRootsBeforePosting:
            Plan(\.flushesRootsBeforePosting, in: .direct, shows: .viewOlderThanTree)
        case .logsDirectCommits: Plan(\.logsDirectCommits, in: .dying, shows: .promiseBroken)
        case .slotsHoldCheckpoints: Plan(\.slotsHoldCheckpoints, in: .reading, shows: .overwritten)
        case .looksAgain: Plan(\.looksAgain, in: .claiming, shows: .overwritten)
        case .fencesTheClaim: Plan(\.fencesTheClaim, in: .reading, shows: .overwritten)
        case .asksDurableLast: Plan(\.asksDurableLast, in: .reading, shows: .viewOlderThanTree)
        case .reachesBackToTheTree: Plan(\.reachesBackToTheTree, in: .reading, shows: .viewMisses)
        case .reportsEarlyEnds: Plan(\.reportsEarlyEnds, in: .damaged, shows: .cutUnnoticed)
        case .recoversByWriting: Plan(\.recoversByWriting, in: .metas, shows: .promiseBroken)
        case .rewritesBothMetas: Plan(\.rewritesBothMetas, in: .metas, shows: .refused)
        case .knowsWhatObliges: Plan(\.knowsWhatObliges, in: .flushing, shows: .refused)
        case .boundsLockWait: Plan(\.boundsLockWait, in: .stopping, shows: .stuck)
        }
    }
}
