/// One value for each side.
package struct Pair<Value> {
    package var plain: Value
    package var encrypted: Value

    package init(plain: Value, encrypted: Value) {
        self.plain = plain
        self.encrypted = encrypted
    }

    package init(_ make: (Side) throws -> Value) rethrows {
        plain = try make(.plain)
        encrypted = try make(.encrypted)
    }

    package subscript(side: Side) -> Value {
        get { side == .plain ? plain : encrypted }
        set { if side == .plain { plain = newValue } else { encrypted = newValue } }
    }
}

extension Pair: Sendable where Value: Sendable {}
extension Pair: Equatable where Value: Equatable {}
extension Pair: Encodable where Value: Encodable {}
