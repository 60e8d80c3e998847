import BullaExploration

/// Everything that can happen next in a page pool with one frame.
struct PoolMachine: ExploredMachine {
    /// The rules of the protocol; a test takes them away one by one.
    struct Rules {
        /// A worker that retires a frame first makes it impossible to find, and only then reads the
        /// round.
        var stampsAfterwards = true
        /// Each retirement of a frame has a word of its own.
        var namesRetirements = true
        /// An answer waits until the worker's operations that were running have ended.
        var awaitsOperations = true
        /// If a worker answers a round while its closure still holds a retired frame, the frame
        /// counts as retired in that round, and not earlier.
        var postponesHeld = true
        /// A frame is claimed only when every worker has answered a round after its retirement.
        var awaitsAnswers = true
        /// A claim is noted in the worker's line before it is made.
        var notesFirst = true
        /// The lines of dead workers are cleared.
        var reaps = true
    }

    struct Move: ExploredMove {
        var worker: Int
        var text: String
        var isStep = true
        var description: String { "worker \(worker): \(text)" }
    }

    private typealias Word = PoolState.Word

    var rules = Rules()
    let first: PoolState

    /// Without a limit, a worker would begin rounds for as long as a closure holds the frame.
    var roundLimit: UInt8 = 3

    func isOver(_ state: PoolState) -> Bool {
        state.round == roundLimit || state.workers.allSatisfy(\.isDone)
    }

    func moves(from state: PoolState) -> [(Move, PoolState)] {
        var moves: [(Move, PoolState)] = []
        for index in state.workers.indices where state.workers[index].isAlive {
            let worker = state.workers[index]
            for next in steps(state, index) {
                moves.append((Move(worker: index, text: "\(worker.task)"), next))
            }
            if let next = answer(state, index) {
                moves.append((Move(worker: index, text: "answer: \(worker.answering)"), next))
            }
            if state.deathsLeft > 0 {
                var next = state
                next.deathsLeft -= 1
                next.workers[index].isAlive = false
                next.workers[index].task = .idle
                next.workers[index].answering = .nothing
                moves.append((Move(worker: index, text: "dies", isStep: false), next))
            }
        }
        let isSettled = state.workers.allSatisfy { !$0.isUsed || $0.answer == state.round }
        if state.roundsLeft > 0, state.round < roundLimit, isSettled {
            var next = state
            next.roundsLeft -= 1
            next.round += 1
            moves.append((Move(worker: 0, text: "asks for another frame", isStep: false), next))
        }
        return moves
    }

    func changed(
        _ state: PoolState, _ index: Int,
        _ change: (inout PoolState, inout PoolState.Worker) -> Void
    ) -> PoolState {
        var next = state
        var worker = state.workers[index]
        change(&next, &worker)
        next.workers[index] = worker
        return next
    }

    private func to(_ task: PoolState.Task, _ state: PoolState, _ index: Int) -> PoolState {
        changed(state, index) { $1.task = task }
    }

    // MARK: Work

    private func steps(_ state: PoolState, _ index: Int) -> [PoolState] {
        let me = UInt8(index)
        switch state.workers[index].task {
        case .joining:
            return [
                changed(state, index) { next, worker in
                    (worker.answer, worker.task) = (next.round, .joiningAnswered)
                }
            ]
        case .joiningAnswered:
            return [
                changed(state, index) { _, worker in
                    (worker.isUsed, worker.task) = (true, .idle)
                }
            ]
        case .idle: return begin(state, index)
        case .entered, .reading, .holding: return read(state, index)
        case .sawPage, .madeRetiring, .stamping: return [retire(state, index)]
        case .looking, .unsettled: return look(state, index)
        case .noting(let word):
            return [
                changed(state, index) { _, worker in
                    (worker.hasNote, worker.task) = (rules.notesFirst, .claiming(word))
                }
            ]
        case .claiming(let word):
            return [
                changed(state, index) { next, worker in
                    guard next.word == word else {
                        (worker.hasNote, worker.task) = (false, .idle)
                        return
                    }
                    (next.word, next.content, worker.task) = (.claimed(me), 0, .writing)
                }
            ]
        case .writing, .publishing, .published: return [publish(state, index)]
        case .reaping(let other):
            return [
                changed(state, index) { next, worker in
                    if next.workers[Int(other)].hasNote, next.word == .claimed(other) {
                        next.word = .retired(0)
                    }
                    worker.task = .clearing(other)
                }
            ]
        case .clearing(let other):
            return [
                changed(state, index) { next, worker in
                    next.workers[Int(other)].isUsed = false
                    next.workers[Int(other)].hasNote = false
                    worker.task = .idle
                }
            ]
        }
    }

    private func begin(_ state: PoolState, _ index: Int) -> [PoolState] {
        let worker = state.workers[index]
        var next: [PoolState] = []
        if worker.readsLeft > 0 { next.append(to(.entered, state, index)) }
        guard worker.claimsLeft > 0 else { return next }
        switch state.word {
        case .empty: next.append(to(.noting(.empty), state, index))
        case .page: next.append(to(.sawPage(round: state.round), state, index))
        case .retiring(let name): next.append(to(.madeRetiring(name), state, index))
        case .retired(let round):
            next.append(to(.looking(round, least: state.round, next: 0), state, index))
        case .claimed(let owner):
            let other = state.workers[Int(owner)]
            if rules.reaps, !other.isAlive, other.isUsed {
                next.append(to(.reaping(owner), state, index))
            }
        }
        return next
    }

    private func read(_ state: PoolState, _ index: Int) -> [PoolState] {
        func end(_ state: PoolState) -> PoolState {
            changed(state, index) { _, worker in
                (worker.task, worker.readsLeft) = (.idle, worker.readsLeft - 1)
                if case .waiting(let round, _) = worker.answering {
                    worker.answering = .waiting(round, forOperation: false)
                }
            }
        }
        switch state.workers[index].task {
        case .entered:
            guard case .page(let version) = state.word else { return [end(state)] }
            return [to(.reading(version), state, index)]
        case .reading(let version):
            // The operation ends; a closure may go on reading.
            var held = end(state)
            held.workers[index].task = .holding(version)
            return [end(state), held]
        default: return [to(.idle, state, index)]
        }
    }

    private func retire(_ state: PoolState, _ index: Int) -> PoolState {
        changed(state, index) { next, worker in
            switch worker.task {
            case .sawPage(let round):
                // The page may have been retired and published again meanwhile.
                guard case .page = next.word else { return worker.task = .idle }
                guard rules.stampsAfterwards else {
                    (next.word, worker.task) = (.retired(round), .idle)
                    return
                }
                if rules.namesRetirements { next.retirementCount += 1 }
                next.word = .retiring(next.retirementCount)
                worker.task = .madeRetiring(next.retirementCount)
            case .madeRetiring(let name): worker.task = .stamping(name, round: next.round)
            case .stamping(let name, let round):
                if next.word == .retiring(name) { next.word = .retired(round) }
                worker.task = .idle
            default: break
            }
        }
    }

    private func look(_ state: PoolState, _ index: Int) -> [PoolState] {
        switch state.workers[index].task {
        case .looking(let round, let least, let other):
            guard Int(other) < state.workers.count else {
                let isSettled = least > round || !rules.awaitsAnswers
                let task: PoolState.Task =
                    isSettled ? .noting(.retired(round)) : .unsettled(round, least: least)
                return [to(task, state, index)]
            }
            let worker = state.workers[Int(other)]
            let answer = worker.isUsed ? min(least, worker.answer) : least
            return [to(.looking(round, least: answer, next: other + 1), state, index)]
        case .unsettled(let round, let least): return wait(state, index, round, least)
        default: return []
        }
    }

    /// Begins a round if the last one is settled, reaps a dead worker, or looks again if anything
    /// has changed; otherwise nothing can be done but to wait for others.
    private func wait(
        _ state: PoolState, _ index: Int, _ round: UInt8, _ least: UInt8
    ) -> [PoolState] {
        guard state.word == .retired(round) else { return [to(.idle, state, index)] }
        var next: [PoolState] = []
        if least == state.round, state.round < roundLimit {
            next.append(
                changed(state, index) { next, worker in
                    next.round += 1
                    worker.task = .idle
                })
        }
        for (other, worker) in state.workers.enumerated()
        where rules.reaps && !worker.isAlive && worker.isUsed && worker.answer < state.round {
            next.append(to(.reaping(UInt8(other)), state, index))
        }
        let present = state.workers.filter(\.isUsed).map(\.answer).min() ?? state.round
        if min(present, state.round) != least { next.append(to(.idle, state, index)) }
        return next
    }

    private func publish(_ state: PoolState, _ index: Int) -> PoolState {
        changed(state, index) { next, worker in
            switch worker.task {
            case .writing:
                next.version += 1
                next.content = next.version
                worker.task = .publishing
            case .publishing: (next.word, worker.task) = (.page(next.content), .published)
            default:
                (worker.hasNote, worker.task) = (false, .idle)
                worker.claimsLeft -= 1
            }
        }
    }
}
