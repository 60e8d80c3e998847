/// The scenes that the tests explore.
enum SceneChoice: String, CaseIterable {
    /// Durable views while another process commits so often that pages and halves are reused; each
    /// half holds one frame.
    case reading
    /// One view while another process makes more commits than in `reading`.
    case claiming
    /// As in `claiming`, with views of the published state, and checkpoints in between.
    case publishing
    /// Two processes that commit, wait for a flush, and take over if the other dies during it; the
    /// power may be lost at any step.
    case flushing
    /// A process dies during a flush while another has written a frame without announcing it, and a
    /// third leads next; the power may be lost at any step.
    case interrupted
    /// One process switches halves while another makes a checkpoint and dies; the power may be lost
    /// at any step.
    case switching
    /// A view begins while a process dies at a checkpoint's end, and another reuses the half that
    /// the checkpoint freed.
    case finishing
    /// Two successive worlds in which the process may die, and the power may be lost, at any step.
    case recovering
    /// A process that returns and repeats what it did before.
    case again
    /// Checkpoints that fail, before and after a recovery.
    case metas
    /// Two processes that open and close.
    case coming
    /// Views while another process makes a direct commit, and a third makes a checkpoint.
    case direct
    /// A direct commit whose process dies, while another makes commits and a checkpoint; the power
    /// may be lost at any step.
    case directDeaths
    /// A direct commit whose process dies before another commits; the power may be lost at any
    /// step.
    case dying
    /// A direct commit in a log with halves of one frame each, which are reused; the power may be
    /// lost at any step.
    case reusing
    /// A commit of two frames whose process dies, or whose last write reports a failure.
    case large
    /// A write that reports a failure, while others commit and flush; the power may be lost at any
    /// step.
    case failing
    /// A write that reports a failure, in a process that dies and returns; the power may be lost at
    /// any step.
    case zeroing
    /// As in `failing`, but without a power loss, and while an outsider overwrites the word that
    /// says how far the log is announced.
    case scribbledFailing
    /// Two processes that commit and read while an outsider overwrites that word.
    case scribbling
    /// Marks, and a power loss.
    case marking
    /// Marks, a power loss, and a frame that is damaged while no process has the file open.
    case damaged
    /// Two processes that make commits and checkpoints; one of them is stopped.
    case stopping
    /// A half moves when a checkpoint sets it free, and the process that makes the checkpoint dies;
    /// then a meta slot is lost.
    case moving
    /// A writer moves the free half and dies, and another goes on there; then a meta slot is lost.
    case growing
    /// Views while another process moves halves and reuses the pages of their former places.
    case movedReading
    /// Two processes that commit while a third moves halves; one dies.
    case movedWriting

    /// - Parameters:
    ///   - isLong: more commits, processes, deaths and power losses.
    func scene(isLong: Bool = false) -> Scene {
        let more = isLong ? 1 : 0
        return switch self {
        case .reading, .claiming, .publishing, .scribbling, .stopping: livingScene(more)
        case .flushing, .interrupted, .switching, .finishing, .failing, .scribbledFailing:
            sharedScene(more)
        case .recovering, .again, .metas, .coming, .zeroing: comingScene(more)
        case .direct, .directDeaths, .dying, .reusing, .large: largeScene(more)
        case .marking, .damaged: markedScene(more)
        case .moving, .growing, .movedReading, .movedWriting: movedScene(more)
        }
    }

    private func part(
        _ process: Int, _ verbs: [Scene.Verb], then afterwards: [Scene.Verb] = []
    ) -> Scene.Part { Scene.Part(process: process, verbs: verbs, afterwards: afterwards) }

    private func commits(_ count: Int) -> [Scene.Verb] { Array(repeating: .commit, count: count) }

    private func livingScene(_ more: Int) -> Scene {
        switch self {
        case .reading:
            Scene(
                parts: [part(0, [.read, .read]), part(1, commits(4 + more))], cellCount: 2,
                deaths: more)
        case .claiming:
            Scene(
                parts: [part(0, [.read]), part(1, commits(5 + more))], cellCount: 2, deaths: more)
        case .publishing:
            Scene(
                parts: [
                    part(0, [.readPublished, .read]),
                    part(
                        1,
                        [.commitRelaxed, .commitRelaxed, .checkpoint, .commitRelaxed, .checkpoint]
                            + commits(1 + more)),
                ], cellCount: 2)
        case .scribbling:
            Scene(
                parts: [part(0, commits(2 + more)), part(1, [.commit, .readPublished])],
                scribbles: 1 + more)
        default:
            Scene(
                parts: [part(0, [.commit, .direct]), part(1, [.commit, .checkpoint])],
                deaths: more, stops: 1)
        }
    }

    private func sharedScene(_ more: Int) -> Scene {
        switch self {
        case .flushing:
            Scene(
                parts: [
                    part(0, [.commitRelaxed] + commits(1 + more), then: [.open, .read]),
                    part(1, [.commit]),
                ], deaths: 1, powerLosses: 1)
        case .interrupted:
            Scene(
                parts: [
                    part(0, [.commit], then: [.open, .read]),
                    part(1, [.commitRelaxed, .flush] + commits(more)), part(2, [.flush]),
                ], deaths: 1, powerLosses: 1)
        case .switching:
            Scene(
                parts: [
                    part(0, [.commitRelaxed, .commitRelaxed, .commit], then: [.open, .read]),
                    part(1, [.checkpoint] + commits(more), then: [.open, .read]),
                ], cellCount: 2, deaths: 1, powerLosses: 1)
        case .finishing:
            Scene(
                parts: [
                    part(0, commits(3)), part(0, [.read]),
                    part(1, [.checkpoint] + commits(more)),
                ], cellCount: 2, deaths: 1)
        case .failing:
            Scene(
                parts: [
                    part(0, [.commitRelaxed, .commitRelaxed], then: [.open, .read]),
                    part(1, [.commitRelaxed, .flush] + commits(more)),
                ], cellCount: 4, powerLosses: 1, failures: 1)
        default:
            Scene(
                parts: [
                    part(0, [.commitRelaxed, .commitRelaxed]),
                    part(1, [.commitRelaxed, .flush] + commits(more)),
                ], cellCount: 4, failures: 1, scribbles: 1)
        }
    }

    private func comingScene(_ more: Int) -> Scene {
        switch self {
        case .recovering:
            Scene(
                parts: [
                    part(
                        0, [.commitRelaxed, .commit],
                        then: [.open, .commitRelaxed, .commit, .read] + [.close])
                ], cellCount: 4, deaths: 1 + more, startsAgain: true, powerLosses: 2)
        case .again:
            Scene(
                parts: [
                    part(
                        0, [.commit, .commitRelaxed, .commitRelaxed],
                        then: [.open, .commitRelaxed, .commit, .read])
                ], cellCount: 6, deaths: 1, startsAgain: true, powerLosses: 1 + more)
        case .metas:
            Scene(
                parts: [
                    part(
                        0, [.commit, .checkpoint, .commit, .commit],
                        then: [.open, .commit, .checkpoint, .commit, .read])
                ], deaths: 1, startsAgain: true, powerLosses: 1 + more)
        case .coming:
            Scene(
                parts: [
                    part(0, [.open, .commit, .close], then: [.open, .commit, .close]),
                    part(1, [.open, .commit, .close], then: [.open, .read, .close]),
                ], cellCount: 4, deaths: 1, startsAgain: true, powerLosses: more)
        default:
            Scene(
                parts: [
                    part(0, [.commit, .commitRelaxed], then: [.open, .commit, .read])
                ], cellCount: 6, deaths: 2, startsAgain: true, powerLosses: 1 + more, failures: 1)
        }
    }

    private func largeScene(_ more: Int) -> Scene {
        switch self {
        case .direct:
            Scene(
                parts: [
                    part(0, [.read, .readPublished]), part(1, [.commit, .direct, .commit]),
                    part(2, [.checkpoint]),
                ], deaths: more)
        case .directDeaths:
            Scene(
                parts: [
                    part(0, [.direct, .commit], then: [.open, .read]),
                    part(1, [.commit, .checkpoint] + commits(more), then: [.open, .read]),
                ], cellCount: 4, deaths: 1, powerLosses: 1)
        case .dying:
            Scene(
                parts: [
                    part(0, [.direct], then: [.open, .read]),
                    part(1, commits(1 + more), then: [.open, .read]),
                ], cellCount: 4, deaths: 1, powerLosses: 1)
        case .reusing:
            Scene(
                parts: [
                    part(0, [.commit, .direct, .commit, .commit], then: [.open, .read]),
                    part(1, [.read]),
                ], cellCount: 2, deaths: more, powerLosses: 1)
        default:
            Scene(
                parts: [
                    part(0, [.commitLarge], then: [.open, .read]),
                    part(1, [.commitRelaxed, .commit], then: [.open, .read]),
                ], cellCount: 5, deaths: 1, powerLosses: more, failures: 1)
        }
    }

    private func markedScene(_ more: Int) -> Scene {
        switch self {
        case .marking:
            Scene(
                parts: [
                    part(0, [.commit, .commitRelaxed, .mark], then: [.open, .read]),
                    part(1, [.commit, .mark], then: [.open, .commit, .mark]),
                ], cellCount: 5, deaths: 1 + more, powerLosses: 1)
        default:
            Scene(
                parts: [
                    part(
                        0, [.commit, .mark, .commit, .mark] + commits(more) + [.commitRelaxed],
                        then: [.open, .read])
                ], deaths: 1, startsAgain: true, powerLosses: 1, damages: 1)
        }
    }

    private func movedScene(_ more: Int) -> Scene {
        switch self {
        case .moving:
            Scene(
                parts: [
                    part(
                        0, [.commitRelaxed, .commitRelaxed, .commitRelaxed, .checkpoint],
                        then: [.open, .read]),
                    part(1, [.commitRelaxed, .checkpoint] + commits(more)),
                ], moves: 1 + more, deaths: 1, powerLosses: 1, slotDamages: 1)
        case .growing:
            Scene(
                parts: [
                    part(0, [.commit, .grow], then: [.open, .read]),
                    part(1, [.commit] + commits(more)),
                ], cellCount: 2, moves: 1, deaths: 1, powerLosses: 1, slotDamages: 1)
        case .movedReading:
            Scene(
                parts: [
                    part(0, Array(repeating: .read, count: 1 + more)), part(1, commits(5 + more)),
                ], cellCount: 2, moves: 2, deaths: more)
        default:
            Scene(
                parts: [
                    part(0, [.commitRelaxed, .commitRelaxed]), part(1, [.commit]),
                    part(2, [.checkpoint, .checkpoint]),
                ], cellCount: 2, moves: 2, deaths: more)
        }
    }
}
