/// What the peers are asked to do.
enum PeerWorkload: String, CaseIterable {
    case load = "bulk load"
    case read = "point read, one snapshot"
    case readEach = "point read, a snapshot each"
    case scan = "full scan"
    case commit = "small durable commit"

    var unit: String {
        switch self {
        case .load, .scan: "records"
        case .read, .readEach: "reads"
        case .commit: "commits"
        }
    }
}
