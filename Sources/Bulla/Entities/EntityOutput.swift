internal import BullaMemory

/// The output of one encoding, which all its containers share.
///
/// A frame is an item that can still grow. The frames that a value makes are dropped when its
/// `encode(to:)` returns. A container that is used after that throws ``EncodingRefusal/late``.
final class EntityOutput {
    let userInfo: [CodingUserInfoKey: any Sendable]
    private var row = EntityRow()
    private var nesting = 0

    init(userInfo: [CodingUserInfoKey: any Sendable]) { self.userInfo = userInfo }

    /// Encodes an entity in place of the writer's content, and checks the encoding; if either
    /// fails, the writer is left empty.
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

    /// Makes all later calls throw an error that the failed call could not throw itself.
    func fail(_ error: any Error) { row.fail(error) }

    func count(at place: EncodingPlace) -> Int { row.count(at: place) }

    func open(_ kind: EncodingFrame.Kind, at place: EncodingPlace) throws {
        try row.open(kind, at: place)
    }

    /// Writes a scalar in place of an item that is still empty.
    func encode(_ scalar: CBORScalar, at place: EncodingPlace) throws {
        try row.encode(scalar, at: place)
    }

    /// Adds a scalar to an array or a map.
    func add(_ scalar: CBORScalar, key: String?, to place: EncodingPlace) throws {
        try row.add(scalar, key: key, to: place)
    }

    /// Adds an item that can grow for as long as its container can.
    func addFrame(key: String?, to place: EncodingPlace) throws -> EncodingPlace {
        let frame = try row.beginFrame(key: key, in: place)
        try row.count(frame)
        return frame
    }

    /// Adds an item that can grow while `body` runs; adds nothing if `body` throws.
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

    /// Has `body` encode an item that is still empty; leaves it empty if `body` throws.
    func fill(_ place: EncodingPlace, _ body: () throws -> Void) throws {
        let frameCount = try row.frameCount(before: place)
        do { try nest(body) } catch {
            row.clear(place, keeping: frameCount)
            throw error
        }
    }

    /// Runs the encoding of a value inside another, unless too many are nested already.
    ///
    /// The limit on arrays and maps is not enough: a value can encode another one in its own place,
    /// without an array or a map.
    private func nest(_ body: () throws -> Void) throws {
        guard nesting < EntityLimit.nestedCalls else { throw EncodingRefusal.tooDeep }
        nesting += 1
        defer { nesting -= 1 }
        try body()
    }
}
