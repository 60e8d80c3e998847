/// One workload on one source: what a row of the table tells.
final class Cell {
    let workload: Workload
    let source: Source
    private(set) var rounds: [RoundResult] = []

    /// How its rounds are cut into slices; known once the first has been calibrated.
    var plan: SlicePlan?

    init(_ workload: Workload, _ source: Source) {
        self.workload = workload
        self.source = source
    }

    func add(_ round: RoundResult) {
        rounds.append(round)
    }

    func row(_ options: OverheadOptions) -> OverheadRow? {
        OverheadRow(input: source.name, workload: workload, rounds: rounds, options: options)
    }
}
