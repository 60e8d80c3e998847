import BullaExploration

/// Waiting for a flush, and flushing for all waiters.
extension Machine {
    func waitForFlush(_ state: inout State, _ index: Int) {
        let actor = state.actors[index]
        switch actor.step {
        case .awaitDurable:
            state.actors[index].turns = state.turns
            state.actors[index].step = .lead
            guard state.durable.commit >= state.image(actor.image).commit else { return }
            if scene.verb(actor, index) == .close {
                state.actors[index].step = .leave
            } else {
                state.actors[index].finishVerb()
            }
        case .lead:
            let isFree = state.flusher == nil
            if isFree { state.flusher = UInt8(index) }
            state.actors[index].step = isFree ? .finishInterrupted : .fallAsleep
        default:
            // The futex compares before sleeping.
            let isNew = state.turns != actor.turns
            state.actors[index].step = isNew ? .awaitDurable : .asleep
        }
    }

    /// Wakes a sleeper to check the lock; that is needed only if a process has died or is stopped.
    func wakes(_ state: inout State, _ index: Int) -> Bool {
        let isNeeded = Int(state.deaths) < scene.deaths || state.stopped != 0
        guard rules.probesTheLeader, isNeeded, state.flusher == nil else { return false }
        state.actors[index].step = .awaitDurable
        return true
    }

    /// Gives up waiting for a stopped leader after a while; the commit exists but is not durable
    /// yet, and a store that was to be closed stays open.
    func timesOut(_ state: inout State, _ index: Int) -> Bool {
        guard rules.boundsFlushWait, state.isStopped(holder: state.flusher) else { return false }
        let image = state.actors[index].image
        if !rules.tellsWhatIsNotDurable, state.image(image).commit > state.durable.commit {
            state.promised = image
        }
        state.actors[index].finishVerb()
        return true
    }

    func prepareFlush(_ state: inout State, _ index: Int) {
        let actor = state.actors[index]
        switch actor.step {
        case .finishInterrupted:
            if rules.raisesTheDurable { state.raiseDurable() }
            state.actors[index].step = .beginFlush
            state.actors[index].record = nextRecord(state)
            if state.durable.commit >= state.image(actor.image).commit {
                state.actors[index].step = .releaseFlush
            } else if state.isFlushing, rules.redoesInterrupted {
                writeAgain(&state, image: state.published, since: state.durable.commit)
            }
        case .beginFlush:
            state.isFlushing = true
            state.actors[index].step = .writeMeta
        default:
            state.metas[Int(actor.record.metaSlot)].write(actor.record)
            state.actors[index].step = .flush
        }
    }

    /// The record of the next flush: the newest published commit, in the other meta slot.
    private func nextRecord(_ state: State) -> Record {
        var record = Record()
        record.image = state.published
        record.commit = state.publishedCommit
        record.lastDurable = state.durable.commit
        record.metaSlot =
            rules.takesTheOtherMeta ? 1 - state.durable.metaSlot : state.durable.metaSlot
        record.flush = state.durable.flush + 1
        return record
    }

    /// Rewrites the pages that are younger than a commit, with what the kernel reads from them.
    func writeAgain(_ state: inout State, image number: UInt8, since commit: UInt8) {
        let image = state.image(number)
        if image.commit > commit { state.pages[Int(image.root)].write(number) }
        if image.leafBirth > commit { state.pages[Int(image.leaf)].write(image.leafImage) }
    }

    func finishFlush(_ state: inout State, _ index: Int) {
        let actor = state.actors[index]
        switch actor.step {
        case .postDurable:
            state.posted = actor.record
            state.actors[index].step = .raiseDurable
        case .raiseDurable:
            state.durable = actor.record
            state.promise(actor.record)
            state.actors[index].step = .endFlush
        case .endFlush:
            state.isFlushing = false
            state.actors[index].step = rules.tellsAfterRelease ? .releaseFlush : .tell
        case .releaseFlush:
            state.flusher = nil
            state.actors[index].step = rules.tellsAfterRelease ? .tell : .goOn
        case .tell:
            tell(&state)
            state.actors[index].step = rules.tellsAfterRelease ? .goOn : .releaseFlush
        default:
            state.actors[index].record = Record()
            let isConfirm = scene.verb(actor, index) == .confirm
            if isConfirm { state.actors[index].finishVerb() }
            if !isConfirm { state.actors[index].step = .awaitDurable }
        }
    }

    private func tell(_ state: inout State) {
        state.turns += 1
        for index in state.actors.indices where state.actors[index].step == .asleep {
            state.actors[index].step = .awaitDurable
        }
    }

    /// Begins to confirm, unless a flush is under way; then its leader confirms.
    func beginConfirming(_ state: inout State, _ index: Int) {
        guard state.flusher == nil else { return state.actors[index].finishVerb() }
        state.flusher = UInt8(index)
        state.actors[index].step = .confirm
    }

    /// Names the durable commit in the other meta slot, too; the caller holds the flush lock, or is
    /// alone.
    func confirm(_ state: inout State, _ index: Int) {
        let actor = state.actors[index]
        switch actor.step {
        case .confirm:
            if rules.raisesTheDurable { state.raiseDurable() }
            var record = state.durable
            record.lastDurable = record.commit
            record.metaSlot = 1 - record.metaSlot
            record.flush += 1
            state.actors[index].record = record
            state.actors[index].step = .writeConfirmed
            if state.durable.isConfirmed {
                endConfirming(&state, index)
            } else if rules.marksConfirming {
                if state.isFlushing {
                    writeAgain(&state, image: state.published, since: state.durable.commit)
                }
                state.isFlushing = true
            }
        case .writeConfirmed:
            state.metas[Int(actor.record.metaSlot)].write(actor.record)
            state.actors[index].step = .flushConfirmed
        default:
            state.posted = actor.record
            state.durable = actor.record
            state.promise(actor.record)
            if rules.marksConfirming { state.isFlushing = false }
            endConfirming(&state, index)
        }
    }

    private func endConfirming(_ state: inout State, _ index: Int) {
        let isClosing = scene.verb(state.actors[index], index) == .close
        if isClosing { close(&state, index) } else { state.actors[index].step = .releaseFlush }
    }
}
