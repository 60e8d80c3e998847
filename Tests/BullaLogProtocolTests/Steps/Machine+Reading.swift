import BullaExploration

/// A view: it claims its tree, looks again, asks what is durable, follows the log, and reads.
extension Machine {
    func beginReading(_ state: inout State, _ index: Int) {
        state.actors[index].asked = state.number(state.durable)
        if !rules.asksDurableLast { ask(&state, index) }
        state.actors[index].step = .look
    }

    func read(_ state: inout State, _ index: Int) {
        let actor = state.actors[index]
        switch actor.step {
        case .look:
            state.actors[index].tree = state.checkpoint
            state.actors[index].step = .claim
        case .claim:
            let commit = state.number(state.durable)
            state.actors[index].delayed =
                rules.slotsHoldCheckpoints ? state.tree(actor.tree).number : commit
            if rules.fencesTheClaim { drain(&state, index) }
            state.actors[index].step = .lookAgain
        case .lookAgain:
            let newest = state.tree(state.checkpoint).number
            let isNewest = newest <= state.tree(actor.tree).number || !rules.looksAgain
            state.actors[index].step = isNewest ? .askDurable : .look
        case .askDurable:
            if rules.asksDurableLast || actor.wanted == 0 { ask(&state, index) }
            if actor.place == nil { beginFollowing(&state, index) }
            state.actors[index].step = scene.movesHalves ? .learn : .follow
        default:
            makeView(&state, index)
        }
    }

    /// Asks up to which commit a view must reach: the durable one, or the newest announced one.
    private func ask(_ state: inout State, _ index: Int) {
        let durable = state.number(state.durable)
        let isPublished = scene.verb(state.actors[index], index) == .readPublished
        state.actors[index].wanted = isPublished ? max(durable, state.announced) : durable
    }

    func drain(_ state: inout State, _ index: Int) {
        state.slots[index] = state.actors[index].delayed
        state.actors[index].delayed = 0
    }

    /// Goes to the next frame until the wanted commit is reached.
    func follow(_ state: State, _ index: Int) -> [State] {
        let actor = state.actors[index]
        guard let place = actor.place, state.number(place.last) < actor.wanted else {
            var next = state
            next.actors[index].step = .makeView
            return [next]
        }
        return next(state, place, in: actor.halves).map { answer in
            var next = answer.state
            if answer.isFound {
                move(&next, index, to: answer.place)
            } else {
                endFollowing(&next, index, at: place)
            }
            return next
        }
    }

    private func endFollowing(_ state: inout State, _ index: Int, at place: Place) {
        let isHint = scene.verb(state.actors[index], index) == .readPublished
        let reached = state.number(place.last)
        let halves = state.actors[index].halves
        let isOvertaken = isOvertaken(state, at: place, in: halves)
        if rules.comparesHeaders, isOvertaken || hasNewerRecord(state, index) {
            // The half in which the actor began to follow is in use again. So the record must have
            // moved on; otherwise this is damage.
            if state.actors[index].origin == state.checkpoint { state.fault = .refused }
            beginFollowing(&state, index)
            state.actors[index].step = .look
        } else if !rules.comparesHeaders || isHint {
            state.actors[index].step = .makeView
        } else if reached < state.actors[index].wanted {
            state.fault = .refused
        }
    }

    private func makeView(_ state: inout State, _ index: Int) {
        let actor = state.actors[index]
        guard let place = actor.place else { return }
        let isHint = scene.verb(actor, index) == .readPublished
        let reached = state.number(place.last)
        let version = isHint ? reached : min(actor.wanted, reached)
        let commit = state.commit(ofTree: actor.tree)
        var begin = actor.older
        var root: UInt8?
        if let passed = actor.root, state.commit(ofTree: passed) <= version {
            begin = max(begin, state.commit(ofTree: passed))
            root = passed
        }
        if begin > commit, rules.reachesBackToTheTree {
            return lookElsewhere(&state, index, root)
        }
        if !state.descends(place.last, from: state.tree(actor.tree).commit) {
            state.fault = .forked
        }
        if begin > commit { state.fault = .viewMisses }
        if version < commit { state.fault = .viewOlderThanTree }
        if version < actor.asked { state.fault = .viewBehind }
        state.actors[index].step = .readTree
    }

    /// Takes the tree of a root frame that the actor has passed, or starts again.
    private func lookElsewhere(_ state: inout State, _ index: Int, _ root: UInt8?) {
        let number = state.tree(state.actors[index].tree).number
        if let root, state.tree(root).number > number {
            state.actors[index].tree = root
            state.actors[index].step = .claim
        } else {
            state.actors[index].step = .look
        }
    }

    func readTree(_ state: State, _ index: Int) -> [State] {
        let tree = state.actors[index].tree
        let page = Int(state.tree(tree).page)
        return state.pages[page].readings.map { reading in
            var next = state
            next.pages[page] = reading
            if reading.cached != tree { next.fault = .overwritten }
            next.slots[index] = 0
            next.actors[index].finishVerb()
            return next
        }
    }
}
