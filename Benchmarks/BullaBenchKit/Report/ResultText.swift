/// A run's result for people.
package enum ResultText {
    /// What was measured, on what.
    package static func heading(_ result: BenchResult) -> [String] {
        let machine = result.machine
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
        ] + contenders(result) + result.places.map { "placed       \($0)" } + [
            "ratios       time of one / time of the other for the same work: the median, and where "
                + "it lies with 95 % confidence"
        ]
    }

    /// A table for each input.
    package static func lines(_ result: BenchResult) -> [String] {
        result.inputs.flatMap { input in
            let rows = result.rows.filter { $0.input == input.name }
            return ["input: " + text(input)] + ResultTable.lines(rows) + [""]
        }
    }

    /// The rows so far, narrow enough for any terminal.
    package static func draft(_ rows: [ResultRow]) -> [String] {
        var table = TextTable(
            header: ["input", "workload", "fastest", "slowest", "ratio", "rounds"],
            leftColumnCount: 2)
        for row in rows {
            let rates = row.figures.map(\.throughput)
            table.append([
                row.input, row.workload, Format.count(rates.max() ?? 0) + "/s",
                Format.count(rates.min() ?? 0) + "/s",
                row.comparisons.first?.median.map { Format.fixed($0, 3) } ?? "-",
                "\(row.roundCount)",
            ])
        }
        return table.lines
    }

    /// The last lines: warnings, and the verdict.
    package static func ending(_ result: BenchResult) -> [String] {
        var lines = result.skipped.map { "skipped: \($0)" }
        if let warning = result.noise.warning { lines.append("warning: \(warning)") }
        if result.rows.contains(where: { $0.roundCount < Verdict.roundMinimum }) {
            lines.append(
                "warning: fewer than \(Verdict.roundMinimum) rounds decide nothing: more --time")
        }
        if let failure = result.failure {
            return lines + ["PARTIAL: the run ended early: \(failure)"]
        }
        lines.append("Every store was verified: it held what it had to, to the last record.")
        return lines + (hasTarget(result) ? [verdict(result)] : [])
    }

    private static func hasTarget(_ result: BenchResult) -> Bool {
        result.rows.contains { $0.verdict != nil }
    }

    private static func contenders(_ result: BenchResult) -> [String] {
        result.contenders.map { facts in
            Format.padRight(facts.name, 12) + " \(facts.engine), \(facts.configuration)"
        }
    }

    private static func text(_ input: ResultInput) -> String {
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

    private static func verdict(_ result: BenchResult) -> String {
        let target = Format.fixed(result.settings.target * 100, 1) + " %"
        let count = { (verdict: Verdict) in result.rows.count { $0.verdict == verdict } }
        return "verdict: \(result.verdict.rawValue.uppercased()) (target: encryption costs at most "
            + "\(target) of the time; \(count(.met)) met, \(count(.missed)) missed, "
            + "\(count(.undecided)) undecided)"
    }
}
