import BullaExploration

/// Giving a half another place, and using again the pages where it was.
///
/// As a rule metas are named in both slots before the record is posted; where halves move, after
/// the first, as the engine does it: so the second is what everybody has to wait for.
extension Machine {
    /// The page that lies in a stretch while that is no half of the log.
    private func page(in stretch: Int) -> UInt8 { UInt8(4 + stretch) }

    /// Whether both slots say that the halves lie where the record says it.
    func isNamed(_ state: State, _ halves: Halves) -> Bool {
        let newest = Int(state.begunSlot ?? state.lastSlot)
        let isSaid = [newest, 1 - newest].map { slot in
            state.metas[slot].cached.map { state.tree($0).halves == halves } ?? true
        }
        return (isSaid[0] || !rules.heedsTheNewestSlot) && (isSaid[1] || !rules.awaitsBothNames)
    }

    /// The stretches that are no half, and that neither a slot nor a reader needs.
    private func freeStretches(_ state: State, beside tree: Tree) -> [Int] {
        let held = heldPages(state)
        let slots = rules.sparesFormerPlaces ? state.metas.compactMap(\.cached) : []
        let named = [tree.halves] + (slots + [state.checkpoint]).map { state.tree($0).halves }
        return (0..<scene.stretchCount).filter { stretch in
            !named.contains { $0.contains(stretch) } && !held.contains(page(in: stretch))
        }
    }

    /// The pages that the newest tree has, or a reader's, or one that a slot names.
    private func heldPages(_ state: State) -> Set<UInt8> {
        let named = scene.movesHalves ? state.metas.compactMap(\.cached) : []
        return Set(
            [state.tree(state.checkpoint).page] + named.map { state.tree($0).page }
                + state.slots.flatMap { pages(state, heldBy: $0) })
    }

    /// Moves the half that a checkpoint sets free, or that is free for the writer who makes it.
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

    /// Writes random bytes over a stretch.
    private func fill(_ state: inout State, _ stretch: Int) {
        let first = stretch * scene.cellCount
        for cell in first..<first + scene.cellCount where state.log[cell].cached != Entry.nothing {
            state.log[cell].write(Entry.nothing)
        }
    }

    /// The page of a new tree: where a half was, as soon as that may be; else the first free one.
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

    /// Writes a tree's page, over what was the log's where it lies there.
    func writePage(_ state: inout State, _ tree: UInt8) {
        let page = state.tree(tree).page
        state.pages[Int(page)].write(tree)
        if page >= 4 { fill(&state, Int(page) - 4) }
    }

    /// What the flush of a tree covers of what was the log's, or will be.
    func spareCells(_ state: State) -> [Int] {
        let halves = state.tree(state.checkpoint).halves
        return state.log.indices.filter { !halves.contains($0 / scene.cellCount) }
    }

    /// The slot that is written first: what an opener has found, or somebody left who died, is
    /// written again; anything else goes where it overwrites nothing that was flushed last.
    func firstSlot(_ state: State, _ index: Int) -> Int {
        let tree = state.actors[index].tree
        let isOpening = scene.verb(state.actors[index], index) == .open
        guard scene.movesHalves, !isOpening else { return state.metas[1].cached == tree ? 1 : 0 }
        return Int(state.begunSlot ?? 1 - state.lastSlot)
    }

    func beginNaming(_ state: inout State, in slot: Int) {
        if scene.movesHalves { state.begunSlot = UInt8(slot) }
    }

    /// Tells everybody which slot was flushed last.
    func endNaming(_ state: inout State, in slot: Int) {
        guard scene.movesHalves else { return }
        state.lastSlot = UInt8(slot)
        state.begunSlot = nil
    }

    /// Names in the other slot too what the record names.
    func confirm(_ state: inout State, _ index: Int) {
        state.actors[index].slot = state.lastSlot
        state.actors[index].step = .writeOtherMeta
    }
}
