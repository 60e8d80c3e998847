internal import BullaMemory

/// Turns a test of a value into a filter.
struct TestBinder {
    private let way: QueryWay
    private let kind: PropertySchema.Kind
    private let bindings: _ObjectBindings

    init(_ way: QueryWay, _ kind: PropertySchema.Kind, _ bindings: _ObjectBindings) {
        (self.way, self.kind, self.bindings) = (way, kind, bindings)
    }

    /// The filter for the value at the end of a path.
    func filter(_ test: TestSyntax, at path: Path) throws(QueryFault) -> Filter {
        switch test {
        case .isNil: return .test(path, .isNil)
        case .isNotNil: return .not(.test(path, .isNil))
        case .compare(let comparison, let value, let ignoresCase):
            return ignoresCase
                ? try comparingLetters(comparison, value, at: path)
                : try comparing(comparison, value, at: path)
        case .oneOf(let values):
            let others = values.filter { !$0.isNil }
            let bytes = try others.map { value throws(QueryFault) in try self.bytes(value) }
            let isOne = Filter.test(path, .oneOf(Set(bytes)))
            return others.count == values.count ? isOne : .any([.test(path, .isNil), isOne])
        case .hasPrefix(let value, let ignoresCase):
            guard !ignoresCase else { return .test(path, .folded(.prefix, try letters(value))) }
            return .test(path, .hasPrefix(try part(value)))
        case .contains(let value, let ignoresCase):
            guard !ignoresCase else { return .test(path, .folded(.contains, try letters(value))) }
            return .test(path, .contains(try part(value)))
        }
    }

    /// The filter for a key's value in a dictionary.
    ///
    /// If the key or the dictionary is missing, the value counts as nil.
    func filter(_ test: TestSyntax, underKey key: String) throws(QueryFault) -> Filter {
        let bytes = Array(key.utf8)
        if case .isNotNil = test {
            return .not(try filter(.isNil, underKey: key))
        }
        let entry = Filter.test(way.path, .entry(bytes, try filter(test, at: .element)))
        return test.holdsOfNil ? .any([.test(way.path, .isNil), entry]) : entry
    }

    private func comparing(
        _ comparison: FilterWord.Comparison, _ value: LiteralSyntax, at path: Path
    ) throws(QueryFault) -> Filter {
        let isOrder = comparison != .equal && comparison != .unequal
        if value.isNil {
            guard !isOrder else {
                throw QueryFault(value.offset, "nil is neither less nor greater than anything")
            }
            return try filter(comparison == .equal ? .isNil : .isNotNil, at: path)
        }
        if isOrder, case .link = kind { throw way.fault("is a link, which has no order") }
        return .test(path, .compare(comparison, try bytes(value)))
    }

    private func comparingLetters(
        _ comparison: FilterWord.Comparison, _ value: LiteralSyntax, at path: Path
    ) throws(QueryFault) -> Filter {
        guard comparison == .equal || comparison == .unequal else {
            throw way.fault("has no order that ignores case")
        }
        let isSame = Filter.test(path, .folded(.equal, try letters(value)))
        return comparison == .equal ? isSame : .not(isSame)
    }
}

/// Values in tests.
extension TestBinder {
    /// A text for a comparison that ignores case.
    private func letters(_ value: LiteralSyntax) throws(QueryFault) -> String {
        guard kind == .scalar(.string) else { throw way.fault("is not a text, so it has no case") }
        guard case .string(let text) = value.value else {
            throw QueryFault(value.offset, "a string is expected here")
        }
        return text.folded
    }

    /// The bytes to look for in a text or in data.
    private func part(_ value: LiteralSyntax) throws(QueryFault) -> [UInt8] {
        guard kind == .scalar(.string) || kind == .scalar(.data) else {
            throw way.fault("is neither text nor data, so it has no parts")
        }
        return try bytes(value)
    }

    private func bytes(_ value: LiteralSyntax) throws(QueryFault) -> [UInt8] {
        switch kind {
        case .scalar(let type): return try scalar(value, type).bytes
        case .link(let target): return try key(value, of: target)
        case .embedded: throw way.fault("has properties: compare those, or ask whether it is nil")
        case .coded: throw way.fault("is a JSON value, and is compared only with nil")
        case .sealed, .secret, .content:
            throw way.fault("is sealed, and is compared only with nil")
        }
    }

    private func scalar(
        _ value: LiteralSyntax, _ type: ScalarType
    ) throws(QueryFault) -> Scalar {
        let scalar: Scalar? =
            switch value.value {
            case .string(let text): Scalar(string: text, type)
            case .number(let text): Scalar(number: text, type)
            case .boolean(let value): type == .boolean ? .boolean(value) : nil
            case .null, .parts: nil
            }
        guard let scalar else {
            throw QueryFault(value.offset, "\(way.name) must be compared with \(type.phrase)")
        }
        return scalar
    }

    private func key(_ value: LiteralSyntax, of target: Int) throws(QueryFault) -> [UInt8] {
        guard let model = bindings.tables.schema.model(target) else {
            throw way.fault("refers to nothing")
        }
        let values = if case .parts(let parts) = value.value { parts } else { [value] }
        guard values.count == model.keyTypes.count else {
            throw QueryFault(
                value.offset, "a key of \(model.name) has \(model.keyTypes.count) parts")
        }
        var parts: [Scalar] = []
        for (value, type) in zip(values, model.keyTypes) { parts.append(try scalar(value, type)) }
        do throws(ObjectError) {
            return try model.key(of: parts)
        } catch {
            throw QueryFault(value.offset, "NaN cannot be in a key")
        }
    }
}

extension LiteralSyntax {
    fileprivate var isNil: Bool { if case .null = value { true } else { false } }
}

extension TestSyntax {
    /// Whether the test holds for nil.
    fileprivate var holdsOfNil: Bool {
        switch self {
        case .isNil: true
        case .compare(.equal, let value, _): value.isNil
        case .compare(.unequal, let value, _): !value.isNil
        case .oneOf(let values): values.contains(where: \.isNil)
        case .compare, .isNotNil, .hasPrefix, .contains: false
        }
    }
}
