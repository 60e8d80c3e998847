import BullaExploration

/// A snapshot: it claims its commit, looks again, and reads.
extension Machine {
    /// Takes the lock of a slot that has no owner, or whose owner is dead.
    func claimSlot(_ state: inout State, _ index: Int) {
        let free = state.slotOwners.firstIndex(of: nil)
        guard let free else { return }
        state.slotOwners[free] = state.actors[index].process
        state.slots[free] = 0
        state.actors[index].slot = UInt8(free)
    }

    func beginReading(_ state: inout State, _ index: Int) {
        let actor = state.actors[index]
        guard !scene.isShut(actor.process) else {
            state.actors[index].step = .enterGate
            return
        }
        if actor.slot == nil { claimSlot(&state, index) }
        state.actors[index].step = .look
    }

    func read(_ state: inout State, _ index: Int) {
        let actor = state.actors[index]
        let isPublished = scene.verb(actor, index) == .readPublished
        let newest = isPublished ? publishedRecord(state) : state.durable
        switch actor.step {
        case .look:
            state.actors[index].record = newest
            state.actors[index].step = .claim
        case .claim:
            state.actors[index].delayed = actor.record.commit
            if rules.fencesTheClaim { drain(&state, index) }
            state.actors[index].step = .lookAgain
        case .lookAgain:
            let isSame = !rules.looksAgain || actor.record == newest
            guard isSame else { return state.actors[index].step = .look }
            state.actors[index].isInside = false
            // What a closing process reads does not matter: it gets an error.
            state.actors[index].step = scene.isShut(actor.process) ? .unpin : .readRoot
        default:
            // If its claim is gone, the snapshot has expired; but only an outsider may have removed
            // the claim.
            let isClaimed = actor.slot.map { state.slots[Int($0)] } == actor.record.commit
            let isDisturbed = Int(state.scribbles) < scene.scribbles
            if isClaimed || !isDisturbed { state.fault = .overwritten }
            state.actors[index].step = .unpin
        }
    }

    /// The content of the published cell, whose sequence number is the commit.
    private func publishedRecord(_ state: State) -> Record {
        Record(image: state.published, commit: state.publishedCommit)
    }

    func drain(_ state: inout State, _ index: Int) {
        let actor = state.actors[index]
        if let slot = actor.slot { state.slots[Int(slot)] = actor.delayed }
        state.actors[index].delayed = 0
    }

    func readPage(_ state: State, _ index: Int) -> [State] {
        let actor = state.actors[index]
        let image = state.image(actor.record.image)
        let isRoot = actor.step == .readRoot
        let page = Int(isRoot ? image.root : image.leaf)
        let expected = isRoot ? actor.record.image : image.leafImage
        return state.pages[page].readings.map { reading in
            var next = state
            next.pages[page] = reading
            next.actors[index].step = isRoot ? .readLeaf : .unpin
            if reading.cached != expected { misread(&next, index, reading) }
            return next
        }
    }

    /// Finds an unexpected page: the snapshot ends with an error if it can tell that something is
    /// wrong.
    private func misread(_ state: inout State, _ index: Int, _ page: DiskCell) {
        state.actors[index].step = .unpin
        // Damage is reported.
        if state.wasAttacked, page.cached == DiskCell.garbage { return }
        if rules.looksAtItsSlot {
            state.actors[index].step = .lookAtSlot
        } else {
            state.fault = .overwritten
        }
    }
}

/// The gate: a thread that takes or releases a slot is inside; a close shuts it and waits.
extension Machine {
    /// Enters, then checks whether the gate is shut, in this order.
    func enter(_ state: inout State, _ index: Int) {
        let isFirst = state.actors[index].step == .enterGate
        if isFirst == rules.entersBeforeLooking {
            state.actors[index].isInside = true
        } else if state.isShut(state.actors[index].process) {
            return state.actors[index].finishVerb()
        }
        state.actors[index].step = .lookAtGate
        guard !isFirst else { return }
        if state.actors[index].slot == nil { claimSlot(&state, index) }
        state.actors[index].step = .look
    }

    /// Releases the slot, unless a close has done so.
    func unpin(_ state: inout State, _ index: Int) {
        let actor = state.actors[index]
        let isGated = scene.isShut(actor.process)
        if isGated, actor.step == .unpin {
            if rules.entersBeforeLooking {
                state.actors[index].isInside = true
            } else if state.isShut(actor.process) {
                return forgetSlot(&state, index)
            }
            state.actors[index].step = .unpinInside
            return
        }
        if isGated, rules.entersBeforeLooking, state.isShut(actor.process) {
            return forgetSlot(&state, index)
        }
        state.actors[index].delayed = 0
        if let slot = actor.slot { state.slots[Int(slot)] = 0 }
        state.actors[index].finishVerb()
    }

    private func forgetSlot(_ state: inout State, _ index: Int) {
        state.actors[index].slot = nil
        state.actors[index].finishVerb()
    }

    /// Waits for those inside, then releases all slots and the file; `false` while it waits.
    func shut(_ state: inout State, _ index: Int) -> Bool {
        let process = state.actors[index].process
        guard state.actors[index].step == .giveUp else {
            let isAnybodyInside = state.actors.contains { $0.process == process && $0.isInside }
            if isAnybodyInside, rules.waitsForThoseInside { return false }
            state.actors[index].step = .giveUp
            return true
        }
        for slot in state.slots.indices where state.slotOwners[slot] == process {
            state.slots[slot] = 0
            state.slotOwners[slot] = nil
        }
        state.presence[Int(process)] = .none
        state.actors[index].finishVerb()
        return true
    }
}
