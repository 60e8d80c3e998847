internal import BullaText

/// The top of the page: whether the target was met, and what encryption costs overall.
struct VerdictSection: Sendable {
    let results: [BenchResult]
    let rows: [PageRow]

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

    /// The page's title, which a browser shows on its tab.
    var title: String {
        let verdict = hasTarget ? Verdict(all: rows.compactMap(\.row.verdict)) : nil
        return "bulla-bench " + (results.first?.command ?? "") + ": " + headline(verdict)
    }

    private var hasTarget: Bool { rows.contains { $0.row.verdict != nil } }
    private var isPartial: Bool { results.contains { $0.failure != nil } }

    /// A verdict's sign, so that readers do not depend on its colour.
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
        let commands = results.map(\.command).distinct.joined(separator: ", ")
        let hosts = results.map(\.identity.host).distinct.joined(separator: ", ")
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
        results.compactMap(\.noise.warning).distinct.map { warning in
            Markup(
                "p", ["class": "warning"],
                [Markup("strong", [:], "Warning: "), Markup(warning + ".")])
        }
    }

    private var target: String {
        guard hasTarget else { return "No target is set for these contenders." }
        let targets = results.map { Measure.percent($0.settings.target) }.distinct
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

    private var fastest: String? {
        let names = rows.compactMap { row in
            row.row.figures.max { $0.throughput < $1.throughput }?.contender
        }
        guard !names.isEmpty else { return nil }
        let counts = names.distinct.map { name in (name, names.count { $0 == name }) }
        let sorted = counts.sorted { $0.1 > $1.1 }
        return "Fastest: "
            + sorted.map { "\($0) in \(Self.counted($1, "row"))" }.joined(separator: ", ") + "."
    }

    static func counted(_ count: Int, _ noun: String) -> String {
        count == 1 ? "1 \(noun)" : "\(count) \(noun)s"
    }
}

struct CostSentence: Sendable {
    let contender: String
    let base: String
    let costs: [(ratio: Double, title: String)]

    /// One sentence for each pair that has a target, or for each pair if none has a target.
    static func all(of rows: [PageRow]) -> [CostSentence] {
        let hasTarget = rows.contains { $0.row.verdict != nil }
        let costs = rows.flatMap { row in
            row.row.comparisons.filter { !hasTarget || $0.verdict != nil }.map { comparison in
                (
                    pair: [comparison.contender, comparison.base],
                    ratio: comparison.median ?? .nan, title: row.fullTitle
                )
            }
        }
        return costs.filter(\.ratio.isFinite).grouped(by: \.pair).map { pair, costs in
            CostSentence(
                contender: pair[0], base: pair[1], costs: costs.map { ($0.ratio, $0.title) })
        }
    }

    /// The sentences themselves if they are few, otherwise one sentence for each base.
    static func texts(of rows: [PageRow]) -> [String] {
        let sentences = all(of: rows)
        guard sentences.count > 3 else { return sentences.map(\.text) }
        return sentences.map(\.base).distinct.map { base in
            let ratios = sentences.filter { $0.base == base }.compactMap { sentence in
                sentence.costs.map(\.ratio).median.map {
                    "\(sentence.contender) \(Measure.cost($0))"
                }
            }
            return "Median time of all rows, compared with that of \(base): "
                + ratios.joined(separator: ", ") + "."
        }
    }

    var text: String {
        let sorted = costs.sorted { $0.ratio < $1.ratio }
        guard let least = sorted.first, let most = sorted.last,
            let middle = sorted.map(\.ratio).median
        else { return "" }
        let subject = contender == "encrypted" && base == "plain" ? "Encryption" : contender
        guard sorted.count > 1 else {
            return "\(subject) takes \(Self.more(middle, than: base)) (\(most.title))."
        }
        return "\(subject) takes \(Self.more(middle, than: base)) in the middle of "
            + "\(sorted.count) rows: from \(Measure.cost(least.ratio)) (\(least.title)) to "
            + "\(Measure.cost(most.ratio)) (\(most.title))."
    }

    private static func more(_ ratio: Double, than base: String) -> String {
        if ratio >= 2 { return Format.significant(ratio) + " times the time of " + base }
        let share = Measure.percent((ratio - 1).magnitude)
        return share + (ratio < 1 ? " less" : " more") + " time than " + base
    }
}
