internal import BullaText

/// A page of results for people to read; it needs no network, no script and no other file.
package struct HTMLReport: Sendable {
    private let results: [BenchResult]
    private let rows: [PageRow]
    private let series: [Series]

    /// - Parameter results: the results to show; rows that differ only in workers, threads or
    ///   records become the points of one curve.
    package init(_ results: [BenchResult]) {
        self.results = results
        rows = PageRow.all(of: results)
        series = Series.all(of: results)
    }

    package var bytes: [UInt8] { Array(text.utf8) }

    package var text: String {
        let verdict = VerdictSection(results: results, rows: rows)
        let head = Markup(
            "head", [:],
            [
                Markup("meta", ["charset": "utf-8"]),
                Markup(
                    "meta", ["name": "viewport", "content": "width=device-width, initial-scale=1"]),
                Markup("meta", ["name": "color-scheme", "content": "light dark"]),
                Markup("title", [:], verdict.title), .style(PackageResources.Stylesheet_css),
            ])
        let body = Markup("body", [:], [Markup("main", [:], [verdict.markup] + sections)])
        let page = Markup("html", ["lang": "en"], [head, body])
        return "<!DOCTYPE html>\n" + page.source + "\n"
    }

    private var sections: [Markup] {
        (rows.isEmpty ? [] : [comparison] + throughput + latency + scaling + growth + [costs])
            + skipped + runs + [readingGuide]
    }

    private var comparison: Markup {
        PageSection.markup("Comparison", [ComparisonTable(rows, series).markup])
    }

    private var throughput: [Markup] {
        figures(
            "Throughput",
            rows.map { row in
                let picture = ThroughputChart(row.row, series).markup(
                    "throughput of \(row.fullTitle)")
                return (row.fullTitle, row.row.regime.text, picture)
            })
    }

    private var latency: [Markup] {
        figures(
            "Latency",
            rows.compactMap { row in
                let chart = LineChart(latencyOf: row, series)
                let picture = chart?.markup("latency percentiles of \(row.fullTitle)")
                return picture.map { (row.fullTitle, row.row.regime.text, $0) }
            })
    }

    private var scaling: [Markup] {
        figures("Scaling", LineChart.scaling(of: rows, series).figures("scaling"))
    }

    private var growth: [Markup] {
        figures("Growth", LineChart.growth(of: rows, series).figures("growth"))
    }

    private func figures(_ title: String, _ figures: [PageSection.Figure]) -> [Markup] {
        figures.isEmpty ? [] : [PageSection.markup(title, [PageSection.figures(figures)])]
    }

    private var readingGuide: Markup {
        let text = String(decoding: PackageResources.ReadingGuide_html, as: UTF8.self)
        return .trusted(text.replacing("{rounds}", with: "\(Verdict.roundMinimum)"))
    }

    private var costs: Markup {
        PageSection.markup("Other costs", [CostTable(rows: rows, series: series).markup])
    }

    private var skipped: [Markup] {
        let texts = results.enumerated().flatMap { place, result in
            result.skipped.map { results.count > 1 ? "\(PageRow.letter(of: place)): \($0)" : $0 }
        }
        guard !texts.isEmpty else { return [] }
        return [
            PageSection.markup("Left out", [Markup("ul", [:], texts.map { Markup("li", [:], $0) })])
        ]
    }

    private var runs: [Markup] {
        results.enumerated().map { place, result in
            let letter = results.count > 1 ? PageRow.letter(of: place) : nil
            return RunSection(result: result, letter: letter).markup
        }
    }
}

struct PageRow: Sendable {
    let row: ResultRow
    let result: BenchResult
    /// `A`, `B` and so on, if the page shows several results; otherwise nil.
    let letter: String?

    static func all(of results: [BenchResult]) -> [PageRow] {
        results.enumerated().flatMap { place, result in
            result.rows.map {
                PageRow(
                    row: $0, result: result, letter: results.count > 1 ? letter(of: place) : nil)
            }
        }
    }

    /// What the page calls the result at `place`: `A` to `Z`, then `27` and so on.
    static func letter(of place: Int) -> String {
        place < 26 ? String(UnicodeScalar(UInt8(65 + place))) : "\(place + 1)"
    }

    var title: String { row.workload + " \u{B7} " + row.input }
    var fullTitle: String { (letter.map { "\($0): " } ?? "") + title }
}
