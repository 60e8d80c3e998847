/// A model to explore: where it begins, and what can happen next.
package protocol ExploredMachine {
    associatedtype State: ExploredState
    associatedtype Move: ExploredMove

    var first: State { get }
    func moves(from state: State) -> [(Move, State)]
    /// Whether every process has either done its work or will never do it.
    func isOver(_ state: State) -> Bool
}

/// The whole state at one moment.
package protocol ExploredState: Hashable {
    associatedtype Fault: ExploredFault

    /// The fault that has occurred, if any.
    var fault: Fault? { get }
}

/// One event.
package protocol ExploredMove {
    /// Whether it is a step of the protocol; otherwise it is an accident, on which no process can
    /// rely.
    var isStep: Bool { get }
    var description: String { get }
}

/// Something that must never happen.
package protocol ExploredFault: RawRepresentable<String>, Equatable {
    static var stuck: Self { get }
}
