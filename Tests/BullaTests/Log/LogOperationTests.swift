import Bulla
import BullaCipher
import BullaMemory
import BullaTestSupport
import Testing

@Suite struct `Operations of the log` {
    private static let keyByteLimit = 1024

    /// An operation that owns its bytes.
    private enum Model: Equatable {
        case put(UInt64, [UInt8], [UInt8])
        case delete(UInt64, [UInt8])
        case createTree(UInt64, [UInt8])
        case dropTree(UInt64, [UInt8])
        case renameTree(UInt64, [UInt8], [UInt8])

        init(_ operation: LogOperation) {
            switch operation {
            case .put(let tree, let key, let value): self = .put(tree, key.copied(), value.copied())
            case .delete(let tree, let key): self = .delete(tree, key.copied())
            case .createTree(let tree, let name): self = .createTree(tree, name.copied())
            case .dropTree(let tree, let name): self = .dropTree(tree, name.copied())
            case .renameTree(let tree, let name, let newName):
                self = .renameTree(tree, name.copied(), newName.copied())
            }
        }

        init(_ random: inout TestRandom) {
            let tree = 1 + random.next() >> UInt64(3 + random.below(61))
            let name = random.bytes(1 + random.below(random.isOne(in: 4) ? 255 : 20))
            let key = random.bytes(1 + random.below(random.isOne(in: 10) ? 1024 : 40))
            switch random.below(8) {
            case 0: self = .createTree(tree, name)
            case 1: self = .dropTree(tree, name)
            case 2: self = .renameTree(tree, name, random.bytes(1 + random.below(255)))
            case 3: self = .delete(tree, key)
            default:
                self = .put(tree, key, random.bytes(random.below(random.pick([1, 200, 20_000]))))
            }
        }

        func lend<R>(_ body: (LogOperation) throws -> R) rethrows -> R {
            switch self {
            case .put(let tree, let key, let value):
                try key.withView { key in
                    try value.withView { try body(.put(tree: tree, key: key, value: $0)) }
                }
            case .delete(let tree, let key):
                try key.withView { try body(.delete(tree: tree, key: $0)) }
            case .createTree(let tree, let name):
                try name.withView { try body(.createTree(tree, name: $0)) }
            case .dropTree(let tree, let name):
                try name.withView { try body(.dropTree(tree, name: $0)) }
            case .renameTree(let tree, let name, let newName):
                try name.withView { name in
                    try newName.withView { try body(.renameTree(tree, name: name, newName: $0)) }
                }
            }
        }

        /// The encoding of the operation.
        var coded: [UInt8] {
            lend { operation in
                [UInt8](byteCount: operation.byteCount) { operation.write($0) }
            }
        }
    }

    private func decoded(_ bytes: [UInt8]) throws -> [Model] {
        try bytes.withView { bytes in
            var operations = LogOperations(
                bytes, keyByteLimit: Self.keyByteLimit, commit: 1)
            return try operations.all().map { Model($0) }
        }
    }

    /// Why bytes are refused; `nil` if they are read.
    private func refusal(of bytes: [UInt8]) -> BullaError.Code? {
        do { _ = try decoded(bytes) } catch { return (error as? BullaError)?.code }
        return nil
    }

    @Test(arguments: TestMode.seeds(20))
    func `come back as they were written`(seed: UInt64) throws {
        var random = TestRandom(seed: seed)
        let model = (0..<random.below(200)).map { _ in Model(&random) }
        #expect(try decoded(model.flatMap(\.coded)) == model)
    }

    @Test(arguments: TestMode.seeds(5))
    func `come back through a frame, in parts of any length`(seed: UInt64) throws {
        let log = try LogFixture(.aes256GCM, seed: seed)
        var random = TestRandom(seed: seed)
        let model = (0..<60).map { _ in Model(&random) }
        var (place, previous) = (log.end, log.previous)
        for operation in model {
            _ = try operation.lend { try log.append([$0], as: .part) }
        }
        var found: [Model] = []
        while let frame = try log.find(at: place, after: previous).frame {
            found += try frame.allOperations().map { Model($0) }
            (place, previous) = (place + frame.byteCount, frame.tag)
        }
        #expect(found == model)
        withExtendedLifetime(log) {}
    }

    @Test func `that were changed at random are read or refused, never a trap`() throws {
        var random = TestRandom(seed: 77)
        for _ in 0..<100 {
            let sound = (0..<1 + random.below(6)).flatMap { _ in Model(&random).coded }
            for _ in 0..<1000 {
                var bytes = sound
                for _ in 0..<1 + random.below(4) {
                    switch random.below(4) {
                    case 0 where bytes.count > 1: bytes.removeLast(random.below(bytes.count))
                    case 1: bytes.insert(UInt8(random.below(256)), at: random.below(bytes.count))
                    case 2: bytes[random.below(min(bytes.count, 16))] = UInt8(random.below(256))
                    default: bytes[random.below(bytes.count)] ^= 1 << random.below(8)
                    }
                }
                guard let read = try? decoded(bytes) else { continue }
                // Whatever is read has exactly one encoding.
                #expect(read.flatMap(\.coded) == bytes)
            }
        }
    }

    @Test func `that no writer writes are refused`() {
        let refused: [[UInt8]] = [
            // Unknown codes; a change of the catalog; numbers in a longer form than needed, or too
            // large; operations that are cut short.
            [0], [6], [255, 1, 1, 1], [2, 0, 1, 9], [2, 0x81, 0, 1, 9], [2, 1, 0x81, 0x00, 9],
            [2] + [UInt8](repeating: 0xff, count: 9) + [2, 1, 9],
            [2] + [UInt8](repeating: 0xff, count: 9) + [1, 1, 9],
            [2] + [UInt8](repeating: 0x80, count: 40), [2], [2, 1], [2, 1, 1], [1, 1, 1, 1, 9],
            // Keys and names of no bytes, or of too many.
            [2, 1, 0], [1, 1, 0, 1, 9], [3, 1, 0], [5, 1, 1, 0, 9],
            [2, 1, 0x81, 0x08] + [UInt8](repeating: 9, count: 1025),
            [3, 1, 0x80, 0x02] + [UInt8](repeating: 9, count: 256),
            // Byte counts beyond any memory.
            [1, 1, 1] + [UInt8](repeating: 0xff, count: 9) + [1, 9],
            [1, 1, 1] + [UInt8](repeating: 0xff, count: 8) + [0x7f, 9],
        ]
        for bytes in refused {
            #expect(refusal(of: bytes) == .corrupted, "\(bytes)")
        }
    }

    @Test func `take four bytes beside key and value, as a rule`() {
        let put = Model.put(9, [UInt8](repeating: 1, count: 16), [UInt8](repeating: 2, count: 100))
        #expect(put.coded.count == 16 + 100 + 4)
        #expect(FrameFormat.byteCount(bodyByteCount: 120) == 44 + 160)
    }

    @Test func `are refused again when asked again`() throws {
        let bytes: [UInt8] = [2, 1, 1, 9, 0]
        try bytes.withView { (bytes) throws in
            var operations = LogOperations(bytes, keyByteLimit: 10, commit: 1)
            let first = try operations.next()
            #expect(first != nil)
            for _ in 0..<2 {
                let again = Result { try operations.next() }
                if case .success = again { Issue.record("it is read") }
            }
        }
    }
}
