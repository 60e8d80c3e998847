/// What comes first: whether the target was met, and what encryption costs all in all.
struct VerdictSection: Sendable {
    private let results: [BenchResult]
    private let rows: [PageRow]

    init(_ results: [BenchResult], _ rows: [PageRow]) {
        self.results = results
        self.rows = rows
    }

    var markup: Markup {
        let verdict = hasTarget ? Verdict(all: rows.compactMap(\.row.verdict)) : nil
        let title = Markup(
            "h1", [:],
            [
                Markup("span", ["class": "sign", "aria-hidden": "true"], Self.sign(verdict)),
                Markup(" " + headline(verdict)),
            ])
        return Markup(
            "header", ["class": verdict?.rawValue ?? "open"],
            [PageSection.paragraph(origin, "origin"), title] + failures
                + sentences.map { PageSection.paragraph($0, "lead") }
                + [PageSection.paragraph(target, "target-text")] + warnings)
    }

    /// What the page is called where it is one of many.
    var title: String {
        let verdict = hasTarget ? Verdict(all: rows.compactMap(\.row.verdict)) : nil
        return "bulla-bench " + (results.first?.command ?? "") + ": " + headline(verdict)
    }

    private var hasTarget: Bool { rows.contains { $0.row.verdict != nil } }
    private var isPartial: Bool { results.contains { $0.failure != nil } }

    /// A verdict's sign, so that its colour is not needed.
    static func sign(_ verdict: Verdict?) -> String {
        switch verdict {
        case .met: "\u{2713}"
        case .missed: "\u{2717}"
        case .undecided: "?"
        case nil: "\u{2261}"
        }
    }

    private func headline(_ verdict: Verdict?) -> String {
        guard !rows.isEmpty else { return "Nothing was measured" }
        let text =
            switch verdict {
            case .met: "Target met"
            case .missed: "Target missed"
            case .undecided: "Undecided"
            case nil: "\(Series.all(of: results).count) contenders compared"
            }
        return text + (isPartial ? ", so far" : "")
    }

    private var origin: String {
        guard let first = results.first else { return "bulla-bench" }
        let commands = Self.distinct(results.map(\.command)).joined(separator: ", ")
        let hosts = Self.distinct(results.map(\.identity.host)).joined(separator: ", ")
        let count = results.count > 1 ? " \u{B7} \(results.count) results" : ""
        return "bulla-bench \(commands) \u{B7} \(hosts) \u{B7} \(first.machine.time)\(count)"
    }

    private var failures: [Markup] {
        results.enumerated().compactMap { place, result in
            guard let failure = result.failure else { return nil }
            let name = results.count > 1 ? " \(PageRow.letter(of: place))" : ""
            return Markup(
                "p", ["class": "failure", "role": "alert"],
                [
                    Markup("strong", [:], "Partial result\(name). "),
                    Markup("The run ended before it was done: \(failure). "),
                    Markup("The rows hold the rounds that were finished."),
                ])
        }
    }

    private var warnings: [Markup] {
        Self.distinct(results.compactMap(\.noise.warning)).map { warning in
            Markup(
                "p", ["class": "warning"],
                [Markup("strong", [:], "Warning: "), Markup(warning + ".")])
        }
    }

    private var target: String {
        guard hasTarget else { return "No target is set for these contenders." }
        let targets = Self.distinct(results.map { Quantity.percent($0.settings.target) })
        let count = { (verdict: Verdict) in rows.count { $0.row.verdict == verdict } }
        return "Target: at most \(targets.joined(separator: ", ")) more time. Of "
            + "\(Self.counted(count(.met) + count(.missed) + count(.undecided), "row")), "
            + "\(count(.met)) met it, \(count(.missed)) missed it, "
            + "\(count(.undecided)) could not be decided."
    }

    private var sentences: [String] {
        let costs = CostSentence.texts(of: rows)
        return Series.all(of: results).count > 2 ? costs + [fastest].compactMap { $0 } : costs
    }

    /// Who did the most by the second, and in how many rows.
    private var fastest: String? {
        let names = rows.compactMap { row in
            row.row.figures.max { $0.throughput < $1.throughput }?.contender
        }
        guard !names.isEmpty else { return nil }
        let counts = Self.distinct(names).map { name in (name, names.count { $0 == name }) }
        let sorted = counts.sorted { $0.1 > $1.1 }
        return "Fastest: "
            + sorted.map { "\($0) in \(Self.counted($1, "row"))" }
            .joined(separator: ", ") + "."
    }

    static func counted(_ count: Int, _ noun: String) -> String {
        count == 1 ? "1 \(noun)" : "\(count) \(noun)s"
    }

    /// Each once, in the order in which they come.
    static func distinct(_ texts: [String]) -> [String] {
        texts.reduce(into: []) { if !$0.contains($1) { $0.append($1) } }
    }
}
