/// The scenes that the tests explore.
enum SceneChoice: String, CaseIterable {
    /// Snapshots while another process commits, often enough for pages to be reused.
    case reading
    /// A snapshot and a writer share one open file, which sees its own locks as free.
    case ownSlots
    /// A snapshot while one process commits and another flushes.
    case asking
    /// Two processes commit and wait for a flush; each takes over if the other dies during it.
    case flushing
    /// As in `flushing`, with a power loss.
    case takingOver
    /// One process confirms what is durable while another has published more; with a power loss.
    case confirming
    /// One process that dies, loses power, returns, and goes on.
    case recovering
    /// Two processes that open and close.
    case coming
    /// A file that changes after it was left without being closed.
    case attacked
    /// A process dies during a flush and the next one leads, while a third looks for the first
    /// time; with a power loss.
    case looking
    /// Three processes.
    case three
    /// A process closes while one of its threads takes and releases a slot, and while another
    /// process commits and takes slots, too.
    case shutting
    /// Two processes that commit; one of them is stopped, and power may be lost.
    case stopping
    /// Two processes that open, commit and close; one of them is stopped.
    case stoppingComers
    /// A snapshot whose slot an outsider sets to zero while another process commits.
    case zeroed

    /// - Parameters:
    ///   - isLong: more commits, deaths and power losses.
    func scene(isLong: Bool = false) -> Scene {
        let more = isLong ? 1 : 0
        return switch self {
        case .reading: reading(more)
        case .ownSlots: ownSlots(more)
        case .asking: asking(more)
        case .flushing: flushing(more)
        case .takingOver: takingOver(more)
        case .confirming: confirming(more)
        case .recovering: recovering(more)
        case .coming: coming(more)
        case .attacked: attacked(more)
        case .looking: looking(more)
        case .three: three(more)
        case .shutting: shutting(more)
        case .stopping: stopping(more)
        case .stoppingComers: stoppingComers(more)
        case .zeroed: zeroed(more)
        }
    }

    private func part(
        _ process: Int, _ verbs: [Scene.Verb], then afterwards: [Scene.Verb] = []
    ) -> Scene.Part { Scene.Part(process: process, verbs: verbs, afterwards: afterwards) }

    private func commits(_ count: Int) -> [Scene.Verb] { Array(repeating: .commit, count: count) }

    private func reading(_ more: Int) -> Scene {
        Scene(
            parts: [part(0, [.read, .readPublished]), part(1, commits(4 + more))],
            deaths: 1 + more)
    }

    private func ownSlots(_ more: Int) -> Scene {
        Scene(
            parts: [part(0, [.read]), part(0, commits(4)), part(1, commits(more))],
            deaths: more)
    }

    private func asking(_ more: Int) -> Scene {
        Scene(
            parts: [
                part(0, [.read]), part(1, [.commitRelaxed, .commitRelaxed] + commits(more)),
                part(2, [.flush, .confirm]),
            ], deaths: more)
    }

    private func flushing(_ more: Int) -> Scene {
        Scene(
            parts: [
                part(0, [.commitRelaxed] + commits(1 + more)), part(1, [.commit, .confirm]),
            ], deaths: 1)
    }

    private func takingOver(_ more: Int) -> Scene {
        Scene(
            parts: [
                part(0, commits(1 + more), then: [.open, .read]),
                part(1, [.commitRelaxed, .confirm, .commit]),
            ], deaths: 1, powerLosses: 1)
    }

    private func confirming(_ more: Int) -> Scene {
        Scene(
            parts: [
                part(0, commits(1 + more) + [.confirm], then: [.open, .read]),
                part(1, [.commitRelaxed, .commit]),
            ], deaths: 1, powerLosses: 1)
    }

    private func recovering(_ more: Int) -> Scene {
        Scene(
            parts: [
                part(
                    0, [.commitRelaxed, .commit] + commits(more),
                    then: [.open, .commitRelaxed, .commit, .read, .close])
            ], deaths: 1 + more, startsAgain: true, powerLosses: 2)
    }

    private func coming(_ more: Int) -> Scene {
        Scene(
            parts: [
                part(0, [.open, .commit, .close], then: [.open, .commit, .close]),
                part(1, [.open, .commit, .close], then: [.open, .read, .close]),
            ], deaths: 1, startsAgain: true, powerLosses: more)
    }

    private func attacked(_ more: Int) -> Scene {
        Scene(
            parts: [part(0, commits(3 + more), then: [.open, .read, .commit])],
            deaths: 1 + more, startsAgain: true, attacks: 1)
    }

    private func looking(_ more: Int) -> Scene {
        Scene(
            parts: [
                part(0, commits(1 + more), then: [.open, .read]),
                part(1, [.commitRelaxed, .flush]),
                part(2, [.look]),
            ], deaths: 1, powerLosses: 1)
    }

    private func three(_ more: Int) -> Scene {
        Scene(
            parts: [
                part(0, [.read]), part(1, commits(1 + more)), part(2, [.commitRelaxed, .flush]),
            ], deaths: 1)
    }

    private func shutting(_ more: Int) -> Scene {
        Scene(
            parts: [
                part(0, [.read]), part(0, [.shut]), part(1, [.read]),
                part(1, [.commit, .commit, .commitRelaxed]),
            ], deaths: more)
    }

    private func stopping(_ more: Int) -> Scene {
        Scene(
            parts: [
                part(0, commits(1 + more), then: [.open, .read]),
                part(1, [.commit, .close], then: [.open, .read]),
            ], powerLosses: 1, stops: 1)
    }

    private func stoppingComers(_ more: Int) -> Scene {
        Scene(
            parts: [
                part(0, [.open, .commit, .close]), part(1, [.open, .commitRelaxed, .close]),
            ], deaths: more, stops: 1)
    }

    private func zeroed(_ more: Int) -> Scene {
        Scene(parts: [part(0, [.read]), part(1, commits(4 + more))], deaths: more, scribbles: 1)
    }
}
