internal import BullaObjectPeer

/// What `bulla-bench object-keeper` does: it keeps objects in a store of Bulla, and obeys
/// ``ObjectRun``.
package enum ObjectKeeper: String, CaseIterable, Sendable {
    /// By the layer of objects.
    case objects
    /// By hand, in trees.
    case trees

    /// Obeys the lines of the input to its end, and ends the process.
    package func run() -> Never {
        ObjectProgram.run("bulla-bench object-keeper") { setup in
            switch self {
            case .objects: try ObjectsSide(setup)
            case .trees: try TreesSide(setup)
            }
        }
    }
}
