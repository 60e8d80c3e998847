public import FoundationEssentials

/// What has a beginning and parts: text, or data.
public protocol SearchableValue: Storable {
    /// The bytes that stand for it.
    static func searchBytes(_ value: Self) -> [UInt8]
}

extension String: SearchableValue {
    /// The text in UTF-8.
    public static func searchBytes(_ value: String) -> [UInt8] { Array(value.utf8) }
}

extension Data: SearchableValue {
    /// The data.
    public static func searchBytes(_ value: Data) -> [UInt8] { Array(value) }
}

/// Texts and data.
extension Column where Value: SearchableValue {
    /// Whether it begins so, byte for byte.
    public func hasPrefix(_ value: Value) -> Condition<Root> {
        Condition(.test(path, .hasPrefix(Value.searchBytes(value))))
    }

    /// Whether it has this somewhere, byte for byte.
    public func contains(_ value: Value) -> Condition<Root> {
        Condition(.test(path, .contains(Value.searchBytes(value))))
    }
}

/// Texts and data that may be nil, which has no beginning and no parts.
extension Column {
    /// Whether it begins so, byte for byte.
    public func hasPrefix<Wrapped: SearchableValue>(
        _ value: Wrapped
    ) -> Condition<Root> where Value == Wrapped? {
        Condition(.test(path, .hasPrefix(Wrapped.searchBytes(value))))
    }

    /// Whether it has this somewhere, byte for byte.
    public func contains<Wrapped: SearchableValue>(
        _ value: Wrapped
    ) -> Condition<Root> where Value == Wrapped? {
        Condition(.test(path, .contains(Wrapped.searchBytes(value))))
    }
}

/// Texts whose case does not count, as Unicode folds it.
extension Column where Value == String {
    /// Whether it is this text, whatever the case of its letters.
    public func equalsIgnoringCase(_ text: String) -> Condition<Root> {
        Condition(.test(path, .folded(.equal, text.folded)))
    }

    /// Whether it begins so, whatever the case of its letters.
    public func hasPrefixIgnoringCase(_ text: String) -> Condition<Root> {
        Condition(.test(path, .folded(.prefix, text.folded)))
    }

    /// Whether it has this somewhere, whatever the case of its letters.
    public func containsIgnoringCase(_ text: String) -> Condition<Root> {
        Condition(.test(path, .folded(.contains, text.folded)))
    }
}

/// The same of texts that may be nil.
extension Column where Value == String? {
    /// Whether it is this text, whatever the case of its letters.
    public func equalsIgnoringCase(_ text: String) -> Condition<Root> {
        Condition(.test(path, .folded(.equal, text.folded)))
    }

    /// Whether it begins so, whatever the case of its letters.
    public func hasPrefixIgnoringCase(_ text: String) -> Condition<Root> {
        Condition(.test(path, .folded(.prefix, text.folded)))
    }

    /// Whether it has this somewhere, whatever the case of its letters.
    public func containsIgnoringCase(_ text: String) -> Condition<Root> {
        Condition(.test(path, .folded(.contains, text.folded)))
    }
}
