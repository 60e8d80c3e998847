/// Which of the regimes that were asked for this machine can have.
struct Regimes {
    let available: [Temperature]
    /// The others, each by name and with the reason.
    let skipped: [String]

    init(_ asked: [Temperature], _ scratch: Scratch) {
        let reasons = asked.map { Self.reasonUnavailable($0, scratch) }
        available = zip(asked, reasons).filter { $0.1 == nil }.map(\.0)
        skipped = zip(asked, reasons).compactMap { temperature, reason in
            reason.map { "\(temperature.rawValue): \($0)" }
        }
    }

    /// Those of them that a source is large enough for.
    func available(for source: Source, _ options: ComparisonOptions) -> [Temperature] {
        let isBound = reasonNotMemoryBound(source, options) == nil
        return available.filter { $0 != .memoryBound || isBound }
    }

    /// Why a source is left out where memory is to be less than data; nil where it is not.
    func reasonNotMemoryBound(_ source: Source, _ options: ComparisonOptions) -> String? {
        guard available.contains(.memoryBound) else { return nil }
        return MemoryBudget.reasonTooLarge(options, source).map {
            "\(Temperature.memoryBound.rawValue): \($0)"
        }
    }

    private static func reasonUnavailable(
        _ temperature: Temperature, _ scratch: Scratch
    ) -> String? {
        switch temperature {
        case .hot, .cold, .overCache, .empty: nil
        case .disk: reasonNotToDrop(scratch)
        case .memoryBound: MemoryGroup.reasonUnavailable() ?? reasonNotToDrop(scratch)
        }
    }

    /// Why a file in this folder cannot be dropped from the page cache; nil where it can.
    private static func reasonNotToDrop(_ scratch: Scratch) -> String? {
        let path = scratch.file("probe")
        defer { Folder.removeFile(path) }
        do {
            try Descriptor.create(path).write([UInt8](repeating: 1, count: 1 << 16))
            try PageCache.drop(path)
            return nil
        } catch {
            return "\(error)"
        }
    }
}
