internal import Bulla

/// An object, and the object that one of its links refers to.
public struct LinkedObject<Base: Model, Target: Model>: Sendable {
    /// The object.
    public let base: Base
    /// The linked object; `nil` if the link is nil, or its target is missing.
    public let target: Target?
}

extension ObjectReader where Self: ~Copyable {
    /// The objects that a query selects, each with the object that a link refers to.
    ///
    /// - Throws: as for a fetch of the objects alone.
    /// - Complexity: the cost of the query, and one lookup for each linked object, however many of
    ///   the found objects link to it.
    public func fetch<Base: Model, Target: Model>(
        _ query: Query<Base>, with link: KeyPath<Base.Columns, Column<Base, Link<Target>?>>
    ) throws(ObjectError) -> [LinkedObject<Base, Target>] {
        try fetchLinked(query, Base.columns[keyPath: link].path)
    }

    /// The objects that a query selects, each with the object that a non-optional link refers to.
    public func fetch<Base: Model, Target: Model>(
        _ query: Query<Base>, with link: KeyPath<Base.Columns, Column<Base, Link<Target>>>
    ) throws(ObjectError) -> [LinkedObject<Base, Target>] {
        try fetchLinked(query, Base.columns[keyPath: link].path)
    }

    private func fetchLinked<Base: Model, Target: Model>(
        _ query: Query<Base>, _ link: ColumnPath
    ) throws(ObjectError) -> [LinkedObject<Base, Target>] {
        let way = try link.bound(to: bindings)
        let run = FilterRun(.constant(true), bindings.tables)
        var (found, targets) = ([LinkedObject<Base, Target>](), [Target.Key: Target?]())
        try forEachObject(query) { object, binding throws(ObjectError) in
            guard let table = binding.table else { return .stop }
            let base = try Base(object, binding, bindings)
            let bytes = try run.value(way, of: object, in: table, self)
            let link: Link<Target>? = try FilterRun.value(of: bytes, way, table, bindings)
            guard let key = link?.key else {
                found.append(LinkedObject(base: base, target: nil))
                return .next
            }
            if targets[key] == nil { targets[key] = .some(try fetch(Target.self, key: key)) }
            found.append(LinkedObject(base: base, target: targets[key] ?? nil))
            return .next
        }
        return found
    }
}
