/// Turns a parsed condition into a filter, and resolves its names against a schema.
struct ConditionBinder {
    private let scope: QueryScope

    init(_ scope: QueryScope) { self.scope = scope }

    func filter(_ condition: ConditionSyntax) throws(QueryFault) -> Filter {
        switch condition {
        case .not(let part): return .not(try filter(part))
        case .all(let parts): return .all(try filters(parts))
        case .any(let parts): return .any(try filters(parts))
        case .isTrue(let path):
            let value = LiteralSyntax(value: .boolean(true), offset: path.offset)
            return try test(path, .compare(.equal, value, ignoresCase: false))
        case .test(let path, let test): return try self.test(path, test)
        case .compare(let one, let comparison, let other):
            return try compare(one, comparison, other)
        case .count(let path, let comparison, let value):
            return try count(path, comparison, value)
        case .elements(let path, let quantifier, let element):
            return try elements(path, quantifier, element)
        }
    }

    private func filters(_ parts: [ConditionSyntax]) throws(QueryFault) -> [Filter] {
        try parts.map { part throws(QueryFault) in try filter(part) }
    }

    private func test(
        _ path: PathSyntax, _ test: TestSyntax
    ) throws(QueryFault) -> Filter {
        let way = try scope.way(path)
        guard case .property(let property) = way.end, way.rest.isEmpty else {
            throw way.fault("has many values: say any, all, none or count")
        }
        let binder = TestBinder(way, property.kind, scope.bindings)
        guard property.multiplicity != .dictionary else {
            guard let key = path.key else {
                throw way.fault("is a dictionary: name a key of it in brackets")
            }
            return try binder.filter(test, underKey: key)
        }
        guard path.key == nil else { throw way.fault("is not a dictionary") }
        guard property.isMany else { return try binder.filter(test, at: way.path) }
        guard case .contains(let value, ignoresCase: false) = test else {
            throw way.fault("has many values: say any, all, none, count or contains")
        }
        let isElement = TestSyntax.compare(.equal, value, ignoresCase: false)
        return .elements(way.path, .some, try binder.filter(isElement, at: .element))
    }

    private func compare(
        _ one: PathSyntax, _ comparison: FilterWord.Comparison, _ other: PathSyntax
    ) throws(QueryFault) -> Filter {
        let ways = (try scope.way(one), try scope.way(other))
        let kinds = (try ways.0.single().kind, try ways.1.single().kind)
        guard one.key == nil, other.key == nil else { throw ways.0.fault("is not a dictionary") }
        guard kinds.0 == kinds.1 else {
            throw ways.1.fault("has another type than \(ways.0.name)")
        }
        switch kinds.0 {
        case .scalar: break
        case .link where comparison == .equal || comparison == .unequal: break
        default: throw ways.0.fault("cannot be compared in this way")
        }
        return .compare(ways.0.path, comparison, ways.1.path)
    }

    private func count(
        _ path: PathSyntax, _ comparison: FilterWord.Comparison, _ value: LiteralSyntax
    ) throws(QueryFault) -> Filter {
        let way = try many(path)
        guard way.rest.isEmpty else {
            throw QueryFault(way.rest[0].offset, "\(way.name) has many values: count it alone")
        }
        guard case .number(let text) = value.value, let count = Int(text) else {
            throw QueryFault(value.offset, "a whole number is expected here")
        }
        return .count(way.path, comparison, count)
    }

    private func elements(
        _ path: PathSyntax, _ quantifier: FilterWord.Quantifier, _ element: ElementSyntax
    ) throws(QueryFault) -> Filter {
        let way = try many(path)
        if case .test(let test) = element, way.rest.isEmpty {
            let kind: PropertySchema.Kind =
                switch way.end {
                case .property(let property): property.kind
                case .backlinks(let model): .link(model.number)
                }
            let binder = TestBinder(way, kind, scope.bindings)
            return .elements(way.path, quantifier, try binder.filter(test, at: .element))
        }
        guard let inner = try scope.elements(of: way) else {
            throw way.fault("has values without properties")
        }
        switch element {
        case .test(let test):
            let filter = try ConditionBinder(inner).test(PathSyntax(names: way.rest), test)
            return .elements(way.path, quantifier, filter)
        case .condition(let condition):
            guard way.rest.isEmpty else {
                throw QueryFault(
                    way.rest[0].offset, "\(way.name) has many values: parentheses follow it")
            }
            return .elements(way.path, quantifier, try ConditionBinder(inner).filter(condition))
        }
    }

    /// The path to backlinks, or to a property that has many values.
    private func many(_ path: PathSyntax) throws(QueryFault) -> QueryWay {
        let way = try scope.way(path)
        guard path.key == nil else { throw way.fault("takes no key here") }
        switch way.end {
        case .backlinks: return way
        case .property(let property) where property.isMany: return way
        case .property(let property) where property.multiplicity == .dictionary:
            throw way.fault("is a dictionary, whose values are asked for by their keys")
        case .property:
            throw way.fault("has one value at most, which is compared without any, all and none")
        }
    }
}
