/// Whether two results are parts of the same thing.
struct MergeCheck {
    private let first: ResultMerge.Part
    private let other: ResultMerge.Part

    init(_ first: ResultMerge.Part, _ other: ResultMerge.Part) {
        self.first = first
        self.other = other
    }

    /// - Throws: ``BenchExit/input``, with what differs.
    func check() throws {
        let (one, two) = (first.result, other.result)
        try check("command", one.command, two.command)
        try check("shard count", one.identity.shard.count, two.identity.shard.count)
        try checkSettings(one.settings, two.settings)
        try check("inputs", one.inputs.map(\.name), two.inputs.map(\.name))
        try check("contenders", one.contenders.map(Self.text), two.contenders.map(Self.text))
    }

    /// Repeats of the same shard worked on the same records, and whole runs on the same in all.
    static func checkInputs(_ repeats: [MergeRepeat]) throws {
        for (place, later) in repeats.enumerated() {
            for earlier in repeats.prefix(place) {
                for part in later.parts {
                    guard let same = earlier.parts.first(where: { $0.shard == part.shard }) else {
                        continue
                    }
                    try MergeCheck(same, part).check(
                        "records", same.result.inputs.map(text), part.result.inputs.map(text))
                }
            }
        }
    }

    private func checkSettings(_ one: RunSettings, _ two: RunSettings) throws {
        try check("workers", one.workers, two.workers)
        try check("threads", one.threads, two.threads)
        try check("target", one.target, two.target)
        try check("precision", one.precision, two.precision)
        try check("limit of seconds", one.secondLimit, two.secondLimit)
        try check("limit of rounds", one.roundLimit, two.roundLimit)
        try check("number of operations", one.operationCount, two.operationCount)
        try check("rate", one.rate, two.rate)
        try check("number of records", one.recordCount, two.recordCount)
        try check("number of fields", one.fieldCount, two.fieldCount)
        try check("bytes of a field", one.fieldByteCount, two.fieldByteCount)
        try check("values", one.values, two.values)
        try check("placement", one.placement, two.placement)
        // What is left may differ; should there be more settings one day, they may not.
        var rest = two
        (rest.seed, rest.directory) = (one.seed, one.directory)
        try check("settings", one == rest, true)
    }

    private func check<Value: Equatable>(_ name: String, _ one: Value, _ two: Value) throws {
        guard one != two else { return }
        throw BenchError(
            .input,
            "merge \(first.name) and \(other.name): their \(name) differ: \(Self.text(one)) and "
                + "\(Self.text(two))")
    }

    private static func text<Value>(_ value: Value) -> String {
        if let texts = value as? [String] { return texts.joined(separator: ", ") }
        let text = "\(value)"
        return text.hasPrefix("Optional(") ? String(text.dropFirst(9).dropLast()) : text
    }

    private static func text(_ facts: ContenderFacts) -> String {
        "\(facts.name) (\(facts.engine), \(facts.configuration))"
    }

    private static func text(_ input: ResultInput) -> String {
        "\(input.name): \(input.digest)"
    }
}
