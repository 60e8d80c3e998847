public import FoundationEssentials

/// A value that can be searched: `String` or `Data`.
public protocol SearchableValue: Storable {
    /// The bytes to search for; public only because a public protocol cannot hide its requirements.
    static func _searchBytes(_ value: Self) -> [UInt8]
}

extension String: SearchableValue {
    /// The text in UTF-8.
    public static func _searchBytes(_ value: String) -> [UInt8] { Array(value.utf8) }
}

extension Data: SearchableValue {
    /// The data.
    public static func _searchBytes(_ value: Data) -> [UInt8] { Array(value) }
}

/// Texts and data.
extension Column where Value: SearchableValue {
    /// Whether the property's value begins with `value`, byte for byte.
    public func hasPrefix(_ value: Value) -> Condition<Root> {
        Condition(.test(path, .hasPrefix(Value._searchBytes(value))))
    }

    /// Whether the property's value contains `value`, byte for byte.
    public func contains(_ value: Value) -> Condition<Root> {
        Condition(.test(path, .contains(Value._searchBytes(value))))
    }
}

/// Texts and data that can be nil: nil has no prefix, and contains nothing.
extension Column {
    /// Whether the property's value begins with `value`, byte for byte.
    public func hasPrefix<Wrapped: SearchableValue>(
        _ value: Wrapped
    ) -> Condition<Root> where Value == Wrapped? {
        Condition(.test(path, .hasPrefix(Wrapped._searchBytes(value))))
    }

    /// Whether the property's value contains `value`, byte for byte.
    public func contains<Wrapped: SearchableValue>(
        _ value: Wrapped
    ) -> Condition<Root> where Value == Wrapped? {
        Condition(.test(path, .contains(Wrapped._searchBytes(value))))
    }
}

/// Comparisons of texts that ignore case, by Unicode case mapping.
extension Column where Value == String {
    /// Whether the property's value equals `text`, ignoring case.
    public func equalsIgnoringCase(_ text: String) -> Condition<Root> {
        Condition(.test(path, .folded(.equal, text.folded)))
    }

    /// Whether the property's value begins with `text`, ignoring case.
    public func hasPrefixIgnoringCase(_ text: String) -> Condition<Root> {
        Condition(.test(path, .folded(.prefix, text.folded)))
    }

    /// Whether the property's value contains `text`, ignoring case.
    public func containsIgnoringCase(_ text: String) -> Condition<Root> {
        Condition(.test(path, .folded(.contains, text.folded)))
    }
}

/// The same comparisons for texts that can be nil.
extension Column where Value == String? {
    /// Whether the property's value equals `text`, ignoring case.
    public func equalsIgnoringCase(_ text: String) -> Condition<Root> {
        Condition(.test(path, .folded(.equal, text.folded)))
    }

    /// Whether the property's value begins with `text`, ignoring case.
    public func hasPrefixIgnoringCase(_ text: String) -> Condition<Root> {
        Condition(.test(path, .folded(.prefix, text.folded)))
    }

    /// Whether the property's value contains `text`, ignoring case.
    public func containsIgnoringCase(_ text: String) -> Condition<Root> {
        Condition(.test(path, .folded(.contains, text.folded)))
    }
}
