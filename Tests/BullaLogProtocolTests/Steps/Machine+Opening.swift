import BullaExploration

/// Opening alone or with others, recovery, and closing.
extension Machine {
    private func others(_ state: State, _ process: UInt8) -> [State.Presence] {
        state.presence.indices.filter { $0 != Int(process) }.map { state.presence[$0] }
    }

    /// Enters alone and recovers, or joins the others.
    func beginOpening(_ state: inout State, _ index: Int) -> Bool {
        let process = state.actors[index].process
        let locks = others(state, process)
        if locks.contains(.exclusive) {
            let opener = state.actors.firstIndex {
                state.presence[Int($0.process)] == .exclusive
            }
            return givesUp(&state, index, waitingFor: opener.map { UInt8($0) })
        }
        let isAlone = locks.allSatisfy { $0 == .none }
        state.presence[Int(process)] = isAlone ? .exclusive : .shared
        if isAlone {
            state.actors[index].step = .makeWorld
        } else {
            state.actors[index].finishVerb()
        }
        return true
    }

    func makeWorld(_ state: inout State, _ index: Int) {
        state.world += 1
        state.slots = state.slots.map { _ in 0 }
        state.announced = 1
        state.durable = Entry.beginning
        state.published = Entry.beginning
        state.checkpoint = 0
        endNaming(&state, in: 0)
        state.isFlushing = false
        state.wasInterrupted = false
        state.actors[index].step = .readMetas
    }

    /// Takes the newest meta that verifies; such a meta is whole.
    func readMetas(_ state: State, _ index: Int) -> [State] {
        var states: [State] = []
        for first in state.metas[0].readings {
            for second in state.metas[1].readings {
                var next = state
                next.metas = [first, second]
                let whole = next.metas.compactMap(\.cached).filter { $0 != DiskCell.garbage }
                if let tree = whole.max(by: { next.tree($0).number < next.tree($1).number }) {
                    beginReplay(&next, index, from: tree)
                } else {
                    next.fault = .refused
                }
                states.append(next)
            }
        }
        return states
    }

    private func beginReplay(_ state: inout State, _ index: Int, from tree: UInt8) {
        state.checkpoint = tree
        beginFollowing(&state, index)
        useRecordedPlaces(&state, index)
        state.actors[index].tree = tree
        let isSame = state.metas.allSatisfy { $0.cached == tree }
        let isDone = isSame && !rules.rewritesBothMetas
        state.actors[index].step = isDone ? .replay : .writeMeta
    }

    func replay(_ state: State, _ index: Int) -> [State] {
        let actor = state.actors[index]
        guard let place = actor.place else { return [] }
        return next(state, place, in: actor.halves).map { answer in
            var next = answer.state
            guard answer.isFound else {
                next.actors[index].step = .judge
                return next
            }
            move(&next, index, to: answer.place)
            if let root = next.actors[index].root { next.actors[index].tree = root }
            return next
        }
    }

    /// Checks whether the log ends too early.
    func judge(_ state: State, _ index: Int) -> [State] {
        let actor = state.actors[index]
        guard let place = actor.place else { return [] }
        let beginning = cell(actor.halves, place.use + 1, 0)
        var states: [State] = []
        for first in state.marks[0].readings {
            for second in state.marks[1].readings {
                for (header, obliged) in unreachedHeader(state, place, beginning) {
                    var next = state
                    next.marks = [first, second]
                    next.log[beginning] = header
                    judge(&next, index, place, obliged)
                    states.append(next)
                }
            }
        }
        return states
    }

    /// The possible readings of the next half's header, each with the commit that the header
    /// guarantees.
    ///
    /// The chain of frames has ended before the header, but it must have reached that commit.
    private func unreachedHeader(
        _ state: State, _ place: Place, _ beginning: Int
    ) -> [(DiskCell, UInt8)] {
        state.log[beginning].readings { stamp in
            let entry = state.entry(stamp)
            return entry.kind == .header && entry.use == place.use + 1
        }.map { reading in
            guard let found = reading.found else { return (reading.cell, 0) }
            let entry = state.entry(found)
            return (reading.cell, rules.knowsWhatObliges ? entry.durable : entry.number)
        }
    }

    private func judge(_ state: inout State, _ index: Int, _ place: Place, _ obliged: UInt8) {
        let marks = state.marks.compactMap(\.cached).filter { $0 != DiskCell.garbage }
        let must = (marks.map { state.number($0) } + [obliged]).max() ?? 0
        let isShort = state.number(place.last) < must || marks.isEmpty
        if isShort, rules.reportsEarlyEnds {
            if !state.wasDamaged { state.fault = .refused }
            state.presence[Int(state.actors[index].process)] = .none
            state.actors[index].forgetVerb()
            state.actors[index].step = .refused
            return
        }
        let base = state.commit(ofTree: state.actors[index].tree)
        if rules.recoversByWriting { writeAgain(&state, from: max(must, base), to: place.last) }
        state.actors[index].step = .flushRecovered
    }

    func flushRecovered(_ state: inout State, _ index: Int) {
        state.flushLog()
        state.actors[index].step = .postRecovered
    }

    func postRecovered(_ state: inout State, _ index: Int) {
        let actor = state.actors[index]
        guard let last = actor.place?.last else { return }
        if state.wasDamaged {
            // Commits that no mark covers can be cut off unnoticed.
            if state.number(last) < state.floor { state.fault = .cutUnnoticed }
            state.promised = last
        }
        state.promise(last)
        state.durable = last
        state.published = last
        state.announced = state.number(last)
        state.checkpoint = actor.tree
        state.presence[Int(actor.process)] = .shared
        state.actors[index].finishVerb()
    }

    // MARK: Closing

    /// Closes once the other threads of the process are done: flushes the announced frames, and
    /// makes a checkpoint if this is the last process.
    func beginClosing(_ state: inout State, _ index: Int) -> Bool {
        let process = state.actors[index].process
        for other in state.actors.indices where other != index {
            let actor = state.actors[other]
            if actor.process == process, !actor.hasEnded(scene, other) { return false }
        }
        let isLast = others(state, process).allSatisfy { $0 == .none }
        state.actors[index].wanted = state.announced
        state.actors[index].then = .leave
        state.actors[index].step = isLast ? .takeTree : .awaitDurable
        return true
    }

    func leave(_ state: inout State, _ index: Int) {
        state.presence[Int(state.actors[index].process)] = .none
        state.actors[index].forgetLog()
        state.actors[index].finishVerb()
    }
}
