import BullaExploration

/// Accidents: deaths, power losses, and changes to the file by outsiders.
extension Machine {
    func accidents(_ state: State) -> [(Move, State)] {
        var moves: [(Move, State)] = []
        if state.deaths > 0 {
            for process in UInt8(0)..<UInt8(scene.processCount) {
                moves += deaths(state, process)
            }
        }
        moves += stops(state)
        if state.scribbles > 0 { moves += scribbles(state) }
        if state.powerLosses > 0 { moves.append((Move(kind: .powerLoss), losePower(state))) }
        if state.attacks > 0, state.presence.allSatisfy({ $0 == .none }) {
            moves += attacks(state)
        }
        return moves
    }

    /// Stops a process at any step; it keeps all its locks, and continues later or never.
    private func stops(_ state: State) -> [(Move, State)] {
        var moves: [(Move, State)] = []
        for process in UInt8(0)..<UInt8(scene.processCount) {
            var next = state
            if state.isStopped(process) {
                next.stopped &= ~(1 << process)
                moves.append((Move(kind: .goOn, subject: process), next))
            } else if state.stops > 0, state.presence[Int(process)] != .none {
                next.stops -= 1
                next.stopped |= 1 << process
                moves.append((Move(kind: .stop, subject: process), next))
            }
        }
        return moves
    }

    /// An outsider erases a snapshot's claim.
    private func scribbles(_ state: State) -> [(Move, State)] {
        state.slots.indices.filter { state.slots[$0] != 0 }.map { slot in
            var next = state
            next.scribbles -= 1
            next.slots[slot] = 0
            return (Move(kind: .scribble, subject: UInt8(slot)), next)
        }
    }

    private func deaths(_ state: State, _ process: UInt8) -> [(Move, State)] {
        let actors = state.actors.indices.filter { state.actors[$0].process == process }
        let isLiving = actors.contains { !state.actors[$0].hasEnded(scene, $0) }
        guard isLiving || state.presence[Int(process)] != .none else { return [] }
        let dead = kill(state, process)
        var moves = [(Move(kind: .death, subject: process), dead)]
        let isFlushing = actors.contains {
            switch state.actors[$0].step {
            case .flush, .flushConfirmed, .flushRecovered: true
            default: false
            }
        }
        if isFlushing {
            moves.append((Move(kind: .deathInFlush, subject: process), failFlush(dead)))
        }
        return moves
    }

    /// Lets the flush of a dead process fail; afterwards, data that the kernel could not write
    /// counts as clean.
    ///
    /// The pages of a commit that is still being written are assumed not to be lost. Only the
    /// errors that the kernel keeps for each open file could reveal such a loss.
    private func failFlush(_ state: State) -> State {
        var next = state
        let unpublished = state.actors.filter { $0.step == .writeLeaf || $0.step == .publish }
        for page in next.pages.indices {
            let isSpared = unpublished.contains { $0.image == next.pages[page].cached }
            if !isSpared { next.pages[page].isDirty = false }
        }
        for slot in next.metas.indices { next.metas[slot].isDirty = false }
        return next
    }

    /// The kernel releases a dead process's locks; what the process wrote to shared memory stays.
    private func kill(_ state: State, _ process: UInt8) -> State {
        var next = state
        next.deaths -= 1
        next.stopped &= ~(1 << process)
        for index in next.actors.indices where next.actors[index].process == process {
            if next.writer == UInt8(index) { next.writer = nil }
            if next.flusher == UInt8(index) { next.flusher = nil }
            stop(&next.actors[index], startsAgain: scene.startsAgain)
        }
        release(&next, process)
        return next
    }

    private func stop(_ actor: inout Actor, startsAgain: Bool) {
        actor.forget()
        actor.delayed = 0
        actor.slot = nil
        actor.verb = 0
        actor.isAfterwards = true
        actor.step = startsAgain ? .idle : .dead
    }

    /// Releases the locks that a process's open file holds.
    func release(_ state: inout State, _ process: UInt8) {
        state.presence[Int(process)] = .none
        for slot in state.slots.indices where state.slotOwners[slot] == process {
            state.slotOwners[slot] = nil
        }
        for index in state.actors.indices where state.actors[index].process == process {
            state.actors[index].slot = nil
        }
    }

    private func losePower(_ state: State) -> State {
        var next = state
        next.powerLosses -= 1
        next.stopped = 0
        next.shut = 0
        for page in next.pages.indices { next.pages[page].losePower() }
        for slot in next.metas.indices { next.metas[slot].losePower() }
        next.writer = nil
        next.flusher = nil
        next.isFlushing = false
        next.published = 0
        next.durable = Record()
        next.posted = Record()
        for index in next.actors.indices { stop(&next.actors[index], startsAgain: true) }
        for process in next.presence.indices { release(&next, UInt8(process)) }
        for slot in next.slots.indices { next.slots[slot] = 0 }
        return next
    }

    /// Damages a page of the newest commit, and restores the older meta slot's former content.
    private func attacks(_ state: State) -> [(Move, State)] {
        let records = state.metas.compactMap(\.cached).sorted { $0.flush > $1.flush }
        guard records.count == 2 else { return [] }
        let image = state.image(records[0].image)
        let slot = Int(records[1].metaSlot)
        guard let former = state.metas[slot].former else { return [] }
        return [image.root, image.leaf].map { page in
            var next = state
            next.attacks -= 1
            next.wasAttacked = true
            next.pages[Int(page)] = DiskCell(stamp: DiskCell.garbage)
            next.metas[slot] = MetaCell(former)
            return (Move(kind: .attack, subject: page), next)
        }
    }
}
