/// How a worker answers a round, alongside whatever else it is doing.
extension PoolMachine {
    func answer(_ state: PoolState, _ index: Int) -> PoolState? {
        let worker = state.workers[index]
        guard worker.isUsed else { return nil }
        func going(_ answering: PoolState.Answering) -> PoolState {
            changed(state, index) { $1.answering = answering }
        }
        switch worker.answering {
        case .nothing:
            guard worker.answer != state.round else { return nil }
            return going(.waiting(state.round, forOperation: worker.isReading))
        case .waiting(let round, let forOperation):
            guard !forOperation || !rules.awaitsOperations else { return nil }
            return going(.looking(round))
        case .looking(let round):
            guard case .holding = worker.task, rules.postponesHeld else {
                return going(.telling(round))
            }
            switch state.word {
            case .retiring, .retired: return going(.postponing(round, state.word))
            default: return going(.telling(round))
            }
        case .postponing(let round, let word):
            return changed(state, index) { next, worker in
                worker.answering = next.word == word ? .telling(round) : .looking(round)
                if next.word == word { next.word = .retired(round) }
            }
        case .telling(let round):
            return changed(state, index) { _, worker in
                (worker.answer, worker.answering) = (round, .nothing)
            }
        }
    }
}
