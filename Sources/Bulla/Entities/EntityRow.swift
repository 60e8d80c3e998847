internal import BullaMemory

/// The items of one encoding, and the places of those that can still grow.
///
/// All items lie in one row, in secret memory. A container usually writes at the end of the row;
/// then it and all that enclose it are *open*. Codable also lets a caller keep a container, write
/// to the enclosing one, and come back. By then the container is closed: new items are inserted at
/// its end, and whatever lies after it moves up. An item's head is always as short as it can be,
/// and grows in place.
struct EntityRow: ~Copyable {
    /// What has been written.
    private(set) var writer = SecretWriter()
    /// The first error of a call that cannot throw, or that could not get memory; later calls that
    /// look up an item throw this error.
    private(set) var failure: (any Error)?
    private var frames: [EncodingFrame] = []
    /// The innermost open frame; those that enclose it are open too.
    private var top = -1
    private var lastSerial = 0

    /// Swaps the writer with another one.
    mutating func exchangeWriter(for other: inout SecretWriter) { swap(&writer, &other) }

    mutating func fail(_ error: any Error) { failure = failure ?? error }

    /// Begins the entity itself.
    mutating func begin() throws -> EncodingPlace {
        frames.reserveCapacity(8)
        let head = try room(1)
        return makeFrame(origin: head, head: head, in: -1)
    }

    /// Makes every later use of a container fail.
    mutating func end() { dropFrames(from: 0) }

    mutating func removeAll() { writer.removeAll() }

    /// How many items or pairs a container has; 0 if its frame has been dropped.
    func count(at place: EncodingPlace) -> Int { isCurrent(place) ? frames[place.index].count : 0 }

    /// Makes an item an array or a map, unless it is one of that kind already.
    mutating func open(_ kind: EncodingFrame.Kind, at place: EncodingPlace) throws {
        let index = try index(of: place)
        guard frames[index].kind != kind else { return }
        guard frames[index].kind == .empty else { throw EncodingRefusal.mixed }
        guard frames[index].depth < CBORCheck.depthLimit else { throw EncodingRefusal.tooDeep }
        frames[index].kind = kind
        storeHead(of: index)
    }

    /// Writes a scalar in place of an item that is still empty.
    mutating func encode(_ scalar: CBORScalar, at place: EncodingPlace) throws {
        let index = try index(of: place)
        guard frames[index].kind == .empty else { throw EncodingRefusal.second }
        // The empty item already takes one byte.
        let end = try room(try byteCount(of: scalar) - 1, in: index)
        frames[index].kind = .single
        writer.withMutableView { scalar.store(in: $0, at: end - 1) }
    }

    /// Adds a scalar to an array or a map.
    mutating func add(_ scalar: CBORScalar, key: String?, to place: EncodingPlace) throws {
        let index = try index(of: place)
        let keyByteCount = key.map(CBORScalar.byteCount(of:)) ?? 0
        let start = try room(keyByteCount + byteCount(of: scalar), in: index)
        writer.withMutableView { bytes in
            if let key { CBORScalar.store(key, in: bytes, at: start) }
            scalar.store(in: bytes, at: start + keyByteCount)
        }
        try addOne(to: index)
    }

    /// Begins an item, which its container does not count yet.
    mutating func beginFrame(key: String?, in place: EncodingPlace) throws -> EncodingPlace {
        let index = try index(of: place)
        let keyByteCount = key.map(CBORScalar.byteCount(of:)) ?? 0
        let origin = try room(keyByteCount + 1, in: index)
        if let key { writer.withMutableView { CBORScalar.store(key, in: $0, at: origin) } }
        return makeFrame(origin: origin, head: origin + keyByteCount, in: index)
    }

    /// Counts an item that was begun.
    mutating func count(_ frame: EncodingPlace) throws {
        try addOne(to: frames[frame.index].parent)
    }

    /// Removes an item and its key.
    mutating func cancel(_ frame: EncodingPlace) {
        cut(frame.index, from: frames[frame.index].origin)
        dropFrames(from: frame.index)
    }

    /// How many frames there are before the item at `place` is encoded; encoding it can add more.
    ///
    /// - Throws: ``EncodingRefusal/second`` if the item is not empty.
    func frameCount(before place: EncodingPlace) throws -> Int {
        guard frames[try index(of: place)].kind == .empty else { throw EncodingRefusal.second }
        return frames.count
    }

    /// Makes an item empty again.
    mutating func clear(_ place: EncodingPlace, keeping frameCount: Int) {
        dropFrames(from: frameCount)
        cut(place.index, from: frames[place.index].head + 1)
        frames[place.index].kind = .empty
        frames[place.index].count = 0
        storeHead(of: place.index)
    }

    /// Drops the frames from `index` on; what they wrote stays.
    mutating func dropFrames(from index: Int) {
        while top >= index { top = frames[top].parent }
        frames.removeLast(frames.count - index)
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

    private mutating func makeFrame(origin: Int, head: Int, in parent: Int) -> EncodingPlace {
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
}

extension EntityRow {
    /// Makes room at the end of an item, and returns where the room begins.
    private mutating func room(_ count: Int, in index: Int) throws -> Int {
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

    /// Makes room at the end of the row.
    private mutating func room(_ count: Int) throws -> Int {
        let end = writer.byteCount
        try grow(count, at: end)
        return end
    }

    private mutating func grow(_ count: Int, at offset: Int) throws {
        do throws(MemoryError) { try writer.insert(count, at: offset) } catch {
            let refused = BullaError.memory("encode entity", error)
            fail(refused)
            throw refused
        }
    }

    /// Makes room inside an item.
    private mutating func insert(_ count: Int, at offset: Int, in index: Int) throws {
        try grow(count, at: offset)
        shift(by: count, from: offset, in: index)
    }

    /// Cuts off the end of an item.
    private mutating func cut(_ index: Int, from start: Int) {
        let frame = frames[index]
        let end = frame.isOpen ? writer.byteCount : frame.end
        writer.remove(start..<end)
        shift(by: start - end, from: end, in: index)
    }

    /// Updates the places of the frames after `offset`, and the ends of the frame at `index` and of
    /// those around it.
    private mutating func shift(by distance: Int, from offset: Int, in index: Int) {
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

    private mutating func addOne(to index: Int) throws {
        let count = frames[index].count
        let growth =
            CBORScalar.headByteCount(UInt64(count + 1)) - CBORScalar.headByteCount(UInt64(count))
        if growth > 0 { try insert(growth, at: frames[index].head + 1, in: index) }
        frames[index].count = count + 1
        storeHead(of: index)
    }

    private mutating func storeHead(of index: Int) {
        let frame = frames[index]
        let kind: CBORItem.Kind = frame.kind == .array ? .array : .map
        writer.withMutableView { bytes in
            CBORScalar.storeHead(kind, UInt64(frame.count), in: bytes, at: frame.head)
        }
    }
}
