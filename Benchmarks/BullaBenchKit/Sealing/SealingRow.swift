internal import BullaText

/// One figure of a run, its base, and its aim.
package struct SealingRow: Codable, Sendable {
    package enum Unit: String, Codable, Sendable {
        case nanoseconds, processorNanoseconds, bytes, count
    }

    /// What the row's limit applies to: a count must equal it, a figure or a ratio must not exceed
    /// it.
    package enum Aim: String, Codable, Sendable { case figure, ratio, count }

    package let topic: String
    package let name: String
    package let unit: Unit
    /// The samples of each round.
    package let rounds: [[Double]]
    /// For counts, the greatest sample; otherwise the middle of ``interval`` or, without an
    /// interval, the median of all samples.
    package let median: Double
    package let interval: Interval?
    /// This figure / its base.
    package let ratio: Interval?
    package let aim: Aim?
    package let limit: Double?
    package let verdict: Verdict?

    /// - Parameters:
    ///   - base: the samples of the base, which were measured in turn with those of the figure.
    ///   - isBeyond: whether the figure is the excess over its base. The interval of the excess is
    ///     computed from that of the ratio, because a difference of nearly equal times can be
    ///     negative, and would have no logarithm.
    package init(
        _ topic: String, _ name: String, _ rounds: [[Double]], unit: Unit = .nanoseconds,
        over base: [[Double]]? = nil, isBeyond: Bool = false, aim: (of: Aim, limit: Double)? = nil
    ) {
        (self.topic, self.name, self.unit) = (topic, name, unit)
        let ratio = base.flatMap { base in
            Interval(rounds: zip(rounds, base).map { zip($0, $1).map { $0 / $1 } })
        }
        let one = base?.joined().median ?? 0
        let figures = isBeyond ? rounds.map { $0.map { $0 - one } } : rounds
        let interval = isBeyond ? ratio?.beyond(one) : Interval(rounds: rounds)
        (self.rounds, self.ratio) = (figures, isBeyond ? nil : ratio)
        self.interval = unit == .count ? nil : interval
        let all = figures.joined()
        median = unit == .count ? all.max() ?? 0 : interval?.median ?? all.median ?? 0
        (self.aim, limit) = (aim?.of, aim?.limit)
        verdict = aim.map { aim, limit in
            guard aim != .count else { return all.allSatisfy { $0 == limit } ? .met : .missed }
            let judged = aim == .ratio ? ratio : interval
            return Verdict(ratio: judged, rounds: rounds.count, limit: limit)
        }
    }

    /// The rows as a table, and their verdict.
    static func lines(_ rows: [SealingRow], _ noise: MachineNoise, _ verdict: Verdict) -> [String] {
        var table = TextTable(header: header, leftColumnCount: 2)
        for row in rows { table.append(row.cells) }
        let counts = [Verdict.met, .missed, .undecided].map { verdict in
            "\(rows.count { $0.verdict == verdict }) \(verdict.rawValue)"
        }
        return table.lines + (noise.warning.map { [$0] } ?? [])
            + ["verdict: \(verdict.rawValue.uppercased()) (\(counts.joined(separator: ", ")))"]
    }

    private static let header = ["", "", "figure", "95 %", "ratio", "95 %", "aim", "verdict"]

    private var cells: [String] {
        [
            topic, name, text(median),
            interval.map { "\(text($0.lower)) - \(text($0.upper))" } ?? "",
            ratio.map { Format.fixed($0.median, 3) } ?? "", ratio?.text ?? "",
            limit.map { aim == .ratio ? "x \(Format.fixed($0, 2))" : text($0) } ?? "",
            verdict?.rawValue ?? "",
        ]
    }

    private func text(_ number: Double) -> String {
        switch unit {
        case .nanoseconds: Format.time(number)
        case .processorNanoseconds: (number < 0 ? "-" : "") + Format.time(number.magnitude)
        case .bytes: Format.bytes(Int(number))
        case .count: Format.fixed(number, 0)
        }
    }
}

extension Interval {
    /// How far a ratio exceeds 1, multiplied by `one`, the figure of the base.
    fileprivate func beyond(_ one: Double) -> Interval {
        let bounds = [lower, median, upper].map { ($0 - 1) * one }
        return Interval(lower: bounds[0], median: bounds[1], upper: bounds[2])
    }
}
