import BullaMemory
import BullaObjects
import BullaTestSupport
import Testing

@Suite struct `A row` {
    @Test(arguments: TestMode.seeds(20))
    func `holds what was put into it, in whatever order`(seed: UInt64) throws {
        var random = TestRandom(seed: seed)
        var draft = RowDraft()
        for _ in 0..<TestMode.pick(short: 50, long: 5_000) {
            let values = Self.values(&random)
            draft.begin(count: values.count)
            for number in values.indices.shuffled(using: &random) {
                guard let value = values[number] else { continue }
                value.withView { draft.set(number, $0) }
            }
            let bytes = try #require(draft.bytes())
            #expect(Self.read(bytes, count: values.count) == values)
            bytes.withView { view in
                guard case .unknown? = Row(view)?[values.count] else {
                    Issue.record("a property is known that was not")
                    return
                }
            }
        }
    }

    @Test(arguments: [0, 1, 254, 255, 256, 65_534, 65_535, 65_536, 1 << 20])
    func `has places for values of any length`(byteCount: Int) throws {
        var draft = RowDraft()
        draft.begin(count: 3)
        let value = [UInt8](repeating: 7, count: byteCount)
        value.withView { draft.set(1, $0) }
        [1].withView { draft.set(2, $0) }
        let bytes = try #require(draft.bytes())
        #expect(Self.read(bytes, count: 3) == [nil, value, [1]])
    }

    @Test(arguments: TestMode.seeds(20))
    func `whose bytes are damaged leads nowhere outside of them`(seed: UInt64) throws {
        var random = TestRandom(seed: seed)
        var draft = RowDraft()
        for _ in 0..<TestMode.pick(short: 500, long: 50_000) {
            let values = Self.values(&random)
            draft.begin(count: values.count)
            for (number, value) in values.enumerated() {
                value?.withView { draft.set(number, $0) }
            }
            var bytes = try #require(draft.bytes())
            SampleValue.damage(&bytes, &random)
            bytes.withView { view in
                guard let row = Row(view) else { return }
                for number in 0..<row.count {
                    guard case .value(let value) = row[number] else { continue }
                    #expect(value.byteCount <= view.byteCount)
                }
            }
        }
    }

    private static func values(_ random: inout TestRandom) -> [[UInt8]?] {
        let count = [0, 1, 7, 8, 9, 31, 32, 33, 63, 64, 65, 200].randomElement(using: &random)!
        return (0..<count).map { _ in
            random.isOne(in: 3) ? nil : random.bytes(random.below(random.isOne(in: 20) ? 400 : 12))
        }
    }

    private static func read(_ bytes: [UInt8], count: Int) -> [[UInt8]?]? {
        bytes.withView { view in
            guard let row = Row(view), row.count == count else { return nil }
            return (0..<count).map { number in
                if case .value(let value) = row[number] { value.copied() } else { nil }
            }
        }
    }
}

@Suite struct `A layout` {
    @Test func `lends a key as a property's value where it is one, and no byte more`() throws {
        let model = ModelSchema(
            number: 1, name: "Thing",
            properties: [
                PropertySchema(
                    number: 0, name: "id", kind: .scalar(.integer), multiplicity: .one)
            ], key: [0], indexes: [])
        let layout = ObjectLayout(model)
        var draft = RowDraft()
        draft.begin(count: 1)
        let row = try #require(draft.bytes())
        let five = Scalar.integer(5).bytes
        for (key, isWhole) in [(five, true), (five + [99], false), ([five[0]], false), ([], false)]
        {
            try key.withView { key in
                try row.withView { row in
                    let object = ObjectBytes(key: key, row: try #require(Row(row)))
                    #expect((layout.plainValue(0, of: object) != nil) == isWhole)
                }
            }
        }
    }
}

@Suite struct `A list of values` {
    @Test(arguments: TestMode.seeds(10))
    func `holds them in order`(seed: UInt64) {
        var random = TestRandom(seed: seed)
        for _ in 0..<TestMode.pick(short: 200, long: 20_000) {
            let values = (0..<random.below(12)).map { _ in random.bytes(random.below(300)) }
            var list = ElementList()
            for value in values { value.withView { list.append($0) } }
            #expect(Self.read(list.bytes) == values)
            #expect(list.bytes.withView { ElementReader($0).count() } == values.count)
            guard !values.isEmpty else { continue }
            var bytes = list.bytes
            SampleValue.damage(&bytes, &random)
            _ = Self.read(bytes)
        }
    }

    @Test func `that ends within a value is damaged`() {
        var list = ElementList()
        list.append(.string("abc"))
        for length in 1..<list.bytes.count {
            #expect(Array(list.bytes[..<length]).withView { ElementReader($0).count() } == nil)
        }
    }

    private static func read(_ bytes: [UInt8]) -> [[UInt8]]? {
        bytes.withView { view in
            var reader = ElementReader(view)
            var values: [[UInt8]] = []
            while let value = reader.next() { values.append(value.copied()) }
            return reader.isDamaged ? nil : values
        }
    }
}
