/// The place of every thread of every worker.
package struct PlacementPlan: Codable, Equatable, Sendable {
    /// By the worker's number, then by the thread's.
    package var workers: [[ThreadPlacement]]

    /// What people are told where threads must share cores; nil where each has one.
    package var warning: String? {
        let places = workers.flatMap { $0 }
        let cores = Set(places.flatMap(\.cores))
        guard !cores.isEmpty, places.count > cores.count else { return nil }
        let noun = cores.count == 1 ? "core" : "cores"
        return "\(places.count) threads share \(cores.count) \(noun): "
            + NumberList.text(cores.sorted())
    }
}
