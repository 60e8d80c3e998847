import BullaExploration

/// Opening alone or with others, recovery, and closing.
extension Machine {
    private func others(_ state: State, _ process: UInt8) -> [State.Presence] {
        state.presence.indices.filter { $0 != Int(process) }.map { state.presence[$0] }
    }

    /// Takes the presence byte: exclusively if no process has it, otherwise shared with the others.
    func beginOpening(_ state: inout State, _ index: Int) -> Bool {
        let process = state.actors[index].process
        let locks = others(state, process).filter { $0 != .unheld }
        if locks.allSatisfy({ $0 == .none }) {
            state.presence[Int(process)] = rules.recoversAlone ? .exclusive : .unheld
            state.actors[index].step = .makeWorld
            return true
        }
        guard !locks.contains(.exclusive) else { return isKeptOut(&state, index) }
        state.presence[Int(process)] = .joining
        state.actors[index].step = .join
        return true
    }

    /// Gives up after a while if a stopped process is alone with the store.
    private func isKeptOut(_ state: inout State, _ index: Int) -> Bool {
        let isStopped = state.presence.indices.contains {
            state.presence[$0] == .exclusive && state.isStopped(UInt8($0))
        }
        guard rules.boundsLockWait, isStopped else { return false }
        state.actors[index].step = .refused
        return true
    }

    /// Enters if another process is inside; starts again if the last one has just left.
    func join(_ state: inout State, _ index: Int) {
        let process = state.actors[index].process
        // Every process that uses the coordination file holds a lock; if nobody does, the file is a
        // leftover.
        guard others(state, process).contains(.shared) else {
            state.presence[Int(process)] = .none
            state.actors[index].step = .idle
            return
        }
        state.presence[Int(process)] = .shared
        state.actors[index].finishVerb()
    }

    func makeWorld(_ state: inout State, _ index: Int) {
        let process = state.actors[index].process
        if others(state, process).contains(where: { $0 != .none }) { state.fault = .secondWorld }
        state.slots = state.slots.map { _ in 0 }
        state.published = 0
        state.durable = Record()
        state.posted = Record()
        state.isFlushing = false
        state.actors[index].step = .readMetas
    }

    func readMetas(_ state: State, _ index: Int) -> [State] {
        var states: [State] = []
        for first in state.metas[0].readings {
            for second in state.metas[1].readings {
                var next = state
                next.metas = [first, second]
                let records = next.metas.compactMap(\.cached).sorted { $0.flush > $1.flush }
                next.actors[index].record = records[0]
                next.actors[index].former = records[1]
                next.actors[index].step = .verify
                if records[0].isConfirmed, rules.stopsAtConfirmed {
                    next.actors[index].step =
                        rules.rewritesConfirmed ? .rewriteMeta : .postRecovered
                }
                states.append(next)
            }
        }
        return states
    }

    /// Checks those pages of the newest commit that the last durable commit did not have.
    func verify(_ state: State, _ index: Int) -> [State] {
        let record = state.actors[index].record
        let image = state.image(record.image)
        var states: [State] = []
        for root in state.pages[Int(image.root)].readings {
            for leaf in state.pages[Int(image.leaf)].readings {
                var next = state
                let isOldLeaf = image.leafBirth <= record.lastDurable
                next.pages[Int(image.root)] = root
                if !isOldLeaf { next.pages[Int(image.leaf)] = leaf }
                let isWhole =
                    root.cached == record.image && (isOldLeaf || leaf.cached == image.leafImage)
                if isWhole {
                    next.actors[index].step = rules.recoversByWriting ? .writeAgain : .postRecovered
                } else {
                    fallBack(&next, index)
                }
                states.append(next)
            }
        }
        return states
    }

    /// Falls back to the previous commit, unless a later one was confirmed.
    private func fallBack(_ state: inout State, _ index: Int) {
        let newest = state.actors[index].record
        let older = state.actors[index].former
        let isAllowed = older.commit >= newest.lastDurable && older.commit < newest.commit
        guard isAllowed || !rules.stopsAtConfirmed else {
            state.presence[Int(state.actors[index].process)] = .none
            state.actors[index].forget()
            state.actors[index].step = .refused
            if !state.wasAttacked { state.fault = .refused }
            return
        }
        var record = older
        record.lastDurable = older.commit
        record.metaSlot = 1 - older.metaSlot
        record.flush = newest.flush + 1
        state.actors[index].record = record
        state.actors[index].step = .rewriteMeta
    }

    func writeAgain(_ state: inout State, _ index: Int) {
        let record = state.actors[index].record
        writeAgain(&state, image: record.image, since: record.lastDurable)
        state.actors[index].step = .rewriteMeta
    }

    func rewriteMeta(_ state: inout State, _ index: Int) {
        let record = state.actors[index].record
        state.metas[Int(record.metaSlot)].write(record)
        state.actors[index].step = .flushRecovered
    }

    func postRecovered(_ state: inout State, _ index: Int) {
        let actor = state.actors[index]
        state.published = actor.record.image
        state.durable = actor.record
        state.posted = actor.record
        // An unconfirmed commit can be given up as damaged, with a report.
        if state.wasAttacked { state.promised = actor.record.image }
        state.promise(actor.record)
        if actor.record.commit < state.confirmedFloor { state.fault = .fellPastConfirmed }
        state.presence[Int(actor.process)] = .shared
        state.actors[index].finishVerb()
    }

    // MARK: Closing

    /// Begins to close once the other threads of the process are done: first, what is published is
    /// flushed.
    func beginClosing(_ state: inout State, _ index: Int) -> Bool {
        let process = state.actors[index].process
        for other in state.actors.indices where other != index {
            let actor = state.actors[other]
            if actor.process == process, !actor.hasEnded(scene, other) { return false }
        }
        state.actors[index].image = state.published
        state.actors[index].step = .awaitDurable
        return true
    }

    /// Leaves the store; the last process to do so first confirms the newest commit, and removes
    /// the coordination file.
    func leave(_ state: inout State, _ index: Int) {
        let process = state.actors[index].process
        guard others(state, process).allSatisfy({ $0 == .none }) else {
            return close(&state, index)
        }
        state.presence[Int(process)] = .exclusive
        state.actors[index].step = .confirm
    }

    func close(_ state: inout State, _ index: Int) {
        release(&state, state.actors[index].process)
        state.actors[index].finishVerb()
    }
}
