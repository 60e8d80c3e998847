internal import BullaMemory

/// What one encoding writes, for all containers of it.
///
/// The frames that a value makes go away when its `encode(to:)` returns. A container that is used
/// later is refused: ``EncodingRefusal/late``.
final class EntityOutput {
    let userInfo: [CodingUserInfoKey: any Sendable]
    private var row = EntityRow()
    private var nesting = 0

    init(userInfo: [CodingUserInfoKey: any Sendable]) { self.userInfo = userInfo }

    /// Encodes an entity in place of what the writer has, and checks it; nothing, where it throws.
    func encode(
        into writer: inout SecretWriter, _ body: (EncodingPlace) throws -> Void
    ) throws {
        writer.removeAll()
        row.exchangeWriter(for: &writer)
        defer {
            row.end()
            row.exchangeWriter(for: &writer)
        }
        do {
            try body(row.begin())
            if let failure = row.failure { throw failure }
            try row.writer.withView { try CBORCheck.check($0) }
        } catch {
            row.removeAll()
            throw error
        }
    }

    /// Has all that follow throw what a verb ran into that cannot throw.
    func fail(_ error: any Error) { row.fail(error) }

    func count(at place: EncodingPlace) -> Int { row.count(at: place) }

    func open(_ kind: EncodingFrame.Kind, at place: EncodingPlace) throws {
        try row.open(kind, at: place)
    }

    /// Writes an item that has none inside, in place of nothing.
    func encode(_ scalar: CBORScalar, at place: EncodingPlace) throws {
        try row.encode(scalar, at: place)
    }

    /// Adds an item that has none inside.
    func add(_ scalar: CBORScalar, key: String?, to place: EncodingPlace) throws {
        try row.add(scalar, key: key, to: place)
    }

    /// Adds an item that grows as long as the container around it does.
    func addFrame(key: String?, to place: EncodingPlace) throws -> EncodingPlace {
        let frame = try row.beginFrame(key: key, in: place)
        try row.count(frame)
        return frame
    }

    /// Adds an item that grows as long as `body` runs; adds nothing where it throws.
    func addFrame(
        key: String?, to place: EncodingPlace, _ body: (EncodingPlace) throws -> Void
    ) throws {
        let frame = try row.beginFrame(key: key, in: place)
        do { try nest { try body(frame) } } catch {
            row.cancel(frame)
            throw error
        }
        try row.count(frame)
        row.dropFrames(from: frame.index)
    }

    /// Lets `body` encode an item in place of nothing; leaves nothing where it throws.
    func fill(_ place: EncodingPlace, _ body: () throws -> Void) throws {
        let frameCount = try row.frameCount(before: place)
        do { try nest(body) } catch {
            row.clear(place, keeping: frameCount)
            throw error
        }
    }

    /// Runs the encoding of a value inside another, of which there are not too many.
    ///
    /// What it runs may call for itself without an array or map between; so these are not all.
    private func nest(_ body: () throws -> Void) throws {
        guard nesting < EntityLimit.nestedCalls else { throw EncodingRefusal.tooDeep }
        nesting += 1
        defer { nesting -= 1 }
        try body()
    }
}
