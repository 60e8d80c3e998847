internal import BullaObjectPeer

/// The command `bulla-bench object-keeper`: it keeps objects in a store of Bulla, and obeys
/// ``ObjectRun``.
package enum ObjectKeeper: String, CaseIterable, Sendable {
    /// Keeps them as objects of the object layer.
    case objects
    /// Keeps them in trees coded by hand.
    case trees

    /// Obeys the orders in the program's input until it ends, then ends the process.
    package func run() -> Never {
        ObjectProgram.run("bulla-bench object-keeper") { setup in
            switch self {
            case .objects: try ObjectsSide(setup)
            case .trees: try TreesSide(setup)
            }
        }
    }
}
