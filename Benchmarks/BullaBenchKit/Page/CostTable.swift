/// What contenders used beside time: processor, disk and memory.
struct CostTable: Sendable {
    private let rows: [PageRow]
    private let series: [Series]

    init(_ rows: [PageRow], _ series: [Series]) {
        self.rows = rows
        self.series = series
    }

    var markup: Markup {
        var table = PageTable([
            .init(title: "contender", style: "name"),
            .init(title: "CPU time for each"), .init(title: "written for each"),
            .init(title: "made dirty for each"),
            .init(title: "flushes per commit"), .init(title: "peak resident"),
            .init(title: "of the largest worker"), .init(title: "of that shared"),
            .init(title: "in the page cache"),
        ])
        for row in rows {
            let title = [
                Markup(row.fullTitle),
                Markup(
                    "span", ["class": "note"],
                    "each of the \(row.row.unit); workers \u{D7} threads "
                        + "\(row.row.regime.workers) \u{D7} \(row.row.regime.threads)"),
            ]
            table.append(title, lines: row.row.figures.map(line))
        }
        return table.markup
    }

    private func line(_ figures: Figures) -> [Markup] {
        let costs = figures.costs
        let name =
            series.first { $0.name == figures.contender }?.label ?? Markup(figures.contender)
        let texts = [
            figures.work > 0
                ? Quantity.time(costs.cpuSeconds / Double(figures.work) * 1e9) : Quantity.unknown,
            Self.share(figures.costs.byteCountWritten, figures),
            Self.share(figures.costs.byteCountDirtied, figures),
            costs.flushesPerCommit.map { Format.fixed($0, 2) } ?? Quantity.unknown,
            Quantity.bytes(costs.peakResidentByteCount),
            Quantity.bytes(costs.peakWorkerByteCount), Quantity.bytes(costs.sharedByteCount),
            Quantity.bytes(costs.pageCacheByteCount),
        ]
        return [name] + texts.map { Markup($0) }
    }

    private static func share(_ count: UInt64?, _ figures: Figures) -> String {
        guard let count, figures.work > 0 else { return Quantity.unknown }
        let share = Double(count) / Double(figures.work)
        return share < 9.95
            ? Format.fixed(share, 1) + " B" : Format.bytes(Int(min(share.rounded(), 1e18)))
    }
}
