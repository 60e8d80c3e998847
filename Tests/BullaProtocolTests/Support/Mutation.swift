/// A removed rule, with the scene in which its absence shows, and the fault that follows.
enum Mutation: String, CaseIterable {
    case looksAgain, fencesTheClaim, reusesConfirmed, readsConfirmedFirst, sparesOwnSlots
    case takesTheOtherMeta, probesTheLeader, tellsAfterRelease, redoesInterrupted, recoversByWriting
    case raisesTheDurable
    case rewritesConfirmed, marksConfirming, stopsAtConfirmed, recoversAlone
    case waitsForThoseInside, entersBeforeLooking, boundsLockWait, boundsFlushWait
    case tellsWhatIsNotDurable, looksAtItsSlot

    var rule: WritableKeyPath<Rules, Bool> {
        switch self {
        case .looksAgain: \.looksAgain
        case .fencesTheClaim: \.fencesTheClaim
        case .reusesConfirmed: \.reusesConfirmed
        case .readsConfirmedFirst: \.readsConfirmedFirst
        case .sparesOwnSlots: \.sparesOwnSlots
        case .takesTheOtherMeta: \.takesTheOtherMeta
        case .probesTheLeader: \.probesTheLeader
        case .tellsAfterRelease: \.tellsAfterRelease
        case .redoesInterrupted: \.redoesInterrupted
        case .recoversByWriting: \.recoversByWriting
        case .raisesTheDurable: \.raisesTheDurable
        case .rewritesConfirmed: \.rewritesConfirmed
        case .marksConfirming: \.marksConfirming
        case .stopsAtConfirmed: \.stopsAtConfirmed
        case .recoversAlone: \.recoversAlone
        case .waitsForThoseInside: \.waitsForThoseInside
        case .entersBeforeLooking: \.entersBeforeLooking
        case .boundsLockWait: \.boundsLockWait
        case .boundsFlushWait: \.boundsFlushWait
        case .tellsWhatIsNotDurable: \.tellsWhatIsNotDurable
        case .looksAtItsSlot: \.looksAtItsSlot
        }
    }

    var choice: SceneChoice {
        switch self {
        case .looksAgain, .fencesTheClaim: .reading
        case .readsConfirmedFirst: .asking
        case .sparesOwnSlots: .ownSlots
        case .probesTheLeader, .tellsAfterRelease: .flushing
        case .redoesInterrupted: .takingOver
        case .raisesTheDurable: .looking
        case .marksConfirming: .confirming
        case .reusesConfirmed, .takesTheOtherMeta, .recoversByWriting, .rewritesConfirmed:
            .recovering
        case .stopsAtConfirmed: .attacked
        case .recoversAlone: .coming
        case .waitsForThoseInside, .entersBeforeLooking: .shutting
        case .boundsLockWait, .boundsFlushWait, .tellsWhatIsNotDurable: .stopping
        case .looksAtItsSlot: .zeroed
        }
    }

    var fault: Fault {
        switch self {
        case .looksAgain, .fencesTheClaim, .readsConfirmedFirst, .sparesOwnSlots,
            .waitsForThoseInside, .entersBeforeLooking, .looksAtItsSlot:
            .overwritten
        case .probesTheLeader, .tellsAfterRelease, .boundsLockWait, .boundsFlushWait: .stuck
        case .reusesConfirmed, .redoesInterrupted, .recoversByWriting, .marksConfirming,
            .raisesTheDurable, .tellsWhatIsNotDurable:
            .promiseBroken
        case .takesTheOtherMeta, .rewritesConfirmed: .refused
        case .stopsAtConfirmed: .fellPastConfirmed
        case .recoversAlone: .secondWorld
        }
    }
}
