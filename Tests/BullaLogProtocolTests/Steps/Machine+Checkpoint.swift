import BullaExploration

/// Making a tree under the tree lock, for a checkpoint or a direct commit.
extension Machine {
    func takeTree(_ state: inout State, _ index: Int) -> Bool {
        guard state.tree == nil else { return givesUp(&state, index, waitingFor: state.tree) }
        state.tree = UInt8(index)
        state.actors[index].step = .inspect
        return true
    }

    /// Finishes the metas or the direct commit that a dead process began; if there are none, begins
    /// the actor's own tree.
    func inspect(_ state: inout State, _ index: Int) {
        if let meta = unfinishedMeta(state), rules.finishesMetas {
            state.actors[index].tree = meta
            state.actors[index].then = .inspect
            state.actors[index].step = .writeMeta
        } else if let frame = unfinishedRoot(state) {
            state.actors[index].tree = state.entry(frame).tree
            state.actors[index].wanted = state.number(frame)
            state.actors[index].then = .postCheckpoint
            state.actors[index].step = .awaitDurable
        } else if makesRoot(state, index) {
            chooseRoot(&state, index)
        } else {
            beginMerging(&state, index)
        }
    }

    /// The tree that an unfinished update of the metas has named in a slot.
    private func unfinishedMeta(_ state: State) -> UInt8? {
        if let slot = state.begunSlot { return state.metas[Int(slot)].cached }
        let newest = state.tree(state.checkpoint).number
        let metas = state.metas.compactMap(\.cached).filter { $0 != DiskCell.garbage }
        return metas.first { state.tree($0).number > newest }
    }

    /// The newest root frame whose tree the checkpoint's record does not name yet.
    private func unfinishedRoot(_ state: State) -> UInt8? {
        let record = state.tree(state.checkpoint)
        return places(state, from: record).map(\.last).last { frame in
            let entry = state.entry(frame)
            let isSeen = rules.looksForRootFrames || entry.number <= state.announced
            return entry.kind == .root && isSeen && state.tree(entry.tree).number > record.number
        }
    }

    /// Whether the actor makes a direct commit, and there is room for its frame.
    private func makesRoot(_ state: State, _ index: Int) -> Bool {
        guard scene.verb(state.actors[index], index) == .direct else { return false }
        guard let place = state.actors[index].place, place.segment != 0 else { return false }
        let isOwn = state.entry(place.segment).author == state.world || !rules.beginsOwnSegments
        return isOwn && Int(place.offset) < scene.cellCount
    }

    private func chooseRoot(_ state: inout State, _ index: Int) {
        let actor = state.actors[index]
        guard var place = actor.place else { return }
        let tree = UInt8(state.trees.count)
        let kind: Entry.Kind = rules.logsDirectCommits ? .root : .ordinary
        let root = frame(state, actor, kind, after: place.last, tree: tree)
        let stamp = state.stamp(of: root)
        place.last = stamp
        if rules.logsDirectCommits { place.offset += 1 }
        state.actors[index].frame = stamp
        choose(&state, index, commit: stamp, place: place)
    }

    /// Makes the announced commits durable, so that the checkpoint can then merge them.
    private func beginMerging(_ state: inout State, _ index: Int) {
        state.actors[index].wanted = rules.mergesWhatIsDurable ? state.announced : 0
        state.actors[index].then = .chooseTree
        state.actors[index].step = .awaitDurable
    }

    func chooseTree(_ state: inout State, _ index: Int) {
        let record = state.tree(state.checkpoint)
        let last = rules.mergesWhatIsDurable ? state.durable : state.published
        guard last != record.commit else {
            // If a direct commit made the newest tree, the metas may not name it yet.
            let isNamed = state.metas.allSatisfy { $0.cached == state.checkpoint }
            state.actors[index].tree = state.checkpoint
            state.actors[index].then = .releaseTree
            state.actors[index].step = isNamed ? .releaseTree : .writeMeta
            if !isNamed, scene.movesHalves { confirm(&state, index) }
            return
        }
        let places = places(state, from: record)
        guard let place = places.last(where: { $0.last == last }) else {
            state.fault = .refused
            return
        }
        choose(&state, index, commit: last, place: place)
    }

    /// Begins a tree in a page that neither the newest tree nor a reader's tree occupies.
    private func choose(_ state: inout State, _ index: Int, commit: UInt8, place: Place) {
        let base = state.tree(state.checkpoint)
        var tree = Tree(
            number: base.number + 1, commit: commit, place: place, halves: base.halves,
            base: state.checkpoint)
        if scene.movesHalves { moveHalf(&state, index, &tree) }
        tree.page = page(state, for: tree)
        state.actors[index].tree = state.add(tree)
        state.actors[index].then = .releaseTree
        state.actors[index].step = .writePage
    }

    func pages(_ state: State, heldBy slot: UInt8) -> [UInt8] {
        guard slot != 0 else { return [] }
        if rules.slotsHoldCheckpoints {
            return state.trees.filter { $0.number == slot }.map(\.page)
        }
        var number = state.checkpoint
        while number != 0, state.commit(ofTree: number) > slot { number = state.tree(number).base }
        return [state.tree(number).page]
    }

    func makeTree(_ state: inout State, _ index: Int) {
        let actor = state.actors[index]
        if actor.step == .writePage {
            writePage(&state, actor.tree)
            if rules.flushesPagesFirst { return state.actors[index].step = .flushPages }
        } else {
            flushTree(&state)
        }
        let isRoot = actor.frame != 0 && rules.logsDirectCommits
        state.actors[index].step = isRoot ? .append : .writeMeta
    }

    func writeMetas(_ state: inout State, _ index: Int) {
        let actor = state.actors[index]
        switch actor.step {
        case .writeMeta:
            let first = firstSlot(state, index)
            state.actors[index].slot = UInt8(first)
            state.metas[first].writeTearing(actor.tree)
            beginNaming(&state, in: first)
            state.actors[index].step = rules.flushesBetweenMetas ? .flushMeta : .writeOtherMeta
        case .flushMeta:
            flushTree(&state)
            let isPosted = scene.movesHalves && scene.verb(actor, index) != .open
            state.actors[index].step = isPosted ? .postCheckpoint : .writeOtherMeta
        case .writeOtherMeta:
            state.metas[1 - Int(actor.slot)].writeTearing(actor.tree)
            beginNaming(&state, in: 1 - Int(actor.slot))
            state.actors[index].step = .flushOtherMeta
        default:
            flushTree(&state)
            endNaming(&state, in: 1 - Int(actor.slot))
            let isOpening = scene.verb(actor, index) == .open
            let isPosted = scene.movesHalves
            state.actors[index].step =
                isOpening ? .replay : isPosted ? .releaseTree : .postCheckpoint
        }
    }

    /// Flushes pages and metas, and leaves the log's frames to the actors that flush the log.
    private func flushTree(_ state: inout State) {
        state.flushTree()
        for cell in spareCells(state) { state.log[cell].flush() }
        if !rules.flushesOwnRanges { state.flushLog() }
    }

    func postCheckpoint(_ state: inout State, _ index: Int) {
        let actor = state.actors[index]
        if actor.frame != 0, !rules.logsDirectCommits {
            state.durable = actor.frame
            state.promise(actor.frame)
            state.published = actor.frame
            state.announced = state.number(actor.frame)
            state.actors[index].place?.last = actor.frame
            state.writer = nil
        }
        state.checkpoint = actor.tree
        endNaming(&state, in: Int(actor.slot))
        let isOwn = actor.then == .releaseTree || actor.frame != 0
        let last: Actor.Step = scene.movesHalves ? .writeOtherMeta : .releaseTree
        state.actors[index].step = isOwn ? last : .inspect
    }

    /// Releases the tree lock, and continues the action that needed the tree.
    func releaseTree(_ state: inout State, _ index: Int) {
        let actor = state.actors[index]
        state.tree = nil
        if scene.verb(actor, index) == .grow { state.writer = nil }
        if actor.frame != 0 {
            state.actors[index].then = .acknowledge
            state.actors[index].step = .awaitDurable
        } else if state.writer == UInt8(index), scene.verb(actor, index) != .grow {
            state.actors[index].step = scene.movesHalves ? .learn : .catchUp
        } else if scene.verb(actor, index) == .close {
            state.actors[index].step = .leave
        } else {
            state.actors[index].finishVerb()
        }
    }
}
