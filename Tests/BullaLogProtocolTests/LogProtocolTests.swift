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
}
