/// A run's result for people.
package enum OverheadText {
    /// A table for each input: a row for each workload, its regime below it.
    package static func lines(_ result: OverheadResult) -> [String] {
        result.inputs.flatMap { input in
            let rows = result.rows.filter { $0.input == input.name }
            return lines(rows, title: "input: " + text(input)) + [""]
        }
    }

    private static func lines(_ rows: [OverheadRow], title: String) -> [String] {
        let table = table(rows)
        var lines = [title, table[0]]
        for (row, line) in zip(rows, table.dropFirst()) {
            lines += [line, "    \(row.unit); latency of one \(row.step); \(row.regime.text)"]
        }
        return lines
    }

    /// The rows so far, narrow enough for any terminal.
    package static func draft(_ rows: [OverheadRow]) -> [String] {
        var table = TextTable(
            header: ["input", "workload", "plain", "encrypted", "enc./plain", "rounds"],
            leftColumnCount: 2)
        for row in rows {
            let cells = cells(row)
            table.append([row.input, cells[0], cells[1], cells[2], middle(row), cells[7]])
        }
        return table.lines
    }

    /// What was measured, on what.
    package static func heading(_ machine: Machine) -> [String] {
        let kind = machine.isVirtual ? " (virtual)" : ""
        let caches = machine.caches.joined(separator: ", ")
        let loads = machine.loadAverages.map { Format.fixed($0, 2) }.joined(separator: " ")
        return [
            "processor    \(machine.processor)\(kind), \(machine.coreCount) cores, "
                + "\(machine.numaNodeCount) NUMA node(s), caches: \(caches)",
            "system       \(machine.system), Linux \(machine.kernel), "
                + "memory \(Format.bytes(machine.memoryByteCount)), \(machine.openSSL)",
            "folder       " + fileSystem(machine.fileSystem),
            "started      \(machine.time), load \(loads), "
                + "a look at the clock costs \(Format.fixed(machine.clockNanoseconds, 0)) ns",
            "ratios       time encrypted / time plain: the median, and where it lies with 95 % "
                + "confidence",
        ]
    }

    /// The last lines: warnings, and the verdict.
    package static func ending(_ result: OverheadResult) -> [String] {
        var lines: [String] = []
        if let warning = result.noise.warning { lines.append("warning: \(warning)") }
        if result.rows.contains(where: { $0.ratios.count < Verdict.roundMinimum }) {
            lines.append(
                "warning: fewer than \(Verdict.roundMinimum) rounds decide nothing: more --time"
            )
        }
        lines.append("Every store was verified: it held what it had to, to the last record.")
        return lines + [verdict(result)]
    }

    private static func table(_ rows: [OverheadRow]) -> [String] {
        var table = TextTable(
            header: [
                "workload", "plain", "encrypted", "p50 plain / enc.", "p99 plain / enc.",
                "enc. / plain", "95 % interval", "rounds", "verdict",
            ], leftColumnCount: 1)
        for row in rows { table.append(cells(row)) }
        return table.lines
    }

    private static func cells(_ row: OverheadRow) -> [String] {
        [
            row.workload.rawValue,
            Format.count(row.plain.throughput) + "/s",
            Format.count(row.encrypted.throughput) + "/s",
            Format.times(row.plain.p50, row.encrypted.p50),
            Format.times(row.plain.p99, row.encrypted.p99),
            row.ratio.map { Format.fixed($0.median, 3) } ?? "-",
            row.ratio.map { Format.fixed($0.lower, 3) + " - " + Format.fixed($0.upper, 3) } ?? "-",
            "\(row.ratios.count)", row.verdict.rawValue,
        ]
    }

    /// The median ratio, known without an interval from the first round on.
    private static func middle(_ row: OverheadRow) -> String {
        row.ratios.joined().median.map { Format.fixed($0, 3) } ?? "-"
    }

    private static func text(_ input: OverheadResult.Input) -> String {
        let replaced =
            input.replacedCount == 0
            ? ""
            : ", \(input.replacedCount) replaced by later ones with the same key"
        return "\(input.name): \(input.recordCount) records, "
            + "\(Format.bytes(input.payloadByteCount)) of keys and values\(replaced)"
    }

    private static func fileSystem(_ fileSystem: FileSystem?) -> String {
        guard let fileSystem else { return "on an unknown file system" }
        return "on \(fileSystem.kind), \(fileSystem.source) at \(fileSystem.mountPoint), "
            + fileSystem.options
    }

    private static func verdict(_ result: OverheadResult) -> String {
        let target = Format.fixed(result.settings.target * 100, 1) + " %"
        let count = { (verdict: Verdict) in result.rows.count { $0.verdict == verdict } }
        return "verdict: \(result.verdict.rawValue.uppercased()) (target: encryption costs at most "
            + "\(target) of the time; \(count(.met)) met, \(count(.missed)) missed, "
            + "\(count(.undecided)) undecided)"
    }
}
