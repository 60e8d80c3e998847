/// A condition as it is written, before a schema is asked what its names are.
indirect enum ConditionSyntax {
    case not(ConditionSyntax)
    case all([ConditionSyntax])
    case any([ConditionSyntax])
    /// A property alone, which is true or false.
    case isTrue(PathSyntax)
    case test(PathSyntax, TestSyntax)
    case compare(PathSyntax, FilterWord.Comparison, PathSyntax)
    case count(PathSyntax, FilterWord.Comparison, LiteralSyntax)
    /// Of the elements of a list: each by itself, or what its properties are.
    case elements(PathSyntax, FilterWord.Quantifier, ElementSyntax)
}

/// What is asked of an element of a list.
indirect enum ElementSyntax {
    /// Of the element, or of what the rest of the path leads to from it.
    case test(TestSyntax)
    /// Of its properties.
    case condition(ConditionSyntax)
}

/// What is asked of a value.
enum TestSyntax {
    case compare(FilterWord.Comparison, LiteralSyntax, ignoresCase: Bool)
    case oneOf([LiteralSyntax])
    case isNil
    case isNotNil
    case hasPrefix(LiteralSyntax, ignoresCase: Bool)
    case contains(LiteralSyntax, ignoresCase: Bool)
}

/// The way to a property: names with points between them, and perhaps a key of the dictionary that
/// the last of them is.
struct PathSyntax {
    struct Name {
        let text: String
        let offset: Int
    }

    var names: [Name]
    var key: String?

    var offset: Int { names.first?.offset ?? 0 }
}

/// A value that is written in a condition.
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
