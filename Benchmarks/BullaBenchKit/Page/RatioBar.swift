/// Where ratios lie, drawn for each line of a table on the same scale.
struct RatioBar: Sendable {
    private static let width = 230.0
    private static let height = 26.0

    private let scale: Scale
    private let limit: Double?

    /// - Parameter limit: the greatest ratio that meets the target; nil where there is no target.
    init(_ comparisons: [RowComparison], limit: Double?) {
        let ends = comparisons.flatMap { comparison -> [Double] in
            if let ratio = comparison.ratio { return [ratio.lower, ratio.upper] }
            return comparison.median.map { [$0] } ?? []
        }
        let known = (ends + [1] + (limit.map { [$0] } ?? [])).filter { $0 > 0 && $0.isFinite }
        scale = .ratios(
            known.min() ?? 0.9, known.max() ?? 1.1, from: 10, to: Self.width - 10)
        self.limit = limit
    }

    /// The scale itself, for the head of the column.
    var axis: Markup {
        var drawing = Drawing(width: Self.width, height: Self.height)
        let ticks = scale.ticks(apart: 34)
        let digits = scale.upper / scale.lower < 3 && ticks.count > 1 && ticks[1] - ticks[0] < 0.09
        for tick in ticks {
            let x = scale.place(tick)
            let text = digits ? Format.fixed(tick, 2) : Self.shortest(tick)
            drawing.text(text, .init(x: x, y: 13), .middle)
            drawing.line(.init(x: x, y: 18), .init(x: x, y: Self.height), "axis")
        }
        drawing.line(
            .init(x: scale.start, y: Self.height - 0.5), .init(x: scale.end, y: Self.height - 0.5),
            "axis")
        return drawing.markup("scale of the ratios", style: "ratio")
    }

    func markup(_ comparison: RowComparison) -> Markup {
        var drawing = Drawing(width: Self.width, height: Self.height)
        let middle = Self.height / 2
        rule(at: 1, "axis", &drawing)
        if let limit { rule(at: limit, "target", &drawing) }
        let style = Self.style(comparison.verdict)
        if let ratio = comparison.ratio {
            let ends = [scale.place(ratio.lower), scale.place(ratio.upper)]
            drawing.rectangle(
                .init(x: ends[0], y: middle - 4), width: max(ends[1] - ends[0], 1.5), height: 8,
                "interval " + style)
            for end in ends {
                drawing.line(
                    .init(x: end, y: middle - 6), .init(x: end, y: middle + 6), "whisker " + style)
            }
        }
        if let median = comparison.median {
            drawing.circle(.init(x: scale.place(median), y: middle), radius: 3.6, "dot " + style)
        }
        return drawing.markup(Self.description(comparison), style: "ratio")
    }

    private func rule(at ratio: Double, _ style: String, _ drawing: inout Drawing) {
        let x = scale.place(ratio)
        drawing.line(.init(x: x, y: 0), .init(x: x, y: Self.height), style)
    }

    private static func style(_ verdict: Verdict?) -> String { verdict?.rawValue ?? "open" }

    private static func description(_ comparison: RowComparison) -> String {
        guard let median = comparison.median else { return "no ratio" }
        let interval = comparison.ratio.map { ", 95 % interval " + Quantity.interval($0) } ?? ""
        return "ratio " + Quantity.ratio(median) + interval
    }

    /// `0.05`, `0.2`, `1`, `20`.
    private static func shortest(_ number: Double) -> String {
        let digits = number < 0.0995 ? 2 : number < 0.995 ? 1 : number < 9.5 ? 1 : 0
        let text = Format.fixed(number, digits)
        return text.hasSuffix(".0") ? String(text.dropLast(2)) : text
    }
}
