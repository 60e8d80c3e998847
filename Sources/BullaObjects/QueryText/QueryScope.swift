/// What the names in a query mean: properties of a model or of an embedded type, and backlinks of a
/// model.
struct QueryScope {
    fileprivate enum Owner {
        case model(ModelSchema)
        case embedded(EmbeddedSchema)
    }

    let bindings: _ObjectBindings
    private let owner: Owner
    /// The steps that precede the first name of a path.
    ///
    /// For an element of a list, a set or a backlink, there is one step: from the element to the
    /// object or embedded value that has the properties. For the query's own model, there are no
    /// steps.
    private let steps: [Path.Step]

    /// The maximum number of names that a path can have.
    private static let stepLimit = 64
    /// The maximum number of property names that a message lists.
    private static let nameLimit = 20

    private init(_ bindings: _ObjectBindings, _ owner: Owner, behind steps: [Path.Step]) {
        (self.bindings, self.owner, self.steps) = (bindings, owner, steps)
    }

    /// The properties of a model.
    init(_ model: ModelSchema, _ bindings: _ObjectBindings) {
        self.init(bindings, .model(model), behind: [])
    }

    /// The scope of an element at the end of a path; `nil` if the element has no properties.
    ///
    /// - Throws: if the element's model is still waiting to be migrated.
    func elements(of way: QueryWay) throws(QueryFault) -> QueryScope? {
        switch way.end {
        case .backlinks(let model):
            try check(model, way.offset)
            return QueryScope(bindings, .model(model), behind: [.link(model.number)])
        case .property(let property):
            guard property.isMany, let next = try next(of: property, way.offset) else {
                return nil
            }
            return QueryScope(bindings, next.owner, behind: [next.step])
        }
    }

    /// Resolves a path, but no further than its first backlink or property with many values.
    func way(_ path: PathSyntax) throws(QueryFault) -> QueryWay {
        var (owner, steps) = (owner, steps)
        var names = path.names[...]
        while let name = names.popFirst() {
            guard path.names.count <= Self.stepLimit else {
                throw QueryFault(path.offset, "the path has too many names")
            }
            guard let property = owner.property(named: name.text) else {
                return try backlinks(name, names, owner, steps)
            }
            steps.append(.property(property.number))
            let place = "\(owner.name).\(property.name)"
            guard let following = names.first, !property.isMany else {
                return QueryWay(
                    path: Path(steps: steps), end: .property(property), rest: Array(names),
                    name: place, offset: path.offset)
            }
            guard property.multiplicity != .dictionary,
                let next = try next(of: property, name.offset)
            else { throw QueryFault(following.offset, "\(place) has no properties") }
            steps.append(next.step)
            owner = next.owner
        }
        throw QueryFault(path.offset, "the name of a property is expected here")
    }

    /// The type whose properties continue a path: the link's target, or the embedded type.
    private func next(
        of property: PropertySchema, _ offset: Int
    ) throws(QueryFault) -> (step: Path.Step, owner: Owner)? {
        switch property.kind {
        case .link(let number):
            guard let model = bindings.tables.schema.model(number) else { return nil }
            try check(model, offset)
            return (.link(number), .model(model))
        case .embedded(let number):
            return bindings.tables.schema.embedded(number).map {
                (.embedded(number), .embedded($0))
            }
        case .scalar, .coded, .sealed, .secret, .content: return nil
        }
    }

    private func check(_ model: ModelSchema, _ offset: Int) throws(QueryFault) {
        do throws(ObjectError) {
            try bindings.checkWhole(model.number, model.name)
        } catch { throw QueryFault(offset, error.message) }
    }

    /// Resolves a backlink: `Employee.company`, seen from a company.
    private func backlinks(
        _ name: PathSyntax.Name, _ rest: ArraySlice<PathSyntax.Name>, _ owner: Owner,
        _ steps: [Path.Step]
    ) throws(QueryFault) -> QueryWay {
        guard case .model(let target) = owner,
            let source = bindings.tables.schema.model(named: name.text),
            let link = rest.first, let property = source.property(named: link.text),
            property.kind == .link(target.number),
            let index = bindings.tables[source.number]?.linkIndex(of: property.number)
        else { throw QueryFault(name.offset, missing(of: owner)) }
        try check(source, name.offset)
        let step = Path.Step.backlinks(model: source.number, index: index.number)
        return QueryWay(
            path: Path(steps: steps + [step]), end: .backlinks(source),
            rest: Array(rest.dropFirst()), name: "\(source.name).\(property.name)",
            offset: name.offset)
    }

    private func missing(of owner: Owner) -> String {
        let names = owner.properties.filter { !$0.isRetired }.map(\.name)
        let list = names.prefix(Self.nameLimit).joined(separator: ", ")
        return "\(owner.name) has no such property; it has \(list)"
            + (names.count > Self.nameLimit ? " and others" : "")
    }
}

extension QueryScope.Owner {
    fileprivate var name: String {
        switch self {
        case .model(let model): model.name
        case .embedded(let type): type.name
        }
    }

    fileprivate var properties: [PropertySchema] {
        switch self {
        case .model(let model): model.properties
        case .embedded(let type): type.properties
        }
    }

    fileprivate func property(named name: String) -> PropertySchema? {
        properties.first { $0.name == name && !$0.isRetired }
    }
}

/// Where a path in a query leads.
struct QueryWay {
    enum End {
        case property(PropertySchema)
        /// The objects of a model that link to the current object.
        case backlinks(ModelSchema)
    }

    let path: Path
    let end: End
    /// The names that follow a backlink or a property with many values.
    let rest: [PathSyntax.Name]
    /// What messages call the last property.
    let name: String
    let offset: Int

    func fault(_ message: String) -> QueryFault { QueryFault(offset, "\(name) \(message)") }

    /// The property, if it does not have many values.
    func single() throws(QueryFault) -> PropertySchema {
        guard case .property(let property) = end, !property.isMany,
            property.multiplicity != .dictionary
        else { throw fault("has many values") }
        return property
    }
}
