/// A snapshot: it says which commit it stands on, looks again, and reads.
extension Machine {
    /// Takes the lock of a slot whose owner is nobody, or dead.
    func claimSlot(_ state: inout State, _ index: Int) {
        let free = state.slotOwners.firstIndex(of: nil)
        guard let free else { return }
        state.slotOwners[free] = state.actors[index].process
        state.slots[free] = 0
        state.actors[index].slot = UInt8(free)
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
            state.actors[index].step = isSame ? .readRoot : .look
        default:
            state.actors[index].delayed = 0
            if let slot = actor.slot { state.slots[Int(slot)] = 0 }
            state.actors[index].finishVerb()
        }
    }

    /// What stands in the published cell; its sequence is its commit.
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
            if reading.cached != expected {
                // Damage is reported, and the snapshot ends.
                next.actors[index].step = .unpin
                let isDamage = state.wasAttacked && reading.cached == PageCell.garbage
                if !isDamage { next.fault = .overwritten }
            }
            return next
        }
    }
}
