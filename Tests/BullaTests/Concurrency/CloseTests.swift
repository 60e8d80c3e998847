import Bulla
import Testing

/// The store is closed in the middle of a read; by the reader itself, so that it is the middle.
@Suite struct `A read that goes on after its store was closed` {
    private let scratch: Scratch

    init() throws { scratch = try Scratch() }

    private func open(_ kind: StoreKind) throws -> Store {
        let store = try kind.open(scratch.path("s.bulla"), pageByteCount: 4096)
        try store.write { change in
            let tree = try change.createTree("t")
            for number in 0..<5000 { try change.put("key \(number)", "v \(number)", in: tree) }
            let assets = try change.createTree("assets")
            try change.put("a", [UInt8](repeating: 7, count: 1 << 20), in: assets)
        }
        return store
    }

    @Test(arguments: StoreKind.allCases, [ScanOrder.ascending, .descending])
    func `ends a scan with an error, one leaf later at most`(
        kind: StoreKind, order: ScanOrder
    ) throws {
        let store = try open(kind)
        let snapshot = try store.snapshot()
        var count = 0
        let error = refusal {
            try snapshot.scan(try snapshot.tree("t"), order: order) { _, _ in
                count += 1
                if count == 1000 { try store.close() }
                return .next
            }
        }
        #expect(error?.code == .closed, "\(String(describing: error))")
        // A page of 4096 bytes has no room for more.
        #expect(count < 1000 + 400)
    }

    @Test(arguments: StoreKind.allCases)
    func `ends a scan that its closure stops, too`(kind: StoreKind) throws {
        let store = try open(kind)
        let snapshot = try store.snapshot()
        let error = refusal {
            try snapshot.scan(try snapshot.tree("t")) { _, _ in
                try store.close()
                return .stop
            }
        }
        #expect(error?.code == .closed, "\(String(describing: error))")
    }

    @Test(arguments: StoreKind.allCases)
    func `ends a stream of a large value`(kind: StoreKind) throws {
        let store = try open(kind)
        let snapshot = try store.snapshot()
        var count = 0
        let error = refusal {
            _ = try snapshot.streamValue(forKey: "a", in: try snapshot.tree("assets")) { _ in
                count += 1
                try store.close()
            }
        }
        #expect(error?.code == .closed, "\(String(describing: error))")
        #expect(count == 1)
    }

    @Test(arguments: StoreKind.allCases)
    func `ends a visit of the trees`(kind: StoreKind) throws {
        let store = try open(kind)
        let snapshot = try store.snapshot()
        let error = refusal { try snapshot.forEachTree { _, _ in try store.close() } }
        #expect(error?.code == .closed, "\(String(describing: error))")
    }
}
