import BullaExploration

/// Everything that can happen next under given rules.
///
/// A file has a tree of one page, two metas, two marks, and a log of two halves of a few cells,
/// each of which holds a header or a frame. A power loss leaves each cell in any state that it has
/// had since its last flush. What `BullaProtocolTests` covers is left out, because it would be the
/// same here: waiting for a flush and waking, the two cells of each record of the coordination
/// file, the owners of slots, and closing a process while its threads read.
struct Machine: ExploredMachine {
    let rules: Rules
    let scene: Scene

    /// One event, of an actor, a process or the whole machine.
    struct Move: ExploredMove {
        enum Kind: UInt8 {
            case step, drain, death, deathInFlush, powerLoss, stop, goOn, failure, scribble, damage
            case slotDamage
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
            case .stop: "process \(subject) is stopped"
            case .goOn: "process \(subject) goes on"
            case .failure: "thread \(subject) is told that its write has failed"
            case .scribble: "a stranger says that commit \(subject) is the newest announced"
            case .slotDamage: "meta slot \(subject) is damaged"
            case .damage: "cell \(subject) of the log is damaged"
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

    /// Whether every actor has either done its work or will never do it.
    func isOver(_ state: State) -> Bool {
        state.actors.indices.allSatisfy {
            state.actors[$0].hasEnded(scene, $0) || state.isStopped(state.actors[$0].process)
        }
    }

    /// The results of an actor's next step: several states if it is uncertain what the disk holds,
    /// none if the actor must wait.
    private func steps(_ state: State, _ index: Int) -> [State] {
        var next = state
        switch state.actors[index].step {
        case .dead, .refused: return []
        case .idle: return begin(&next, index) ? [next] : []
        case .makeWorld: makeWorld(&next, index)
        case .readMetas: return readMetas(state, index)
        case .replay: return replay(state, index)
        case .judge: return judge(state, index)
        case .flushRecovered: flushRecovered(&next, index)
        case .postRecovered: postRecovered(&next, index)
        case .look, .claim, .lookAgain, .askDurable, .makeView: read(&next, index)
        case .learn: learn(&next, index)
        case .follow: return follow(state, index)
        case .readTree: return readTree(state, index)
        case .catchUp: return catchUp(state, index)
        case .makeRoom: makeRoom(&next, index)
        case .beginSegment: beginSegment(&next, index)
        case .appendPart, .append: append(&next, index)
        case .zeroFailed: zeroFailed(&next, index)
        case .announce, .releaseWriter: publish(&next, index)
        case .acknowledge: acknowledge(&next, index)
        case .awaitDurable, .flushLog, .postDurable: flush(&next, index)
        case .lead: return lead(&next, index) ? [next] : []
        case .rewriteMark, .flushNewestMark, .writeMark, .flushMark, .releaseFlush:
            mark(&next, index)
        case .takeTree: return takeTree(&next, index) ? [next] : []
        case .inspect: inspect(&next, index)
        case .chooseTree: chooseTree(&next, index)
        case .writePage, .flushPages: makeTree(&next, index)
        case .writeMeta, .flushMeta, .writeOtherMeta, .flushOtherMeta: writeMetas(&next, index)
        case .postCheckpoint: postCheckpoint(&next, index)
        case .releaseTree: releaseTree(&next, index)
        case .leave: leave(&next, index)
        }
        return [next]
    }

    private func begin(_ state: inout State, _ index: Int) -> Bool {
        let actor = state.actors[index]
        guard let verb = scene.verb(actor, index) else { return false }
        if verb == .open { return beginOpening(&state, index) }
        guard state.presence[Int(actor.process)] == .shared else { return false }
        switch verb {
        case .open: return false
        case .read, .readPublished: beginReading(&state, index)
        case .commit, .commitRelaxed, .commitLarge, .direct, .grow:
            guard state.writer == nil else {
                return givesUp(&state, index, waitingFor: state.writer)
            }
            beginCommit(&state, index)
        case .flush:
            state.actors[index].wanted = state.announced
            state.actors[index].then = .acknowledge
            state.actors[index].step = .awaitDurable
        case .mark: beginMark(&state, index)
        case .checkpoint: state.actors[index].step = .takeTree
        case .close: return beginClosing(&state, index)
        }
        return true
    }

    /// Gives up waiting, after a while, for a lock that a stopped process holds: `busy`.
    func givesUp(_ state: inout State, _ index: Int, waitingFor holder: UInt8?) -> Bool {
        guard rules.boundsLockWait, state.isStopped(holder: holder) else { return false }
        release(&state, index)
        state.actors[index].finishVerb()
        return true
    }
}
