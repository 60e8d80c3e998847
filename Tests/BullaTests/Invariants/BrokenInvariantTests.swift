#if BULLA_CHECKS
import Bulla
import BullaTestSupport
import Testing

/// Breaks invariants of the engine, each in a process of its own.
@Suite struct `An invariant that is broken` {
    private let scratch: Scratch

    init() throws { scratch = try Scratch() }

    @Test(arguments: Breach.allCases)
    func `ends the process, which says what was to hold`(breach: Breach) async {
        let result = await Self.exit(of: breach, scratch.path("s.bulla"))
        let text = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
        #expect(text.contains(breach.sentence), "\(text)")
    }

    private static func exit(of breach: Breach, _ path: String) async -> ExitTest.Result? {
        let result = await #expect(
            processExitsWith: .failure, observing: [\.standardErrorContent]
        ) { [breach, path] in
            try breach.run(path)
        }
        return result
    }
}
#endif
