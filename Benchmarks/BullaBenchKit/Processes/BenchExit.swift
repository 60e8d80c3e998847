/// How `bulla-bench` and its workers end, so that no script reads a message to learn it.
public enum BenchExit: Int32, Sendable {
    /// Every row met its target; for a worker: it was told to end.
    case met = 0
    case missed = 1
    case undecided = 2
    /// An option makes no sense; as ArgumentParser ends.
    case usage = 64
    /// An input file cannot be read or understood.
    case input = 65
    /// A store threw an error.
    case store = 70
    /// A worker died, or did not answer.
    case worker = 71
    /// A store does not hold what it should. Nothing that was measured counts.
    case digest = 72
    /// The system refused something: space, memory, processes.
    case system = 74
    /// The worker's parent is gone.
    case orphaned = 75
    /// SIGINT or SIGTERM came.
    case interrupted = 130
}
