/// A model that can be explored: where it begins, and all that can happen next.
package protocol ExploredMachine {
    associatedtype State: ExploredState
    associatedtype Move: ExploredMove

    var first: State { get }
    func moves(from state: State) -> [(Move, State)]
    /// Whether everybody has done what he was to do, or never will.
    func isOver(_ state: State) -> Bool
}

/// All that there is at one moment.
package protocol ExploredState: Hashable {
    associatedtype Fault: ExploredFault

    /// What must never come about, and has.
    var fault: Fault? { get }
}

/// One thing that happens.
package protocol ExploredMove {
    /// Whether somebody does it as it must be; all else are accidents, which nobody can wait for.
    var isStep: Bool { get }
    var description: String { get }
}

/// What must never come about.
package protocol ExploredFault: RawRepresentable<String>, Equatable {
    static var stuck: Self { get }
}
