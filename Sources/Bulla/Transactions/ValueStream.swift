internal import BullaMemory

extension FoundValue {
    var byteCount: UInt64 {
        switch self {
        case .bytes(let bytes): UInt64(bytes.count)
        case .large(let value): value.byteCount
        }
    }
}

extension TreeAccess {
    /// Bytes lent at a time: some pages, so that their opening is shared.
    private static let chunkByteCount = 1 << 18

    func read(
        _ value: FoundValue, at offset: UInt64, count: Int, into buffer: inout [UInt8]
    ) throws(BullaError) {
        switch value {
        case .bytes(let bytes):
            let start = Int(offset)
            buffer.replaceSubrange(0..<count, with: bytes[start..<start + count])
        case .large(let value):
            let chunk = try Buffer.make(Self.chunkByteCount)
            var done = 0
            while done < count {
                let part = min(count - done, Self.chunkByteCount)
                let target = chunk.bytes.slice(0, part)
                try read(value, at: offset + UInt64(done), into: target)
                buffer.replaceSubrange(done..<done + part, with: target.view.copied())
                done += part
            }
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
        case .bytes(let bytes): try bytes.withView { try $0.withSpan(body) }
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
