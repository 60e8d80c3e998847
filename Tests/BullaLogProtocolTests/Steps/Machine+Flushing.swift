import BullaExploration

/// Flushing the log for all waiting processes, and marks.
extension Machine {
    func flush(_ state: inout State, _ index: Int) {
        let actor = state.actors[index]
        switch actor.step {
        case .awaitDurable:
            let isDurable = state.number(state.durable) >= actor.wanted
            state.actors[index].step = isDurable ? actor.then : .lead
        case .flushLog:
            for cell in state.log.indices where isCovered(cell / scene.cellCount, by: actor) {
                state.log[cell].flush()
            }
            state.actors[index].step = .postDurable
        default:
            postDurable(&state, index)
        }
    }

    /// Whether a leader's flush covers a stretch of pages.
    private func isCovered(_ stretch: Int, by actor: Actor) -> Bool {
        let isLeading = Int(actor.halves[actor.leadingHalf]) == stretch
        return rules.flushesBothHalves ? actor.halves.contains(stretch) : isLeading
    }

    /// Takes the flush lock, and determines what the flush will cover; `false` while the actor must
    /// wait.
    func lead(_ state: inout State, _ index: Int) -> Bool {
        let actor = state.actors[index]
        if state.number(state.durable) >= actor.wanted {
            state.actors[index].step = actor.then
            return true
        }
        guard state.flusher == nil else { return givesUp(&state, index, waitingFor: state.flusher) }
        state.flusher = UInt8(index)
        useRecordedPlaces(&state, index)
        let places = places(state, from: state.tree(state.checkpoint))
        let verified = verified(state, index, places)
        if state.isFlushing { state.wasInterrupted = true }
        if state.wasInterrupted, rules.redoesInterrupted {
            writeAgain(&state, from: state.number(state.durable), to: verified.last)
        }
        state.isFlushing = true
        remember(&state, index, verified)
        state.actors[index].step = rules.acknowledgesAfterFlush ? .flushLog : .postDurable
        return true
    }

    /// How far the log is whole, looking no further than the announcement or the leader's own
    /// commit, whichever is later.
    private func verified(_ state: State, _ index: Int, _ places: [Place]) -> Place {
        let wanted = rules.reachesOwnCommit ? state.actors[index].wanted : 0
        let limit = max(state.announced, wanted)
        let within = places.filter { state.number($0.last) <= limit || !rules.stopsAtAnnounced }
        return within.last ?? places[0]
    }

    /// Records what the leader has verified, and which half the flush covers if it covers only one.
    private func remember(_ state: inout State, _ index: Int, _ verified: Place) {
        state.actors[index].leading = verified.last
        state.actors[index].leadingHalf = verified.use % 2
    }

    private func postDurable(_ state: inout State, _ index: Int) {
        let actor = state.actors[index]
        var frame = actor.leading
        if !rules.verifiesBeforeFlush {
            let places = places(state, from: state.tree(state.checkpoint))
            frame = verified(state, index, places).last
        }
        if state.number(frame) > state.number(state.durable) {
            state.durable = frame
            state.promise(frame)
        }
        state.isFlushing = false
        if state.writer == UInt8(index) || !rules.remembersInterrupted {
            state.wasInterrupted = false
        }
        state.flusher = nil
        state.actors[index].leading = 0
        state.actors[index].leadingHalf = 0
        state.actors[index].step = actor.then
    }

    /// Rewrites the frames after a commit, and their headers, with what the kernel returns when
    /// they are read.
    func writeAgain(_ state: inout State, from commit: UInt8, to last: UInt8) {
        for cell in state.log.indices {
            guard let stamp = state.log[cell].cached else { continue }
            let entry = state.entry(stamp)
            let isFrame = entry.isFrame && entry.number > commit
            let isHeader = entry.kind == .header && entry.number >= commit
            let isCovered = state.descends(last, from: isHeader ? entry.before : stamp)
            if isCovered, isFrame || isHeader { state.log[cell].write(stamp) }
        }
    }

    /// Begins to replace the older mark with one that says how far the log is durable, unless a
    /// flush is under way.
    func beginMark(_ state: inout State, _ index: Int) {
        guard state.flusher == nil else { return state.actors[index].finishVerb() }
        state.flusher = UInt8(index)
        state.actors[index].step = .rewriteMark
    }

    private func markNumbers(_ state: State) -> [UInt8] {
        state.marks.map { mark in
            guard let stamp = mark.cached, stamp != DiskCell.garbage else { return 0 }
            return state.number(stamp)
        }
    }

    func mark(_ state: inout State, _ index: Int) {
        switch state.actors[index].step {
        case .rewriteMark:
            // Another process's newest mark may exist only in the page cache; flush it before
            // overwriting the other slot.
            let numbers = markNumbers(state)
            let isOwn = numbers.max() == state.actors[index].marked
            state.actors[index].step = .writeMark
            guard !isOwn, rules.flushesNewestMark else { return }
            let slot = numbers[0] >= numbers[1] ? 0 : 1
            if let stamp = state.marks[slot].cached { state.marks[slot].write(stamp) }
            state.actors[index].step = .flushNewestMark
        case .flushNewestMark:
            flushMarks(&state)
            state.actors[index].step = .writeMark
        case .writeMark:
            let frame = rules.marksWhatIsDurable ? state.durable : state.published
            let numbers = markNumbers(state)
            let isNew = state.number(frame) > (numbers.max() ?? 0)
            let isFirstOlder = numbers[0] <= numbers[1]
            let slot = isFirstOlder == rules.marksInTurn ? 0 : 1
            if isNew { state.marks[slot].writeTearing(frame) }
            state.actors[index].step = isNew ? .flushMark : .releaseFlush
        case .flushMark:
            flushMarks(&state)
            state.actors[index].marked = state.floor
            state.actors[index].step = .releaseFlush
        default:
            state.flusher = nil
            state.actors[index].finishVerb()
        }
    }

    private func flushMarks(_ state: inout State) {
        state.flushMarks()
        state.floor = markNumbers(state).max() ?? 0
    }
}
