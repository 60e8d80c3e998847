/// The scenes that the tests explore.
enum SceneChoice: String, CaseIterable {
    case reading, publishing, switching, flushing, recovering, direct, directDeaths, failing
    case scribbling, marking, damaged, stopping, coming, metas, again

    func scene(isLong: Bool = false) -> Scene {
        let more = isLong ? 1 : 0
        return switch self {
        case .reading:
            Scene(parts: [part(0, [.read, .read]), part(1, [.commit, .commit, .commit] + commits(more))])
        case .publishing:
            Scene(parts: [part(0, [.readPublished, .readPublished]), part(1, [.commitRelaxed, .commitRelaxed, .checkpoint, .commit] + commits(more))])
        case .switching:
            Scene(parts: [part(0, [.commitRelaxed, .commit, .commit], then: [.open, .read])], powerLosses: 1)
        case .flushing:
            Scene(parts: [part(0, [.commitRelaxed, .commit], then: [.open, .read]), part(1, [.commit])], deaths: 1, powerLosses: 1)
        case .recovering:
            Scene(parts: [part(0, [.commitRelaxed, .commit], then: [.open, .commitRelaxed, .commit, .read, .close])], cellCount: 5, deaths: 1, startsAgain: true, powerLosses: 2)
        case .direct:
            Scene(parts: [part(0, [.read, .read]), part(1, [.commit, .direct, .commit])], deaths: more)
        case .directDeaths:
            Scene(parts: [part(0, [.direct, .commit], then: [.open, .read]), part(1, [.commit, .checkpoint], then: [.open, .read])], cellCount: 4, deaths: 1, powerLosses: 1)
        case .failing:
            Scene(parts: [part(0, [.commitRelaxed, .commitRelaxed], then: [.open, .read]), part(1, [.commitRelaxed, .flush])], cellCount: 4, powerLosses: 1, failures: 1)
        case .scribbling:
            Scene(parts: [part(0, [.commit, .commit]), part(1, [.commit, .readPublished])], scribbles: 1)
        case .marking:
            Scene(parts: [part(0, [.commit, .commitRelaxed, .mark], then: [.open, .read]), part(1, [.commit, .mark])], cellCount: 5, powerLosses: 1)
        case .damaged:
            Scene(parts: [part(0, [.commit, .mark, .commit, .mark, .commitRelaxed], then: [.open, .read])], deaths: 1, startsAgain: true, damages: 1)
        case .stopping:
            Scene(parts: [part(0, [.commit, .direct]), part(1, [.commit, .checkpoint])], stops: 1)
        case .coming:
            Scene(parts: [part(0, [.open, .commit, .close], then: [.open, .commit, .close]), part(1, [.open, .commit, .close], then: [.open, .read, .close])], cellCount: 4, deaths: 1, startsAgain: true)
        case .metas:
            Scene(parts: [part(0, [.commit, .checkpoint, .commit], then: [.open, .commit, .checkpoint, .read])], cellCount: 4, deaths: 1, startsAgain: true, powerLosses: 1)
        case .again:
            Scene(parts: [part(0, [.commit, .commitRelaxed, .commitRelaxed], then: [.open, .commitRelaxed, .commit, .read])], cellCount: 6, deaths: 1, startsAgain: true, powerLosses: 1)
        }
    }

    private func part(
        _ process: Int, _ verbs: [Scene.Verb], then afterwards: [Scene.Verb] = []
    ) -> Scene.Part { Scene.Part(process: process, verbs: verbs, afterwards: afterwards) }

    private func commits(_ count: Int) -> [Scene.Verb] { Array(repeating: .commit, count: count) }
}
