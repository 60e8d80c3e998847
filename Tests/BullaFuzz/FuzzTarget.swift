internal import Foundation

/// What is fuzzed: `BULLA_FUZZ_TARGET` says which.
enum FuzzTarget: String, CaseIterable {
    /// What tells whose file it is, as it lies in the file.
    case header
    /// The sealed master secret.
    case keyring
    /// A meta page, authenticated whatever it says.
    case meta
    /// Pages with whole seals, whatever they say.
    case leaf, branch, index, catalog
    /// Frames of the log with whole seals, whatever they say, and headers and frames without.
    case log
    /// The coordination file, while several have the store open.
    case world
    /// What `bulla load` reads.
    case csv, jsonl, packages, dump
    /// What a vault has sealed, once it is open.
    case entity
    /// What clients send to the service of records.
    case json, wire, tokens, form
    /// A schema as text.
    case schema
    /// Records, rows and keyrings, as a store has them.
    case sealed
    /// What the trees of objects hold.
    case objects

    static let chosen: FuzzTarget = {
        let name = ProcessInfo.processInfo.environment["BULLA_FUZZ_TARGET"] ?? ""
        guard let target = FuzzTarget(rawValue: name) else {
            preconditionFailure("BULLA_FUZZ_TARGET names none of the targets")
        }
        return target
    }()

    func run(_ input: FuzzInput) {
        switch self {
        case .header, .keyring: PreambleFuzz(self).run(input)
        case .meta, .leaf, .branch, .index, .catalog: PageFuzz(self).run(input)
        case .log: LogFuzz.run(input)
        case .world: WorldFuzz.run(input)
        case .csv, .jsonl, .packages, .dump: RecordFuzz(self).run(input)
        case .entity: EntityFuzz.run(input)
        case .json: JSONFuzz.run(input)
        case .wire: WireFuzz.run(input)
        case .tokens: TokenFuzz.run(input)
        case .form: FormFuzz.run(input)
        case .schema: SchemaFuzz.run(input)
        case .sealed: SealedFuzz.run(input)
        case .objects: ObjectFuzz.run(input)
        }
    }

    /// Inputs to begin with.
    var seeds: [[UInt8]] {
        switch self {
        case .header, .keyring: PreambleFuzz(self).seeds
        case .meta, .leaf, .branch, .index, .catalog: PageFuzz(self).seeds
        case .log: LogFuzz.seeds
        case .world: WorldFuzz.seeds
        case .csv, .jsonl, .packages, .dump: RecordFuzz(self).seeds
        case .entity: EntityFuzz.seeds
        case .json: JSONFuzz.seeds
        case .wire: WireFuzz.seeds
        case .tokens: TokenFuzz.seeds
        case .form: FormFuzz.seeds
        case .schema: SchemaFuzz.seeds
        case .sealed: SealedFuzz.seeds
        case .objects: ObjectFuzz.seeds
        }
    }
}
