import BullaExploration

/// Accidents: deaths, power losses, damage, and writes by outsiders.
extension Machine {
    func accidents(_ state: State) -> [(Move, State)] {
        var moves: [(Move, State)] = []
        for process in UInt8(0)..<UInt8(scene.processCount) {
            if state.deaths > 0 { moves += deaths(state, process) }
            moves += stops(state, process)
        }
        if state.powerLosses > 0 { moves.append((Move(kind: .powerLoss), losePower(state))) }
        if state.failures > 0 { moves += failures(state) }
        if state.scribbles > 0 { moves += scribbles(state) }
        if state.damages > 0, state.presence.allSatisfy({ $0 == .none }) {
            moves += damages(state)
        }
        if state.slotDamages > 0, state.presence.allSatisfy({ $0 == .none }) {
            moves += slotDamages(state)
        }
        return moves
    }

    /// Stops a process at any step, or lets a stopped process continue.
    ///
    /// A stopped process keeps all its locks, and may never continue.
    private func stops(_ state: State, _ process: UInt8) -> [(Move, State)] {
        var next = state
        if state.isStopped(process) {
            next.stopped &= ~(1 << process)
            return [(Move(kind: .goOn, subject: process), next)]
        }
        guard state.stops > 0, state.presence[Int(process)] != .none else { return [] }
        next.stops -= 1
        next.stopped |= 1 << process
        return [(Move(kind: .stop, subject: process), next)]
    }

    private func deaths(_ state: State, _ process: UInt8) -> [(Move, State)] {
        let actors = state.actors.indices.filter { state.actors[$0].process == process }
        let isLiving = actors.contains { !state.actors[$0].hasEnded(scene, $0) }
        guard isLiving || state.presence[Int(process)] != .none else { return [] }
        let dead = kill(state, process)
        var moves = [(Move(kind: .death, subject: process), dead)]
        for index in actors {
            guard let failed = failFlush(dead, at: state.actors[index].step) else { continue }
            moves.append((Move(kind: .deathInFlush, subject: process), failed))
        }
        return moves
    }

    /// Marks data as clean although the kernel could not write it.
    ///
    /// The kernel does so after a failed flush. Here, the caller of that flush is dead. A flush of
    /// the whole file would include frames that others wait for. The kernel reports the error to
    /// files that were open, but not to those opened later.
    private func failFlush(_ state: State, at step: Actor.Step) -> State? {
        var next = state
        switch step {
        case .flushLog, .flushRecovered:
            for cell in next.log.indices { next.log[cell].isDirty = false }
        case .flushPages, .flushMeta, .flushOtherMeta:
            for cell in next.log.indices where !rules.flushesOwnRanges {
                next.log[cell].isDirty = false
            }
            for page in next.pages.indices { next.pages[page].isDirty = false }
            for slot in next.metas.indices { next.metas[slot].isDirty = false }
            for cell in spareCells(next) { next.log[cell].isDirty = false }
        case .flushMark, .flushNewestMark:
            for slot in next.marks.indices { next.marks[slot].isDirty = false }
        default:
            return nil
        }
        return next
    }

    /// Kills a process; the kernel releases its locks, and what it wrote to shared memory stays.
    private func kill(_ state: State, _ process: UInt8) -> State {
        var next = state
        next.deaths -= 1
        next.stopped &= ~(1 << process)
        next.presence[Int(process)] = .none
        for index in next.actors.indices where next.actors[index].process == process {
            release(&next, index)
            stop(&next.actors[index], startsAgain: scene.startsAgain)
        }
        return next
    }

    /// Releases an actor's locks and its slot.
    func release(_ state: inout State, _ index: Int) {
        if state.writer == UInt8(index) { state.writer = nil }
        if state.tree == UInt8(index) { state.tree = nil }
        if state.flusher == UInt8(index) { state.flusher = nil }
        state.slots[index] = 0
    }

    private func stop(_ actor: inout Actor, startsAgain: Bool) {
        actor.forgetVerb()
        actor.forgetLog()
        actor.verb = 0
        actor.isAfterwards = true
        actor.step = startsAgain ? .idle : .dead
    }

    private func losePower(_ state: State) -> State {
        var next = state
        next.powerLosses -= 1
        next.stopped = 0
        for index in next.pages.indices { next.pages[index].losePower() }
        for index in next.metas.indices { next.metas[index].losePower() }
        for index in next.marks.indices { next.marks[index].losePower() }
        for index in next.log.indices { next.log[index].losePower() }
        for index in next.actors.indices {
            release(&next, index)
            stop(&next.actors[index], startsAgain: true)
        }
        next.presence = next.presence.map { _ in .none }
        next.announced = 1
        next.durable = Entry.beginning
        next.published = Entry.beginning
        next.checkpoint = 0
        endNaming(&next, in: 0)
        next.isFlushing = false
        next.wasInterrupted = false
        return next
    }

    /// The write that completes a frame reports a failure, although the whole frame is there.
    private func failures(_ state: State) -> [(Move, State)] {
        state.actors.indices.filter { state.actors[$0].step == .announce }.map { index in
            var next = state
            next.failures -= 1
            if !rules.keepsWholeFrames { next.actors[index].step = .zeroFailed }
            return (Move(kind: .failure, subject: UInt8(index)), next)
        }
    }

    /// An outsider overwrites the announcement with a lower or a higher number.
    private func scribbles(_ state: State) -> [(Move, State)] {
        [UInt8(0), 30].map { word in
            var next = state
            next.scribbles -= 1
            next.announced = word
            return (Move(kind: .scribble, subject: word), next)
        }
    }

    private func damages(_ state: State) -> [(Move, State)] {
        state.log.indices.filter { state.log[$0].cached.map { $0 > 1 } ?? false }.map { cell in
            var next = state
            next.damages -= 1
            next.wasDamaged = true
            next.log[cell] = DiskCell(stamp: Entry.nothing)
            return (Move(kind: .damage, subject: UInt8(cell)), next)
        }
    }

    /// One of two slots on the disk is lost; the other one suffices.
    private func slotDamages(_ state: State) -> [(Move, State)] {
        guard state.metas.allSatisfy(isOnDisk) else { return [] }
        return state.metas.indices.map { slot in
            var next = state
            next.slotDamages -= 1
            next.metas[slot] = DiskCell(stamp: DiskCell.garbage)
            return (Move(kind: .slotDamage, subject: UInt8(slot)), next)
        }
    }

    private func isOnDisk(_ cell: DiskCell) -> Bool {
        var left = cell
        left.losePower()
        return left.cached.map { $0 != DiskCell.garbage } ?? false
    }
}
