internal import BullaMemory

/// Reads a value part by part, after a lookup has found it.
struct FoundValueReader {
    let access: TreeAccess
    let value: FoundValue

    /// How many bytes to lend at a time: several pages, so that they can be opened together.
    private static let chunkByteCount = 1 << 18

    /// Gives the value's buffer back to the pager.
    func end() { access.pager.giveBack(value) }

    /// Reads a part of the value, and returns how many bytes were read.
    func read(
        at offset: Int, into buffer: inout [UInt8]
    ) throws(BullaError) -> Int {
        let left = value.byteCount.subtractingOrZero(UInt64(offset))
        let count = Int(min(left, UInt64(buffer.count)))
        guard count > 0 else { return 0 }
        try buffer.withMutableView { buffer throws(BullaError) in
            try read(at: UInt64(offset), into: buffer.slice(0, count))
        }
        return count
    }

    /// Fills `target` with the value's bytes from `offset` on; the value must have enough of them.
    func read(at offset: UInt64, into target: MutableByteView) throws(BullaError) {
        switch value {
        case .short(let buffer, _):
            target.copy(buffer.bytes.view.slice(Int(offset), target.byteCount), to: 0)
        case .large(let value): try read(value, at: offset, into: target)
        case .kept(let bytes):
            let part = bytes.slice(Int(offset), target.byteCount)
            guard access.pages == nil else { return target.copy(part, to: 0) }
            // Copy inside the store's gate, because closing the store wipes the memtable that holds
            // the value.
            try access.claim.reading { () throws(BullaError) in target.copy(part, to: 0) }
        }
    }

    private func read(
        _ value: LargeValue, at offset: UInt64, into target: MutableByteView
    ) throws(BullaError) {
        if let pages = access.pages {
            try pages.read(value, at: offset, into: target)
        } else {
            try access.claim.reading { () throws(BullaError) in
                try access.pager.read(value, at: offset, into: target)
            }
        }
    }

    /// Lends the value part by part.
    func stream(_ body: (RawSpan) throws -> Void) throws {
        guard access.pages == nil else { return try lendParts(body) }
        try access.claim.lending {
            try lendParts { part in try ReaderClaim.callers { try body(part) } }
        }
    }

    private func lendParts(_ body: (RawSpan) throws -> Void) throws {
        switch value {
        case .short(let buffer, let byteCount):
            try buffer.bytes.view.slice(0, byteCount).withSpan(body)
        case .kept(let bytes): try bytes.withSpan(body)
        case .large(let value):
            try access.pager.checkHeight(of: value)
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
}
