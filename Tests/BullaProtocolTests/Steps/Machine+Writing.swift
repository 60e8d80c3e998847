import BullaExploration

/// A commit up to its publication, under the writer lock.
extension Machine {
    /// Determines what the commit builds on, and which pages it may take.
    func prepare(_ state: inout State, _ index: Int) {
        let actor = state.actors[index]
        switch actor.step {
        case .takeBase:
            for meta in state.metas.compactMap(\.cached) {
                let isBehind =
                    meta.commit > state.publishedCommit
                    || meta.lastDurable > state.durable.commit
                if isBehind { state.fault = .boardBehind }
            }
            state.actors[index].image = state.published
            state.actors[index].step = rules.readsConfirmedFirst ? .askConfirmed : .askSlots
        case .askConfirmed:
            state.actors[index].confirmed =
                rules.reusesConfirmed ? state.durable.lastDurable : state.publishedCommit
            state.actors[index].step = rules.readsConfirmedFirst ? .askSlots : .writeRoot
            if !rules.readsConfirmedFirst { choosePages(&state, index) }
        default:
            askSlot(&state, index, Int(actor.index))
            state.actors[index].index += 1
            guard state.actors[index].index == state.slots.count else { return }
            state.actors[index].step = rules.readsConfirmedFirst ? .writeRoot : .askConfirmed
            if rules.readsConfirmedFirst { choosePages(&state, index) }
        }
    }

    /// Checks one reader slot, and clears it if its owner is dead.
    private func askSlot(_ state: inout State, _ index: Int, _ slot: Int) {
        let actor = state.actors[index]
        let commit = state.slots[slot]
        guard commit != 0 else { return }
        let owner = state.slotOwners[slot]
        let isOwn = owner == actor.process
        // An open file sees its own locks as free. An attempt to take such a lock releases that
        // lock.
        let seemsFree = owner == nil || isOwn && !rules.sparesOwnSlots
        if commit < state.image(actor.image).commit, seemsFree {
            state.slots[slot] = 0
            state.slotOwners[slot] = nil
        } else {
            state.actors[index].snapshots |= 1 << commit
        }
    }

    private func choosePages(_ state: inout State, _ index: Int) {
        let actor = state.actors[index]
        let image = state.image(actor.image).next(
            stamp: state.images.count, base: Int(actor.image), confirmed: actor.confirmed,
            snapshots: actor.snapshots)
        precondition(image.pageCount <= state.pages.count, "there are pages enough")
        precondition(state.images.count < DiskCell.garbage, "there are stamps enough")
        state.images.append(image)
        state.actors[index].forget()
        state.actors[index].image = UInt8(state.images.count - 1)
    }

    func write(_ state: inout State, _ index: Int) {
        let number = state.actors[index].image
        let image = state.image(number)
        switch state.actors[index].step {
        case .writeRoot:
            state.pages[Int(image.root)].write(number)
            state.actors[index].step = image.writesLeaf ? .writeLeaf : .publish
        case .writeLeaf:
            state.pages[Int(image.leaf)].write(number)
            state.actors[index].step = .publish
        case .publish:
            state.published = number
            state.actors[index].step = .releaseWriter
        default:
            state.writer = nil
            state.actors[index].step = .awaitDurable
            let verb = scene.verb(state.actors[index], index)
            if verb == .commitRelaxed { state.actors[index].finishVerb() }
        }
    }
}
