/// One result's circumstances: who took part, on what machine, with which settings.
struct RunSection: Sendable {
    private let result: BenchResult
    private let letter: String?

    init(_ result: BenchResult, letter: String?) {
        self.result = result
        self.letter = letter
    }

    var markup: Markup {
        let title = letter.map { "The run \($0)" } ?? "The run"
        return PageSection.markup(
            title,
            [
                block("Contenders", contenders), block("Inputs", inputs),
                block("Machine", machine), block("Noise", noise), block("Settings", settings),
            ])
    }

    private func block(_ title: String, _ entries: [(name: String, text: String)]) -> Markup {
        Markup(
            "div", ["class": "block"],
            [Markup("h3", [:], title), PageSection.list(entries)])
    }

    private var contenders: [(name: String, text: String)] {
        result.contenders.map { facts in
            let cipher = facts.isEncrypted ? "encrypted" : "not encrypted"
            let parts = [facts.engine, cipher, facts.configuration]
            return (facts.name, parts.filter { !$0.isEmpty }.joined(separator: "; "))
        }
    }

    private var inputs: [(name: String, text: String)] {
        result.inputs.map { input in
            let replaced =
                input.replacedCount == 0
                ? "" : ", \(input.replacedCount) replaced by later ones with the same key"
            return (
                input.name,
                "\(input.recordCount) records, \(Format.bytes(input.payloadByteCount)) of keys and "
                    + "values\(replaced); digest: \(input.digest)"
            )
        }
    }

    private var machine: [(name: String, text: String)] {
        let machine = result.machine
        let kind = machine.isVirtual ? " (virtual)" : ""
        let loads = machine.loadAverages.map { Format.fixed($0, 2) }.joined(separator: ", ")
        let folder = machine.fileSystem.map {
            "\($0.kind), \($0.source) at \($0.mountPoint), \($0.options)"
        }
        return [
            ("processor", machine.processor + kind),
            ("cores", "\(machine.coreCount), on \(machine.numaNodeCount) NUMA node(s)"),
            ("caches", machine.caches.joined(separator: ", ")),
            ("memory", Format.bytes(machine.memoryByteCount)),
            ("system", "\(machine.system), Linux \(machine.kernel)"),
            ("libcrypto", machine.openSSL), ("file system", folder ?? "unknown"),
            ("host", result.identity.host),
            ("started", "\(machine.time); took \(Format.fixed(result.seconds, 0)) s"),
            ("load before", loads),
            ("look at the clock", Quantity.time(machine.clockNanoseconds)),
        ]
    }

    private var noise: [(name: String, text: String)] {
        let noise = result.noise
        return [
            ("other processes", Quantity.percent(noise.foreignShare) + " of the machine's time"),
            ("taken by the host", Quantity.percent(noise.stolenShare) + " of the machine's time"),
            ("judged", noise.warning ?? "quiet enough"),
        ]
    }

    /// What was asked for, and what was obtained.
    private var placement: String {
        ([result.settings.placement] + result.places).joined(separator: "; ")
    }

    private var settings: [(name: String, text: String)] {
        let settings = result.settings
        return [
            ("command", "bulla-bench \(result.command)"),
            ("run", "\(result.identity.run), shard \(result.identity.shard)"),
            ("workers \u{D7} threads", "\(settings.workers) \u{D7} \(settings.threads)"),
            ("target", Quantity.percent(settings.target) + " more time"),
            ("precision", settings.precision.map(Quantity.percent) ?? "all rounds are run"),
            ("limits", "\(settings.secondLimit) s, \(settings.roundLimit) rounds"),
            ("operations", settings.operationCount.map { "\($0)" } ?? "calibrated by time"),
            ("loop", settings.rate.map { "open, " + Format.count($0) + "/s" } ?? "closed"),
            (
                "records",
                "\(settings.recordCount), of \(settings.fieldCount) field(s) of "
                    + "\(settings.fieldByteCount) bytes, \(settings.values)"
            ),
            ("placement", placement), ("folder", settings.directory),
            ("seed", "\(settings.seed)"),
            ("schema", "\(result.schema), version \(result.schemaVersion)"),
        ]
    }
}
