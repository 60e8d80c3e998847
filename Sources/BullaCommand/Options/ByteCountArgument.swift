internal import ArgumentParser
internal import BullaText

/// A byte count on the command line: `1048576`, `256KiB`, `64MiB` or `2GiB`.
struct ByteCountArgument: ExpressibleByArgument {
    let byteCount: Int

    private static let units = [("KiB", 10), ("MiB", 20), ("GiB", 30)]

    init?(argument: String) {
        var (digits, shift) = (argument[...], 0)
        for (unit, unitShift) in Self.units where argument.hasSuffix(unit) {
            (digits, shift) = (argument.dropLast(unit.count), unitShift)
        }
        guard let count = Int(digits), count >= 0, count <= Int.max >> shift else { return nil }
        byteCount = count << shift
    }
}
