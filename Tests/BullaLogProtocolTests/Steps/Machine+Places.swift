import BullaExploration

/// Moving a half, and reusing the pages of its former place.
///
/// If no half can move, both slots name a tree before the record is posted. Otherwise the record is
/// posted after the first slot, as in the engine, so the use of a moved half, and of its former
/// place, must wait for the second.
extension Machine {
    /// The page that a stretch contains while it is not a half of the log.
    private func page(in stretch: Int) -> UInt8 { UInt8(4 + stretch) }

    /// Whether both slots place the halves where the record does.
    func isNamed(_ state: State, _ halves: Halves) -> Bool {
        let newest = Int(state.begunSlot ?? state.lastSlot)
        let isSaid = [newest, 1 - newest].map { slot in
            state.metas[slot].cached.map { state.tree($0).halves == halves } ?? true
        }
        return (isSaid[0] || !rules.heedsTheNewestSlot) && (isSaid[1] || !rules.awaitsBothNames)
    }

    /// The stretches that are not halves, and that neither a slot nor a reader needs.
    private func freeStretches(_ state: State, beside tree: Tree) -> [Int] {
        let held = heldPages(state)
        let slots = rules.sparesFormerPlaces ? state.metas.compactMap(\.cached) : []
        let named = [tree.halves] + (slots + [state.checkpoint]).map { state.tree($0).halves }
        return (0..<scene.stretchCount).filter { stretch in
            !named.contains { $0.contains(stretch) } && !held.contains(page(in: stretch))
        }
    }

    /// The pages of the newest tree, of readers' trees, and of trees that a slot names.
    private func heldPages(_ state: State) -> Set<UInt8> {
        let named = scene.movesHalves ? state.metas.compactMap(\.cached) : []
        return Set(
            [state.tree(state.checkpoint).page] + named.map { state.tree($0).page }
                + state.slots.flatMap { pages(state, heldBy: $0) })
    }

    /// Moves a half of the log to a free stretch: the half that this checkpoint sets free, or, if a
    /// writer makes the checkpoint in order to move a half (`grow`), the half that is free already.
    func moveHalf(_ state: inout State, _ index: Int, _ tree: inout Tree) {
        let next = tree.place.use + 1
        let isFreed = state.tree(tree.base).place.use < tree.place.use
        let isGrown = scene.verb(state.actors[index], index) == .grow && isFree(state, next)
        guard state.moves > 0, isFreed || isGrown,
            let stretch = freeStretches(state, beside: tree).first
        else { return }
        state.moves -= 1
        tree.halves[next] = UInt8(stretch)
        fill(&state, stretch)
        state.pages[Int(page(in: stretch))].write(DiskCell.garbage)
    }

    /// Overwrites a stretch with random bytes.
    private func fill(_ state: inout State, _ stretch: Int) {
        let first = stretch * scene.cellCount
        for cell in first..<first + scene.cellCount where state.log[cell].cached != Entry.nothing {
            state.log[cell].write(Entry.nothing)
        }
    }

    /// The page of a new tree: in the former place of a half, once that may be reused; otherwise
    /// the first free page.
    func page(_ state: State, for tree: Tree) -> UInt8 {
        let held = heldPages(state)
        if scene.movesHalves {
            let former = freeStretches(state, beside: tree).first { hasFrames(state, $0) }
            if let former { return page(in: former) }
        }
        let page = (UInt8(0)..<4).first { !held.contains($0) }
        precondition(page != nil, "there are pages enough")
        return page ?? 0
    }

    private func hasFrames(_ state: State, _ stretch: Int) -> Bool {
        let first = stretch * scene.cellCount
        return state.log[first].cached.map { $0 != Entry.nothing } ?? false
    }

    /// Writes a tree's page, and overwrites the former log cells if the page lies in their place.
    func writePage(_ state: inout State, _ tree: UInt8) {
        let page = state.tree(tree).page
        state.pages[Int(page)].write(tree)
        if page >= 4 { fill(&state, Int(page) - 4) }
    }

    /// The cells outside the log's halves that a tree's flush covers.
    func spareCells(_ state: State) -> [Int] {
        let halves = state.tree(state.checkpoint).halves
        return state.log.indices.filter { !halves.contains($0 / scene.cellCount) }
    }

    /// The slot to write first: an opener rewrites the slot that it has found, and a process that
    /// takes over from a dead one rewrites the slot that the dead one began; otherwise it is the
    /// slot that was not flushed last.
    func firstSlot(_ state: State, _ index: Int) -> Int {
        let tree = state.actors[index].tree
        let isOpening = scene.verb(state.actors[index], index) == .open
        guard scene.movesHalves, !isOpening else { return state.metas[1].cached == tree ? 1 : 0 }
        return Int(state.begunSlot ?? 1 - state.lastSlot)
    }

    func beginNaming(_ state: inout State, in slot: Int) {
        if scene.movesHalves { state.begunSlot = UInt8(slot) }
    }

    /// Posts which slot was flushed last.
    func endNaming(_ state: inout State, in slot: Int) {
        guard scene.movesHalves else { return }
        state.lastSlot = UInt8(slot)
        state.begunSlot = nil
    }

    /// Names the record's tree in the other slot, too.
    func confirm(_ state: inout State, _ index: Int) {
        state.actors[index].slot = state.lastSlot
        state.actors[index].step = .writeOtherMeta
    }
}
