internal import Foundation

/// The parsers to fuzz; `BULLA_FUZZ_TARGET` chooses one.
enum FuzzTarget: String, CaseIterable {
    /// The file header, as it lies in the file.
    case header
    /// The sealed master secret.
    case keyring
    /// A meta page with a valid seal, whatever its content.
    case meta
    /// Pages with valid seals, whatever their content.
    case leaf, branch, index, catalog
    /// Frames of the log with valid seals, whatever their content; also headers and frames without
    /// valid seals.
    case log
    /// The coordination file, while several processes have the store open.
    case world
    /// The inputs of `bulla load`.
    case csv, jsonl, packages, dump
    /// The content of a vault's blob after opening.
    case entity
    /// What clients send to the record service.
    case json, wire, tokens, form
    /// A schema as text.
    case schema
    /// Records, rows and keyrings, as a store keeps them.
    case sealed
    /// The content of the trees of objects.
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

    /// The first inputs.
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
