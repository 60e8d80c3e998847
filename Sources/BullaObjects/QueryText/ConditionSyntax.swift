/// A parsed condition, whose names are not yet resolved against a schema.
indirect enum ConditionSyntax {
    case not(ConditionSyntax)
    case all([ConditionSyntax])
    case any([ConditionSyntax])
    /// A property alone, which must be true.
    case isTrue(PathSyntax)
    case test(PathSyntax, TestSyntax)
    case compare(PathSyntax, FilterWord.Comparison, PathSyntax)
    case count(PathSyntax, FilterWord.Comparison, LiteralSyntax)
    /// A condition on the elements of a list: on each element itself, or on its properties.
    case elements(PathSyntax, FilterWord.Quantifier, ElementSyntax)
}

/// A condition on an element of a list.
indirect enum ElementSyntax {
    /// A test of the element or, if the path continues beyond the list, of the value at the path's
    /// end.
    case test(TestSyntax)
    /// A condition on the element's properties.
    case condition(ConditionSyntax)
}

/// A test of a value.
enum TestSyntax {
    case compare(FilterWord.Comparison, LiteralSyntax, ignoresCase: Bool)
    case oneOf([LiteralSyntax])
    case isNil
    case isNotNil
    case hasPrefix(LiteralSyntax, ignoresCase: Bool)
    case contains(LiteralSyntax, ignoresCase: Bool)
}

/// The path to a property: names separated by dots; a key in brackets can follow the name of a
/// dictionary.
struct PathSyntax {
    struct Name {
        let text: String
        let offset: Int
    }

    var names: [Name]
    var key: String?

    var offset: Int { names.first?.offset ?? 0 }
}

/// A value in a condition.
struct LiteralSyntax {
    enum Value {
        case string(String)
        case number(String)
        case boolean(Bool)
        case null
        /// The parts of a compound key.
        case parts([LiteralSyntax])
    }

    let value: Value
    let offset: Int
}
