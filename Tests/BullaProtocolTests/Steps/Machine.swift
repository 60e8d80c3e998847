import BullaExploration

/// Everything that can happen next under some rules.
struct Machine: ExploredMachine {
    let rules: Rules
    let scene: Scene

    /// One event, of an actor, a process or the whole machine.
    struct Move: ExploredMove {
        enum Kind: UInt8 {
            case step, drain, death, deathInFlush, powerLoss, attack, stop, goOn, scribble
        }

        var kind: Kind
        var subject: UInt8 = 0
        var step = Actor.Step.idle

        var isStep: Bool { kind == .step }

        var description: String {
            switch kind {
            case .step: "thread \(subject): \(step)"
            case .drain: "thread \(subject): its claim becomes visible"
            case .death: "process \(subject) dies"
            case .deathInFlush: "process \(subject) dies while the disk fails its flush"
            case .powerLoss: "the power is lost"
            case .attack: "page \(subject) and the older meta slot are changed"
            case .stop: "process \(subject) is stopped"
            case .goOn: "process \(subject) goes on"
            case .scribble: "a stranger writes zero over slot \(subject)"
            }
        }
    }

    var first: State { State(scene) }

    func moves(from state: State) -> [(Move, State)] {
        var moves: [(Move, State)] = []
        for index in state.actors.indices {
            let actor = state.actors[index]
            for next in state.isStopped(actor.process) ? [] : steps(state, index) {
                moves.append((Move(kind: .step, subject: UInt8(index), step: actor.step), next))
            }
            if actor.delayed != 0, actor.step != .dead {
                var next = state
                drain(&next, index)
                moves.append((Move(kind: .drain, subject: UInt8(index)), next))
            }
        }
        return moves + accidents(state)
    }

    /// Whether every actor has done its work, or never will.
    func isOver(_ state: State) -> Bool {
        state.actors.indices.allSatisfy {
            state.actors[$0].hasEnded(scene, $0) || state.isStopped(state.actors[$0].process)
        }
    }

    // MARK: What an actor does

    /// The results of an actor's next step: several states if the disk decides, none if the actor
    /// must wait.
    private func steps(_ state: State, _ index: Int) -> [State] {
        var next = state
        switch state.actors[index].step {
        case .dead, .refused: return []
        case .idle: return begin(&next, index) ? [next] : []
        case .join: join(&next, index)
        case .makeWorld: makeWorld(&next, index)
        case .readMetas: return readMetas(state, index)
        case .verify: return verify(state, index)
        case .writeAgain: writeAgain(&next, index)
        case .rewriteMeta: rewriteMeta(&next, index)
        case .flushRecovered: flush(&next, index, then: .postRecovered)
        case .postRecovered: postRecovered(&next, index)
        case .enterGate, .lookAtGate: enter(&next, index)
        case .look, .claim, .lookAgain, .lookAtSlot: read(&next, index)
        case .unpin, .unpinInside: unpin(&next, index)
        case .readRoot, .readLeaf: return readPage(state, index)
        case .takeBase, .askConfirmed, .askSlots: prepare(&next, index)
        case .writeRoot, .writeLeaf, .publish, .releaseWriter: write(&next, index)
        case .awaitDurable, .lead, .fallAsleep: waitForFlush(&next, index)
        case .asleep: return wakes(&next, index) || timesOut(&next, index) ? [next] : []
        case .finishInterrupted, .beginFlush, .writeMeta: prepareFlush(&next, index)
        case .flush: flush(&next, index, then: .postDurable)
        case .postDurable, .raiseDurable, .endFlush, .releaseFlush, .tell, .goOn:
            finishFlush(&next, index)
        case .confirm, .writeConfirmed, .postConfirmed: confirm(&next, index)
        case .flushConfirmed: flush(&next, index, then: .postConfirmed)
        case .leave: leave(&next, index)
        case .awaitInside, .giveUp: return shut(&next, index) ? [next] : []
        }
        return [next]
    }

    private func begin(_ state: inout State, _ index: Int) -> Bool {
        let actor = state.actors[index]
        let presence = state.presence[Int(actor.process)]
        guard let verb = scene.verb(actor, index) else { return false }
        if verb == .open { return beginOpening(&state, index) }
        if state.isShut(actor.process) {
            state.actors[index].finishVerb()
            return true
        }
        guard presence == .shared else { return false }
        switch verb {
        case .open: return false
        case .read, .readPublished: beginReading(&state, index)
        case .commit, .commitRelaxed:
            guard state.writer == nil else { return isRefused(&state, index, by: state.writer) }
            state.writer = UInt8(index)
            state.actors[index].step = .takeBase
        case .flush:
            state.actors[index].image = state.published
            state.actors[index].step = .awaitDurable
        case .confirm: beginConfirming(&state, index)
        case .look:
            state.raiseDurable()
            state.actors[index].finishVerb()
        case .close: return beginClosing(&state, index)
        case .shut:
            state.shut |= 1 << actor.process
            state.actors[index].step = .awaitInside
        }
        return true
    }

    /// Gives up waiting for the lock of a stopped process after a while: `busy`.
    private func isRefused(_ state: inout State, _ index: Int, by holder: UInt8?) -> Bool {
        guard rules.boundsLockWait, state.isStopped(holder: holder) else { return false }
        state.actors[index].finishVerb()
        return true
    }

    func flush(_ state: inout State, _ index: Int, then step: Actor.Step) {
        state.flush()
        state.actors[index].step = step
    }
}
