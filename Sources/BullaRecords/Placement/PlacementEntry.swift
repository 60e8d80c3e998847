internal import BullaMemory

/// What the map says of a database: which site to ask.
package struct PlacementEntry: Hashable, Sendable {
    /// The site of the database; while it moves, the one that it leaves.
    package let home: String
    /// Counts the moves of the database; see ``HomeRow``.
    package let generation: UInt64
    package let state: State

    package enum State: Hashable, Sendable {
        case settled
        /// A mover brings it to another site.
        case moving(to: String)
        /// The database has come from another site, where its former copy is being deleted.
        case clearing(former: String)
    }

    package init(_ home: String, _ generation: UInt64, _ state: State = .settled) {
        (self.home, self.generation, self.state) = (home, generation, state)
    }

    /// Whether a call goes to the same site, and is allowed there in the same way.
    func hasSameHome(as other: PlacementEntry) -> Bool {
        home == other.home && generation == other.generation
    }
}

/// The entry as bytes: 1 byte of version, 8 of generation, 1 of state; then the home and the other
/// site, each after its byte count.
extension PlacementEntry {
    private static let version: UInt8 = 1

    var bytes: [UInt8] {
        var bytes = [Self.version]
        bytes.append(number: generation)
        let (number, other): (UInt8, String) =
            switch state {
            case .settled: (0, "")
            case .moving(let target): (1, target)
            case .clearing(let former): (2, former)
            }
        bytes.append(number)
        bytes.append(text: home)
        bytes.append(text: other)
        return bytes
    }

    init?(_ bytes: [UInt8]) {
        guard let entry = bytes.withView({ Self.entry($0) }) else { return nil }
        self = entry
    }

    private static func entry(_ view: ByteView) -> PlacementEntry? {
        var cursor = ByteCursor(view)
        guard cursor.next(UInt8.self) == version, let generation = cursor.next(UInt64.self),
            generation > 0, generation < .max,
            let number = cursor.next(UInt8.self), let home = cursor.nextText(),
            let other = cursor.nextText(), cursor.isAtEnd
        else { return nil }
        switch number {
        case 0: return PlacementEntry(home, generation)
        case 1: return PlacementEntry(home, generation, .moving(to: other))
        case 2: return PlacementEntry(home, generation, .clearing(former: other))
        default: return nil
        }
    }
}
