internal import BullaMemory

extension FilterRun {
    /// Decodes the value found at the end of a path.
    ///
    /// - Throws: `damaged` or `unknownValue`, which name the first property on the path.
    static func value<Value: PropertyValue>(
        of bytes: [UInt8]?, _ path: Path, _ table: ObjectTable, _ bindings: _ObjectBindings
    ) throws(ObjectError) -> Value {
        guard case .property(let number) = path.steps.first else {
            throw ObjectError(.invalidModel, "read \(table.model.name): the path has no property")
        }
        return try bytes.lend { view throws(ObjectError) in
            try Value(
                from: PropertyBytes(
                    value: view, bindings: bindings, layout: table.layout, number: number,
                    depth: 0))
        }
    }
}
