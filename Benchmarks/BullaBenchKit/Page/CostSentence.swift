/// What one contender costs more than another over all rows, in words.
struct CostSentence: Sendable {
    private let contender: String
    private let base: String
    private var costs: [(ratio: Double, title: String)] = []

    /// One for each pair that has a target, or for each pair where none has.
    static func all(of rows: [PageRow]) -> [CostSentence] {
        let hasTarget = rows.contains { $0.row.verdict != nil }
        var sentences: [CostSentence] = []
        for row in rows {
            for comparison in row.row.comparisons
            where !hasTarget || comparison.verdict != nil {
                guard let ratio = comparison.median, ratio.isFinite else { continue }
                let place = sentences.firstIndex {
                    $0.contender == comparison.contender && $0.base == comparison.base
                }
                let cost = (ratio, row.fullTitle)
                if let place {
                    sentences[place].costs.append(cost)
                } else {
                    sentences.append(CostSentence(comparison, cost))
                }
            }
        }
        return sentences
    }

    /// The sentences themselves where they are few, else one sentence for each base.
    static func texts(of rows: [PageRow]) -> [String] {
        let sentences = all(of: rows)
        guard sentences.count > 3 else { return sentences.map(\.text) }
        return VerdictSection.distinct(sentences.map(\.base)).map { base in
            let ratios = sentences.filter { $0.base == base }.compactMap { sentence in
                sentence.costs.map(\.ratio).median.map {
                    "\(sentence.contender) \(Quantity.cost($0))"
                }
            }
            return "Time in the middle of all rows, beside that of \(base): "
                + ratios.joined(separator: ", ") + "."
        }
    }

    private init(_ comparison: RowComparison, _ cost: (Double, String)) {
        contender = comparison.contender
        base = comparison.base
        costs = [cost]
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
            + "\(sorted.count) rows: from \(Quantity.cost(least.ratio)) (\(least.title)) to "
            + "\(Quantity.cost(most.ratio)) (\(most.title))."
    }

    private static func more(_ ratio: Double, than base: String) -> String {
        if ratio >= 2 { return Format.significant(ratio) + " times the time of " + base }
        let share = Quantity.percent((ratio - 1).magnitude)
        return share + (ratio < 1 ? " less" : " more") + " time than " + base
    }
}
