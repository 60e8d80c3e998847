import BullaExploration
import BullaTestSupport
import Testing

@Suite struct `The log's protocol` {
    @Test(arguments: SceneChoice.allCases)
    func `keeps every promise, whatever happens in between`(choice: SceneChoice) {
        let scene = choice.scene(isLong: TestMode.isLong)
        var exploration = Exploration(Machine(rules: Rules(), scene: scene))
        exploration.run()
        print("\(choice): \(exploration.summary)")
        #expect(exploration.finding == nil)
        #expect(exploration.isComplete && exploration.endCount > 0)
    }

    @Test(arguments: Mutation.allCases)
    func `needs each of its rules`(mutation: Mutation) {
        let plan = mutation.plan
        var rules = Rules()
        for rule in plan.rules { rules[keyPath: rule] = false }
        var exploration = Exploration(Machine(rules: rules, scene: plan.choice.scene()))
        exploration.run()
        print("without \(mutation): \(exploration.summary)")
        #expect(exploration.finding?.fault == plan.fault)
    }
}
