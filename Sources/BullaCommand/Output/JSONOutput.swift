internal import FoundationEssentials

/// Values as JSON for machines: one line, members sorted by name.
enum JSONOutput {
    static func line(_ value: some Encodable) -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        guard let data = try? encoder.encode(value) else {
            // Only a number that is not finite could end here, and none is reported.
            return "{}\n"
        }
        return String(decoding: data, as: UTF8.self) + "\n"
    }
}
