internal import BullaMemory

extension TreeAccess {
    /// Bytes lent at a time: some pages, so that their opening is shared.
    private static let chunkByteCount = 1 << 18

    /// Reads a part of a value; `nil` where there is no such key.
    func readValue(
        _ tree: Tree, _ key: RawSpan, at offset: Int, into buffer: inout [UInt8]
    ) throws(BullaError) -> Int? {
        try checkOffset(offset)
        guard let value = try found(tree, key) else { return nil }
        return try readValue(value, at: offset, into: &buffer)
    }

    func checkOffset(_ offset: Int) throws(BullaError) {
        guard offset < 0 else { return }
        throw BullaError(
            .invalidArgument,
            "read a value of \(core.parts.path): the offset is \(offset), and begins at 0")
    }

    /// Reads a part of a value that was found, and gives its memory back.
    func readValue(
        _ value: FoundValue, at offset: Int, into buffer: inout [UInt8]
    ) throws(BullaError) -> Int {
        defer { pager.giveBack(value) }
        let total = value.byteCount
        let count = Int(min(total.subtractingOrZero(UInt64(offset)), UInt64(buffer.count)))
        guard count > 0 else { return 0 }
        try buffer.withMutableView { buffer throws(BullaError) in
            try read(value, at: UInt64(offset), into: buffer.slice(0, count))
        }
        return count
    }

    /// Lends a value part by part; `false` where there is no such key.
    func streamValue(
        _ tree: Tree, _ key: RawSpan, _ body: (RawSpan) throws -> Void
    ) throws -> Bool {
        guard let value = try found(tree, key) else { return false }
        try stream(value, body)
        return true
    }

    /// Lends a value that was found part by part, and gives its memory back.
    func stream(_ value: FoundValue, _ body: (RawSpan) throws -> Void) throws {
        defer { pager.giveBack(value) }
        guard pages == nil else { return try lendParts(of: value, body) }
        try lending {
            try lendParts(of: value) { part in try Self.callers { try body(part) } }
        }
    }

    private func found(_ tree: Tree, _ key: RawSpan) throws(BullaError) -> FoundValue? {
        try key.withView { key throws(BullaError) in try found(tree, key) }
    }

    /// Reads a part of a value that was found, all of which is there.
    func read(
        _ value: FoundValue, at offset: UInt64, into target: MutableByteView
    ) throws(BullaError) {
        switch value {
        case .short(let buffer, _):
            target.copy(buffer.bytes.view.slice(Int(offset), target.byteCount), to: 0)
        case .large(let value): try read(value, at: offset, into: target)
        case .kept(let bytes):
            let part = bytes.slice(Int(offset), target.byteCount)
            guard pages == nil else { return target.copy(part, to: 0) }
            // Closing the store wipes what the log says.
            try reading { () throws(BullaError) in target.copy(part, to: 0) }
        }
    }

    private func lendParts(of value: FoundValue, _ body: (RawSpan) throws -> Void) throws {
        switch value {
        case .short(let buffer, let byteCount):
            try buffer.bytes.view.slice(0, byteCount).withSpan(body)
        case .kept(let bytes): try bytes.withSpan(body)
        case .large(let value):
            try pager.checkHeight(of: value)
            let chunk = try Buffer.make(Self.chunkByteCount)
            var position: UInt64 = 0
            while position < value.byteCount {
                let count = Int(min(value.byteCount - position, UInt64(Self.chunkByteCount)))
                let target = chunk.bytes.slice(0, count)
                try read(value, at: position, into: target)
                try target.view.withSpan(body)
                position += UInt64(count)
            }
        }
    }

    private func read(
        _ value: LargeValue, at offset: UInt64, into target: MutableByteView
    ) throws(BullaError) {
        if let pages {
            try pages.read(value, at: offset, into: target)
        } else {
            try reading { () throws(BullaError) in
                try pager.read(value, at: offset, into: target)
            }
        }
    }
}
