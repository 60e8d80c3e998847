import BullaExploration

/// A commit up to its announcement, under the writer's lock.
extension Machine {
    func beginCommit(_ state: inout State, _ index: Int) {
        state.writer = UInt8(index)
        state.actors[index].step = scene.movesHalves ? .learn : .catchUp
    }

    /// Follows the log to its end, beyond the announced frames.
    func catchUp(_ state: State, _ index: Int) -> [State] {
        var state = state
        if state.actors[index].place == nil { beginFollowing(&state, index) }
        let actor = state.actors[index]
        guard let place = actor.place else { return [] }
        let isAnnounced = state.number(place.last) >= state.announced
        if isAnnounced, !rules.adoptsWholeFrames {
            state.actors[index].step = .makeRoom
            return [state]
        }
        return next(state, place, in: actor.halves).map { answer in
            var next = answer.state
            if answer.isFound {
                move(&next, index, to: answer.place)
            } else if hasToBeginAnew(next, index, at: place) {
                beginFollowing(&next, index)
                if scene.movesHalves { next.actors[index].step = .learn }
            } else {
                adopt(&next, index, upTo: place.last)
            }
            return next
        }
    }

    /// Whether a writer that finds no next frame has to begin anew, because this is not the end.
    private func hasToBeginAnew(_ state: State, _ index: Int, at place: Place) -> Bool {
        let isShort = state.number(place.last) < state.number(state.durable)
        if isShort, rules.asksAgainAtTheEnd, hasNewerRecord(state, index) { return true }
        let halves = state.actors[index].halves
        return rules.comparesHeaders && isOvertaken(state, at: place, in: halves)
    }

    /// Announces the log up to its last whole frame: a whole frame counts as a commit, even if its
    /// writer died before announcing it.
    private func adopt(_ state: inout State, _ index: Int, upTo last: UInt8) {
        let isCutOff = state.entry(state.entry(last).segment).author != state.world
        if last != state.published, isCutOff { state.fault = .resurrected }
        if state.number(last) < state.number(state.durable) { state.fault = .refused }
        announce(&state, last)
        state.actors[index].step = .makeRoom
    }

    private func announce(_ state: inout State, _ frame: UInt8) {
        if !state.descends(frame, from: state.published) { state.fault = .forked }
        state.announced = state.number(frame)
        state.published = frame
    }

    /// Decides where the next frame goes: into the current segment, a new one, or the other half.
    func makeRoom(_ state: inout State, _ index: Int) {
        let actor = state.actors[index]
        guard let place = actor.place else { return }
        guard !state.wasInterrupted else { return redoInterrupted(&state, index, place.last) }
        let verb = scene.verb(actor, index)
        if verb == .grow { return state.actors[index].step = .takeTree }
        let end = scene.cellCount - (verb == .commitLarge ? 2 : 1)
        let isOwn = place.segment != 0 && state.entry(place.segment).author == state.world
        let goesOn = isOwn || place.segment != 0 && !rules.beginsOwnSegments
        if goesOn, place.offset <= end {
            state.actors[index].step = verb == .commitLarge ? .appendPart : .append
            if verb == .direct { state.actors[index].step = .takeTree }
        } else if segmentOffset(state, place, end: end) != nil {
            state.actors[index].step = .beginSegment
        } else {
            state.actors[index].step = .takeTree
        }
    }

    /// Repairs an interrupted flush, now that every frame that was written has been announced.
    private func redoInterrupted(_ state: inout State, _ index: Int, _ last: UInt8) {
        guard state.number(state.durable) < state.number(last) else {
            state.wasInterrupted = false
            return
        }
        state.actors[index].wanted = state.number(last)
        state.actors[index].then = .makeRoom
        state.actors[index].step = .awaitDurable
    }

    /// Where a new segment begins: in the same half if the current segment is another world's and
    /// there is room, otherwise in the other half if that is free.
    private func segmentOffset(_ state: State, _ place: Place, end: Int) -> (UInt8, UInt8)? {
        let isOwn = place.segment != 0 && state.entry(place.segment).author == state.world
        let offset = place.segment == 0 && place.offset == 0 ? 0 : place.offset + 1
        if !isOwn, offset < end { return (place.use, offset) }
        return isFree(state, place.use + 1) ? (place.use + 1, 0) : nil
    }

    /// Whether a use can begin, because its half is no longer needed.
    func isFree(_ state: State, _ use: UInt8) -> Bool {
        let metas = state.metas.compactMap(\.cached).map { state.tree($0) }
        let record = state.tree(state.checkpoint)
        guard isNamed(state, record.halves) else { return false }
        guard use > 1 else { return true }
        let isUnneeded: (Tree) -> Bool = { $0.place.use >= use - 1 }
        let spares = metas.allSatisfy(isUnneeded) || !rules.sparesWhatMetasNeed
        return spares && (isUnneeded(record) || !rules.sparesWhatTheRecordNames)
    }

    func beginSegment(_ state: inout State, _ index: Int) {
        let actor = state.actors[index]
        let isLarge = scene.verb(actor, index) == .commitLarge
        let end = scene.cellCount - (isLarge ? 2 : 1)
        guard let place = actor.place, let (use, offset) = segmentOffset(state, place, end: end)
        else { return }
        let header = Entry(
            kind: .header, before: place.last, number: state.number(place.last),
            durable: state.number(state.durable), use: use, author: state.world)
        let stamp = state.stamp(of: header)
        useRecordedPlaces(&state, index)
        let halves = state.actors[index].halves
        state.log[cell(halves, use, offset)].write(stamp)
        if use == place.use, offset > place.offset, rules.zeroesTheFormerEnd {
            state.log[cell(halves, use, place.offset)].write(Entry.nothing)
        }
        let next = Place(use: use, offset: offset + 1, segment: stamp, last: place.last)
        move(&state, index, to: next)
        state.actors[index].step = .makeRoom
    }

    func append(_ state: inout State, _ index: Int) {
        let actor = state.actors[index]
        guard var place = actor.place else { return }
        if actor.step == .appendPart {
            let part = state.stamp(of: frame(state, actor, .part, after: place.last))
            state.log[cell(actor.halves, place.use, place.offset)].write(part)
            state.actors[index].frame = part
            state.actors[index].step = .append
            return
        }
        if actor.frame == 0 {
            state.actors[index].frame =
                state.stamp(of: frame(state, actor, .ordinary, after: place.last))
        } else if state.entry(actor.frame).kind == .part {
            let last = frame(state, actor, .ordinary, after: actor.frame)
            state.actors[index].frame = state.stamp(of: last)
            place.offset += 1
        }
        state.log[cell(actor.halves, place.use, place.offset)].write(state.actors[index].frame)
        state.actors[index].step = .announce
    }

    func frame(
        _ state: State, _ actor: Actor, _ kind: Entry.Kind, after before: UInt8, tree: UInt8 = 0
    ) -> Entry {
        let isInside = state.entry(before).kind == .part
        return Entry(
            kind: kind, before: before, number: state.number(before) + (isInside ? 0 : 1),
            segment: actor.place?.segment ?? 0, author: actor.process, tree: tree)
    }

    /// Removes an unannounced frame whose write has failed; only a writer without the rule
    /// `keepsWholeFrames` does this.
    func zeroFailed(_ state: inout State, _ index: Int) {
        let actor = state.actors[index]
        guard let place = actor.place else { return }
        state.log[cell(actor.halves, place.use, place.offset)].write(Entry.nothing)
        state.writer = nil
        state.actors[index].finishVerb()
    }

    func publish(_ state: inout State, _ index: Int) {
        let actor = state.actors[index]
        guard var place = actor.place else { return }
        if actor.step == .announce {
            announce(&state, actor.frame)
            place.offset += scene.verb(actor, index) == .commitLarge ? 2 : 1
            place.last = actor.frame
            move(&state, index, to: place)
            state.actors[index].step = .releaseWriter
            return
        }
        state.writer = nil
        let verb = scene.verb(actor, index)
        guard verb != .commitRelaxed else { return state.actors[index].finishVerb() }
        state.actors[index].wanted = state.number(actor.frame)
        let isEarly = verb == .direct && !rules.flushesRootsBeforePosting
        state.actors[index].then = verb == .direct ? .postCheckpoint : .acknowledge
        state.actors[index].step = isEarly ? .postCheckpoint : .awaitDurable
    }

    /// Reports the commit as durable, which it must really be by then.
    func acknowledge(_ state: inout State, _ index: Int) {
        let frame = state.actors[index].frame
        if frame != 0, !state.descends(state.durable, from: frame) { state.fault = .promiseBroken }
        state.actors[index].finishVerb()
    }
}
