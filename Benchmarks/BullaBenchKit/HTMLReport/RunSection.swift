internal import BullaText

/// One result's circumstances: contenders, machine and settings.
struct RunSection: Sendable {
    let result: BenchResult
    let letter: String?

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
        Markup("div", ["class": "block"], [Markup("h3", [:], title), PageSection.list(entries)])
    }

    private var contenders: [(name: String, text: String)] {
        result.contenders.map { facts in
            let cipher = facts.isEncrypted ? "encrypted" : "not encrypted"
            let parts = [facts.engine, cipher, facts.configuration]
            return (facts.name, parts.filter { !$0.isEmpty }.joined(separator: "; "))
        }
    }

    private var inputs: [(name: String, text: String)] {
        result.inputs.map { ($0.name, "\($0.text); digest: \($0.digest)") }
    }

    private var machine: [(name: String, text: String)] {
        result.machine.factsAtStart + [
            ("host", result.identity.host), ("took", Format.fixed(result.seconds, 0) + " s"),
        ]
    }

    private var noise: [(name: String, text: String)] {
        let noise = result.noise
        return [
            ("other processes", Measure.percent(noise.foreignShare) + " of the machine's time"),
            ("taken by the host", Measure.percent(noise.stolenShare) + " of the machine's time"),
            ("judged", noise.warning ?? "quiet enough"),
        ]
    }

    private var placement: String {
        ([result.settings.placement] + result.places).joined(separator: "; ")
    }

    private var settings: [(name: String, text: String)] {
        let settings = result.settings
        return [
            ("command", "bulla-bench \(result.command)"),
            ("run", "\(result.identity.run), shard \(result.identity.shard)"),
            ("workers \u{D7} threads", "\(settings.workers) \u{D7} \(settings.threads)"),
            ("target", Measure.percent(settings.target) + " more time"),
            ("precision", settings.precision.map(Measure.percent) ?? "all rounds are run"),
            ("limits", "\(settings.secondLimit) s, \(settings.roundLimit) rounds"),
            ("operations", settings.operationCount.map { "\($0)" } ?? "calibrated by time"),
            ("loop", settings.rate.map { "open, " + Format.count($0) + "/s" } ?? "closed"),
            (
                "records",
                "\(settings.recordCount), of \(settings.fieldCount) field(s) of "
                    + "\(settings.fieldByteCount) bytes, \(settings.values)"
            ), ("placement", placement), ("folder", settings.directory),
            ("seed", "\(settings.seed)"),
            ("schema", "\(result.schema), version \(result.schemaVersion)"),
        ]
    }
}
