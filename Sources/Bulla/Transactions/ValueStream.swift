internal import BullaMemory

extension TreeAccess {
    /// Bytes lent at a time: some pages, so that their opening is shared.
    private static let chunkByteCount = 1 << 18

    func read(
        _ value: FoundValue, at offset: UInt64, into target: MutableByteView
    ) throws(BullaError) {
        switch value {
        case .short(let buffer, _):
            target.copy(buffer.bytes.view.slice(Int(offset), target.byteCount), to: 0)
        case .large(let value): try read(value, at: offset, into: target)
        }
    }

    func stream(_ value: FoundValue, _ body: (RawSpan) throws -> Void) throws {
        guard state == nil else { return try lendParts(of: value, body) }
        try lending {
            try lendParts(of: value) { part in try Self.callers { try body(part) } }
        }
    }

    private func lendParts(of value: FoundValue, _ body: (RawSpan) throws -> Void) throws {
        switch value {
        case .short(let buffer, let byteCount):
            try buffer.bytes.view.slice(0, byteCount).withSpan(body)
        case .large(let value):
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
        if let state = state?.state {
            try state.read(value, at: offset, into: target)
        } else {
            try reading { () throws(BullaError) in
                try pager.read(value, at: offset, into: target)
            }
        }
    }
}
