internal import BullaText

/// How the time of one operation grows with the number of records, and with their mean length.
///
/// Both axes are logarithmic. So the curve is a straight line where the time grows as a power of
/// the number or length; a step in the curve shows where the store suddenly gets slower.
extension LineChart {
    /// The charts by the number of records, then those by their length.
    ///
    /// There is one chart for each workload and regime that was measured with different numbers of
    /// records of the same length, or with the same number of records of different lengths.
    static func growth(of rows: [PageRow], _ series: [Series]) -> [LineChart] {
        let rows = rows.compactMap { SizedRow($0) }
        return charts(
            of: rows, series, by: \.recordCount, constant: \.recordByteCount,
            Axis(name: "records", title: "records (logarithmic)") { Measure.tick($0, of: $0) })
            + charts(
                of: rows, series, by: \.recordByteCount, constant: \.recordCount,
                Axis(name: "record length", title: "bytes of a record (logarithmic)") {
                    Format.bytes(Int($0))
                })
    }

    private struct Axis {
        let name: String
        let title: String
        let text: (Double) -> String
    }

    private static func charts(
        of rows: [SizedRow], _ series: [Series], by number: KeyPath<SizedRow, Int>,
        constant: KeyPath<SizedRow, Int>, _ axis: Axis
    ) -> [LineChart] {
        let groups = rows.grouped { row in
            SizedRow.Group(key: row.key, constant: row[keyPath: constant])
        }
        return groups.compactMap { LineChart(growthOf: $0.elements, series, by: number, axis) }
    }

    private init?(
        growthOf rows: [SizedRow], _ series: [Series], by number: KeyPath<SizedRow, Int>,
        _ axis: Axis
    ) {
        let curves = series.compactMap { Self.curve($0, rows, by: number) }
        guard let first = rows.first?.row, !curves.isEmpty else { return nil }
        let points = curves.flatMap(\.points)
        let y = Scale.decades(
            points.map(\.y).min() ?? 1, points.map(\.y).max() ?? 1, from: Self.bottom, to: Self.top)
        self.init(
            title: first.workload + " \u{B7} " + first.input + ", by " + axis.name,
            curves: curves, xTitle: axis.title,
            xTicks: Set(points.map(\.x)).sorted().map { Tick(value: $0, text: axis.text($0)) },
            y: y, yTitle: "time for each of the \(first.unit), logarithmic",
            yTicks: y.ticks(apart: 16).map {
                Tick(value: $0, text: Measure.tick(nanoseconds: $0))
            })
    }

    /// A contender's curve; nil if `number` is the same in all of the contender's rows.
    private static func curve(
        _ series: Series, _ rows: [SizedRow], by number: KeyPath<SizedRow, Int>
    ) -> Curve? {
        let points = rows.compactMap { row -> Point? in
            guard let figures = row.row.figures(of: series.name), figures.throughput > 0,
                figures.throughput.isFinite
            else { return nil }
            let interval = figures.interval(scale: 1).map {
                Interval(lower: 1e9 / $0.upper, median: 1e9 / $0.median, upper: 1e9 / $0.lower)
            }
            return Point(
                x: Double(row[keyPath: number]), y: 1e9 / figures.throughput, interval: interval)
        }
        guard Set(points.map(\.x)).count > 1 else { return nil }
        return Curve(series: series, points: points.sorted { $0.x < $1.x })
    }
}

extension [LineChart] {
    /// The charts with their titles, for a section; `kind` is what they show, such as `scaling`.
    func figures(_ kind: String) -> [PageSection.Figure] {
        map { ($0.title, "median, and its 95 % interval", $0.markup("\(kind) of \($0.title)")) }
    }
}

/// A row, and the number and length of the records on which it was measured.
private struct SizedRow {
    struct Group: Equatable {
        let key: ResultRow.Key
        let constant: Int
    }

    let row: ResultRow
    let recordCount: Int
    /// The mean length of a key and its value.
    let recordByteCount: Int

    /// Nil if the result does not say how large its input is.
    init?(_ row: PageRow) {
        guard let input = row.result.inputs.first(where: { $0.name == row.row.input }),
            input.recordCount > 0, input.payloadByteCount > 0
        else { return nil }
        self.row = row.row
        recordCount = input.recordCount
        recordByteCount = max(1, input.payloadByteCount / input.recordCount)
    }

    /// A key that is the same for all rows that differ only in the number or length of the records.
    ///
    /// The row of a store that outgrew its cache has a regime of its own, but belongs to the same
    /// curve.
    var key: ResultRow.Key {
        var key = row.key
        if key.regime.temperature == .overCache { key.regime.temperature = .hot }
        return key
    }
}
