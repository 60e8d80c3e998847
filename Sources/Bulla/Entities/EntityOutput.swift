internal import BullaMemory

/// What one encoding writes, and where the items stand that may still grow.
///
/// All of it lies in one row, in secret memory. As a rule a container writes at the end of the row:
/// it and all around it are *open*. Codable lets a caller hold a container, write to the one
/// around it, and come back: the container is closed then, what it gets is inserted where it ends,
/// and what lies behind moves up. Heads stay the shortest ones, and grow in their place.
///
/// The frames that a value makes go away when its `encode(to:)` returns. A container that is used
/// later is refused: ``EncodingRefusal/late``.
final class EntityOutput {
    /// What has been written.
    private(set) var writer = SecretWriter()
    let userInfo: [CodingUserInfoKey: Any]
    /// What a verb that cannot throw ran into; all that follow throw it.
    private(set) var failure: (any Error)?
    private var frames: [EncodingFrame] = []
    /// The innermost open frame; those around it are open too.
    private var top = -1
    private var lastSerial = 0
    private var nesting = 0

    init(userInfo: [CodingUserInfoKey: Any]) { self.userInfo = userInfo }

    /// Gives the writer for another one.
    func exchangeWriter(for other: inout SecretWriter) { swap(&writer, &other) }

    /// Begins the entity itself.
    func begin() throws -> EncodingPlace {
        frames.reserveCapacity(8)
        let head = try room(1)
        return makeFrame(origin: head, head: head, in: -1)
    }

    /// Refuses every container that is still about.
    func end() { dropFrames(from: 0) }

    func removeAll() { writer.removeAll() }

    func fail(_ error: any Error) { failure = failure ?? error }

    /// How many items, or pairs, a container has; none, of one that has gone away.
    func count(at place: EncodingPlace) -> Int { isCurrent(place) ? frames[place.index].count : 0 }

    /// Runs the encoding of a value inside another, of which there are not too many.
    ///
    /// What it runs may call for itself without an array or map between; so these are not all.
    func nest<R>(_ body: () throws -> R) throws -> R {
        guard nesting < EntityLimit.nestedCalls else { throw EncodingRefusal.tooDeep }
        nesting += 1
        defer { nesting -= 1 }
        return try body()
    }

    /// Makes an item an array or a map, or goes on with the one that it is.
    func open(_ kind: EncodingFrame.Kind, at place: EncodingPlace) throws {
        let index = try index(of: place)
        guard frames[index].kind != kind else { return }
        guard frames[index].kind == .empty else { throw EncodingRefusal.mixed }
        guard frames[index].depth < CBORCheck.depthLimit else { throw EncodingRefusal.tooDeep }
        frames[index].kind = kind
        storeHead(of: index)
    }

    /// Writes an item that has none inside, in place of nothing.
    func encode(_ scalar: CBORScalar, at place: EncodingPlace) throws {
        let index = try index(of: place)
        guard frames[index].kind == .empty else { throw EncodingRefusal.second }
        // One byte is there.
        let end = try room(try byteCount(of: scalar) - 1, in: index)
        frames[index].kind = .single
        scalar.store(in: &writer, at: end - 1)
    }

    /// Adds an item that has none inside.
    func add(_ scalar: CBORScalar, key: String?, to place: EncodingPlace) throws {
        let index = try index(of: place)
        let keyByteCount = key.map(CBORScalar.byteCount(of:)) ?? 0
        let start = try room(keyByteCount + byteCount(of: scalar), in: index)
        if let key { CBORScalar.store(key, in: &writer, at: start) }
        scalar.store(in: &writer, at: start + keyByteCount)
        try addOne(to: index)
    }

    /// Adds an item that grows as long as the container around it does.
    func addFrame(key: String?, to place: EncodingPlace) throws -> EncodingPlace {
        let frame = try makeFrame(key: key, in: index(of: place))
        try addOne(to: place.index)
        return frame
    }

    /// Adds an item that grows as long as `body` runs; adds nothing where it throws.
    func addFrame(
        key: String?, to place: EncodingPlace, _ body: (EncodingPlace) throws -> Void
    ) throws {
        let index = try index(of: place)
        let frame = try makeFrame(key: key, in: index)
        defer { dropFrames(from: frame.index) }
        do { try nest { try body(frame) } } catch {
            cut(frame.index, from: frames[frame.index].origin)
            throw error
        }
        try addOne(to: index)
    }

    /// Lets `body` encode an item in place of nothing; leaves nothing where it throws.
    func fill(_ place: EncodingPlace, _ body: () throws -> Void) throws {
        let index = try index(of: place)
        guard frames[index].kind == .empty else { throw EncodingRefusal.second }
        let frameCount = frames.count
        do { try nest(body) } catch {
            dropFrames(from: frameCount)
            cut(index, from: frames[index].head + 1)
            frames[index].kind = .empty
            frames[index].count = 0
            storeHead(of: index)
            throw error
        }
    }

    private func byteCount(of scalar: CBORScalar) throws -> Int {
        if case .wide = scalar { throw EncodingRefusal.wide }
        return scalar.byteCount
    }

    private func isCurrent(_ place: EncodingPlace) -> Bool {
        frames.indices.contains(place.index) && frames[place.index].serial == place.serial
    }

    private func index(of place: EncodingPlace) throws -> Int {
        if let failure { throw failure }
        guard isCurrent(place) else { throw EncodingRefusal.late }
        return place.index
    }

    private func makeFrame(key: String?, in index: Int) throws -> EncodingPlace {
        let keyByteCount = key.map(CBORScalar.byteCount(of:)) ?? 0
        let origin = try room(keyByteCount + 1, in: index)
        if let key { CBORScalar.store(key, in: &writer, at: origin) }
        return makeFrame(origin: origin, head: origin + keyByteCount, in: index)
    }

    private func makeFrame(origin: Int, head: Int, in parent: Int) -> EncodingPlace {
        let isFirst = parent < 0
        lastSerial += 1
        let index = frames.count
        var frame = EncodingFrame(
            serial: lastSerial, parent: parent, depth: isFirst ? 0 : frames[parent].depth + 1,
            origin: origin, head: head)
        if isFirst || frames[parent].isOpen { top = index } else { frame.end = head + 1 }
        frames.append(frame)
        storeHead(of: index)
        return EncodingPlace(index: index, serial: lastSerial)
    }

    /// Drops the frames from `index` on; what they wrote stays.
    private func dropFrames(from index: Int) {
        while top >= index { top = frames[top].parent }
        frames.removeLast(frames.count - index)
    }
}

extension EntityOutput {
    /// Makes room at the end of an item, and says where.
    private func room(_ count: Int, in index: Int) throws -> Int {
        guard frames[index].isOpen else {
            let end = frames[index].end
            try insert(count, at: end, in: index)
            return end
        }
        while top != index {
            frames[top].end = writer.byteCount
            top = frames[top].parent
        }
        return try room(count)
    }

    /// Makes room at the end of all.
    private func room(_ count: Int) throws -> Int {
        let end = writer.byteCount
        try grow(count, at: end)
        return end
    }

    private func grow(_ count: Int, at offset: Int) throws {
        do throws(MemoryError) { try writer.insert(count, at: offset) } catch {
            let refused = BullaError.memory("encode entity", error)
            fail(refused)
            throw refused
        }
    }

    /// Makes room inside an item.
    private func insert(_ count: Int, at offset: Int, in index: Int) throws {
        try grow(count, at: offset)
        shift(by: count, from: offset, in: index)
    }

    /// Cuts off the end of an item.
    private func cut(_ index: Int, from start: Int) {
        let frame = frames[index]
        let end = frame.isOpen ? writer.byteCount : frame.end
        writer.remove(start..<end)
        shift(by: start - end, from: end, in: index)
    }

    /// Moves what lies behind an offset in an item, and the ends of all that it lies in.
    private func shift(by distance: Int, from offset: Int, in index: Int) {
        var around = index
        while around >= 0 {
            if !frames[around].isOpen { frames[around].end += distance }
            around = frames[around].parent
        }
        for other in frames.indices where frames[other].origin >= offset {
            frames[other].origin += distance
            frames[other].head += distance
            if !frames[other].isOpen { frames[other].end += distance }
        }
    }

    private func addOne(to index: Int) throws {
        let count = frames[index].count
        let growth =
            CBORScalar.headByteCount(UInt64(count + 1)) - CBORScalar.headByteCount(UInt64(count))
        if growth > 0 { try insert(growth, at: frames[index].head + 1, in: index) }
        frames[index].count = count + 1
        storeHead(of: index)
    }

    private func storeHead(of index: Int) {
        let frame = frames[index]
        let kind: CBORItem.Kind = frame.kind == .array ? .array : .map
        CBORScalar.storeHead(kind, UInt64(frame.count), in: &writer, at: frame.head)
    }
}
