import Bulla

/// Does things to a store, and tells what each of them asked of the allocator and the system.
///
///     BullaCounts probe|gcm|ctrHMAC|plain <file to make>
///
/// Lines on standard output are `name.allocations=number` and `name.calls=number`; a number that
/// cannot be had here is left out. The first thing that is told is what is known beforehand: the
/// `probe`, which allocates three times and calls the system twice.
struct CountProgram {
    private let arguments: [String]

    init(_ arguments: [String]) { self.arguments = arguments }

    func run() -> Never {
        // What the tracing process tells is told to one that it has started.
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
