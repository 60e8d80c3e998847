/// Shards that together do what one run does, each at most once.
struct MergeRepeat: Sendable {
    private static let nameLimit = 16

    let run: String
    let shardCount: Int
    /// Ascending by their shards.
    let parts: [ResultMerge.Part]

    /// The parts of each run, by the first of each of its shards, the second of each, and so on.
    static func all(of parts: [ResultMerge.Part]) -> [MergeRepeat] {
        var repeats: [(run: String, parts: [ResultMerge.Part])] = []
        for part in parts {
            let run = part.result.identity.run
            let place = repeats.firstIndex { other in
                other.run == run && !other.parts.contains { $0.shard == part.shard }
            }
            if let place {
                repeats[place].parts.append(part)
            } else {
                repeats.append((run, [part]))
            }
        }
        return repeats.map { run, parts in
            MergeRepeat(
                run: run, shardCount: parts[0].shard.count,
                parts: parts.sorted { $0.shard.index < $1.shard.index })
        }
    }

    var isComplete: Bool { parts.count == shardCount }

    /// The shards that nobody brought, by name; nil where all are there.
    var missing: String? {
        let there = Set(parts.map(\.shard.index))
        let indices = (0..<shardCount).filter { !there.contains($0) }
        guard !indices.isEmpty else { return nil }
        let names = indices.prefix(Self.nameLimit).map { "\($0)/\(shardCount)" }
        let more = indices.count > names.count ? " and \(indices.count - names.count) more" : ""
        return "of the run \(run), the shards \(names.joined(separator: ", "))\(more) are missing"
    }

    /// What all shards together worked on.
    var inputs: [ResultInput] {
        var inputs = parts[0].result.inputs
        for part in parts.dropFirst() {
            for (place, input) in part.result.inputs.enumerated() {
                inputs[place].recordCount += input.recordCount
                inputs[place].payloadByteCount += input.payloadByteCount
                inputs[place].digest = inputs[place].digest + input.digest
            }
        }
        return inputs
    }
}
