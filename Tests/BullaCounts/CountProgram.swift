import Bulla

/// Uses a store, and reports how many allocations, system calls and reference counts each use
/// costs.
///
///     BullaCounts probe|gcm|ctrHMAC|plain <file to make>
///
/// Lines on standard output are `name.allocations=number`, `name.calls=number` and
/// `name.references=number`; numbers that cannot be counted here are left out. The first lines are
/// for work of known cost: the `probe`, which allocates three times, calls the system twice, and
/// counts a reference up and down.
struct CountProgram {
    private let arguments: [String]

    init(_ arguments: [String]) { self.arguments = arguments }

    func run() -> Never {
        // A process cannot trace itself, so this one starts and traces another, which reports its
        // own numbers.
        if arguments.last != Self.tracedMark {
            let status = Tracing.run(arguments + [Self.tracedMark])
            if status >= 0 { Ending.leave(status) }
        }
        do {
            Stretch.probe()
            if arguments[1] != "probe" { try StoreCounts(arguments[1], arguments[2]).run() }
            Ending.leave(0)
        } catch {
            Ending.complain("\(error)")
            Ending.leave(1)
        }
    }

    private static let tracedMark = "traced"
}
