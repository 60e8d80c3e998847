import BullaExploration
import BullaTestSupport
import Testing

@Suite struct `The protocol of a page pool` {
    /// What the workers of a scene do.
    enum Scene: CaseIterable {
        /// One reads, and two replace the page; one of them may die.
        case dying
        /// One reads while two others retire the same page.
        case helping
        /// One reads while another replaces the page, and workers begin rounds for other frames.
        case asking
        /// One joins and reads while another replaces the page.
        case joining

        var first: PoolState {
            switch self {
            case .dying: PoolState(deathsLeft: 1, workers: [reader(1), writer(1), writer(1)])
            case .helping: PoolState(deathsLeft: 0, workers: [reader(1), writer(2), writer(1)])
            case .asking:
                PoolState(roundsLeft: 2, deathsLeft: 0, workers: [reader(1), writer(1)])
            case .joining:
                PoolState(
                    roundsLeft: 1, deathsLeft: 0,
                    workers: [
                        PoolState.Worker(
                            isUsed: false, answer: 0, task: .joining, readsLeft: 2, claimsLeft: 0),
                        writer(2),
                    ])
            }
        }

        private func reader(_ count: UInt8) -> PoolState.Worker {
            PoolState.Worker(readsLeft: count, claimsLeft: 0)
        }

        private func writer(_ count: UInt8) -> PoolState.Worker {
            PoolState.Worker(readsLeft: 0, claimsLeft: count)
        }
    }

    @Test(arguments: Scene.allCases)
    func `never changes a frame that somebody reads, and ends`(scene: Scene) {
        var machine = PoolMachine(first: scene.first)
        if scene == .asking || scene == .joining { machine.roundLimit = 4 }
        var exploration = Exploration(machine)
        exploration.run()
        print("pool, \(scene): \(exploration.summary)")
        #expect(exploration.finding == nil)
        #expect(exploration.isComplete && exploration.endCount > 0)
    }

    /// A removed rule, with the fault that follows.
    enum Mutation: CaseIterable {
        case stampsAfterwards, namesRetirements, awaitsOperations, postponesHeld, awaitsAnswers
        case notesFirst, reaps

        var rule: WritableKeyPath<PoolMachine.Rules, Bool> {
            switch self {
            case .stampsAfterwards: \.stampsAfterwards
            case .namesRetirements: \.namesRetirements
            case .awaitsOperations: \.awaitsOperations
            case .postponesHeld: \.postponesHeld
            case .awaitsAnswers: \.awaitsAnswers
            case .notesFirst: \.notesFirst
            case .reaps: \.reaps
            }
        }

        var scene: Scene {
            switch self {
            case .namesRetirements: .helping
            case .stampsAfterwards: .asking
            default: .dying
            }
        }

        var fault: PoolState.Fault {
            switch self {
            case .notesFirst, .reaps: .stuck
            default: .torn
            }
        }
    }

    @Test(arguments: Mutation.allCases)
    func `needs each of its rules`(mutation: Mutation) {
        var machine = PoolMachine(first: mutation.scene.first)
        machine.rules[keyPath: mutation.rule] = false
        var exploration = Exploration(machine)
        exploration.run()
        print("pool, without \(mutation): \(exploration.summary)")
        #expect(exploration.finding?.fault == mutation.fault)
    }
}
