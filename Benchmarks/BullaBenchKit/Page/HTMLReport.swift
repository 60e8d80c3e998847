/// Results as one page for people: it needs no network, no script and no other file.
package struct HTMLReport: Sendable {
    private let results: [BenchResult]
    private let rows: [PageRow]
    private let series: [Series]

    /// - Parameter results: one or several; rows that differ only in their workers and threads are
    ///   drawn as one curve.
    package init(_ results: [BenchResult]) {
        self.results = results
        rows = PageRow.all(of: results)
        series = Series.all(of: results)
    }

    /// The file's content, in UTF-8.
    package var bytes: [UInt8] { Array(text.utf8) }

    package var text: String {
        let verdict = VerdictSection(results, rows)
        let head = Markup(
            "head", [:],
            [
                Markup("meta", ["charset": "utf-8"]),
                Markup(
                    "meta",
                    ["name": "viewport", "content": "width=device-width, initial-scale=1"]),
                Markup("meta", ["name": "color-scheme", "content": "light dark"]),
                Markup("title", [:], verdict.title), .style(Stylesheet.text),
            ])
        let body = Markup(
            "body", [:], [Markup("main", [:], [verdict.markup] + sections)])
        let page = Markup("html", ["lang": "en"], [head, body])
        return "<!DOCTYPE html>\n" + page.source + "\n"
    }

    private var sections: [Markup] {
        (rows.isEmpty ? [] : [comparison, throughput] + latency + scaling + [costs])
            + skipped + runs + [ReadingGuide.markup]
    }

    private var comparison: Markup {
        PageSection.markup("Comparison", [ComparisonTable(rows, series).markup])
    }

    private var throughput: Markup {
        PageSection.markup(
            "Throughput",
            [
                PageSection.figures(
                    rows.map { row in
                        let chart = ThroughputChart(row.row, series)
                        let picture = chart.markup("throughput of \(row.fullTitle)")
                        return (row.fullTitle, row.row.regime.text, picture)
                    })
            ])
    }

    private var latency: [Markup] {
        let figures = rows.compactMap { row in
            LatencyChart(row.row, series).map { chart in
                let picture = chart.markup("latency percentiles of \(row.fullTitle)")
                return (row.fullTitle, row.row.regime.text, picture)
            }
        }
        return figures.isEmpty
            ? [] : [PageSection.markup("Latency", [PageSection.figures(figures)])]
    }

    private var scaling: [Markup] {
        let figures = ScalingChart.all(of: rows, series).map { chart in
            (
                chart.title, "median, and its 95 % interval",
                chart.markup("scaling of \(chart.title)")
            )
        }
        return figures.isEmpty
            ? [] : [PageSection.markup("Scaling", [PageSection.figures(figures)])]
    }

    private var costs: Markup {
        PageSection.markup("Memory and other costs", [CostTable(rows, series).markup])
    }

    private var skipped: [Markup] {
        let texts = results.enumerated().flatMap { place, result in
            result.skipped.map { results.count > 1 ? "\(PageRow.letter(of: place)): \($0)" : $0 }
        }
        guard !texts.isEmpty else { return [] }
        return [
            PageSection.markup(
                "Left out", [Markup("ul", [:], texts.map { Markup("li", [:], $0) })])
        ]
    }

    private var runs: [Markup] {
        results.enumerated().map { place, result in
            let letter = results.count > 1 ? PageRow.letter(of: place) : nil
            return RunSection(result, letter: letter).markup
        }
    }
}
