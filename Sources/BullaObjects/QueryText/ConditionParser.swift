/// Parses the text of a condition.
///
/// The depth of nested parentheses is limited, so no text can make the parser recurse without end.
struct ConditionParser {
    private let words: [QueryWord]
    private var index = 0
    private var depth = 0

    static let depthLimit = 100

    private init(_ words: [QueryWord]) { self.words = words }

    static func condition(of text: String) throws(QueryFault) -> ConditionSyntax {
        var parser = ConditionParser(try QueryLexer.words(of: text))
        let condition = try parser.alternatives()
        try parser.expectEnd("and, or, or the end is expected here")
        return condition
    }

    /// Parses paths separated by commas, each with an optional minus before it.
    static func list(
        of text: String
    ) throws(QueryFault) -> [(path: PathSyntax, isDescending: Bool)] {
        var parser = ConditionParser(try QueryLexer.words(of: text))
        var items: [(path: PathSyntax, isDescending: Bool)] = []
        repeat {
            let isDescending = parser.take(sign: "-")
            items.append((try parser.path(), isDescending))
        } while parser.take(sign: ",")
        try parser.expectEnd("a comma or the end is expected here")
        return items
    }

    private mutating func alternatives() throws(QueryFault) -> ConditionSyntax {
        var parts = [try conjunction()]
        while take("or") { parts.append(try conjunction()) }
        return parts.count == 1 ? parts[0] : .any(parts)
    }

    private mutating func conjunction() throws(QueryFault) -> ConditionSyntax {
        var parts = [try negation()]
        while take("and") { parts.append(try negation()) }
        return parts.count == 1 ? parts[0] : .all(parts)
    }

    private mutating func negation() throws(QueryFault) -> ConditionSyntax {
        var isNegated = false
        while take("not") { isNegated.toggle() }
        let condition = try primary()
        return isNegated ? .not(condition) : condition
    }

    private mutating func primary() throws(QueryFault) -> ConditionSyntax {
        if take(sign: "(") { return try parenthesized() }
        for (word, quantifier) in Self.quantifiers where isBefore(name: word) {
            index += 1
            return try elements(quantifier)
        }
        if isBefore(sign: "("), take("count") {
            try expect(sign: "(")
            let path = try path()
            try expect(sign: ")")
            guard let comparison = takeComparison() else {
                throw fault("a comparison is expected here")
            }
            return .count(path, comparison, try literal())
        }
        return try comparison()
    }

    private static let quantifiers: [(String, FilterWord.Quantifier)] = [
        ("any", .some), ("all", .every), ("none", .none),
    ]

    /// Parses the rest of a parenthesized condition.
    private mutating func parenthesized() throws(QueryFault) -> ConditionSyntax {
        depth += 1
        defer { depth -= 1 }
        guard depth <= Self.depthLimit else { throw fault("it is nested too deep") }
        let condition = try alternatives()
        try expect(sign: ")")
        return condition
    }

    private mutating func elements(
        _ quantifier: FilterWord.Quantifier
    ) throws(QueryFault) -> ConditionSyntax {
        let path = try path()
        if take(sign: "(") { return .elements(path, quantifier, .condition(try parenthesized())) }
        guard let test = try test() else { throw fault("a comparison is expected here") }
        return .elements(path, quantifier, .test(test))
    }

    private mutating func comparison() throws(QueryFault) -> ConditionSyntax {
        let path = try path()
        if take("not") {
            try expect("in")
            return .not(.test(path, .oneOf(try literals())))
        }
        let start = index
        if let comparison = takeComparison() {
            if isBeforePath { return .compare(path, comparison, try self.path()) }
            index = start
        }
        return try test().map { ConditionSyntax.test(path, $0) } ?? .isTrue(path)
    }
}

/// Parsing of tests and values.
extension ConditionParser {
    private mutating func test() throws(QueryFault) -> TestSyntax? {
        if let comparison = takeComparison() {
            let value = try literal()
            return .compare(comparison, value, ignoresCase: try takesNoCase())
        }
        if take("in") { return .oneOf(try literals()) }
        if take("is") {
            let isNegated = take("not")
            try expect("nil")
            return isNegated ? .isNotNil : .isNil
        }
        if take("begins") {
            try expect("with")
            let value = try literal()
            return .hasPrefix(value, ignoresCase: try takesNoCase())
        }
        if take("contains") {
            let value = try literal()
            return .contains(value, ignoresCase: try takesNoCase())
        }
        return nil
    }

    private mutating func takesNoCase() throws(QueryFault) -> Bool {
        guard take("ignoring") else { return false }
        try expect("case")
        return true
    }

    private mutating func takeComparison() -> FilterWord.Comparison? {
        guard case .sign(let sign) = word.kind, let comparison = Self.comparisons[sign] else {
            return nil
        }
        index += 1
        return comparison
    }

    private static let comparisons: [String: FilterWord.Comparison] = [
        "=": .equal, "==": .equal, "!=": .unequal, "<": .less, "<=": .atMost, ">": .greater,
        ">=": .atLeast,
    ]

    private mutating func literals() throws(QueryFault) -> [LiteralSyntax] {
        try expect(sign: "(")
        var values = [try literal()]
        while take(sign: ",") { values.append(try literal()) }
        try expect(sign: ")")
        return values
    }

    private mutating func literal() throws(QueryFault) -> LiteralSyntax {
        let offset = word.offset
        guard isBefore(sign: "(", at: index) else {
            guard let value = single() else { throw fault("a value is expected here") }
            return LiteralSyntax(value: value, offset: offset)
        }
        index += 1
        var parts: [LiteralSyntax] = []
        repeat {
            let offset = word.offset
            guard let value = single() else { throw fault("a value is expected here") }
            parts.append(LiteralSyntax(value: value, offset: offset))
        } while take(sign: ",")
        try expect(sign: ")")
        return LiteralSyntax(value: .parts(parts), offset: offset)
    }

    private mutating func single() -> LiteralSyntax.Value? {
        let value: LiteralSyntax.Value? =
            switch word.kind {
            case .string(let text): .string(text)
            case .number(let text): .number(text)
            case .name("true"): .boolean(true)
            case .name("false"): .boolean(false)
            case .name("nil"): .null
            default: nil
            }
        if value != nil { index += 1 }
        return value
    }

    private var isBeforePath: Bool {
        switch word.kind {
        case .name(let name): !["true", "false", "nil"].contains(name)
        case .quotedName: true
        default: false
        }
    }

    private mutating func path() throws(QueryFault) -> PathSyntax {
        var path = PathSyntax(names: [try name()])
        while take(sign: ".") { path.names.append(try name()) }
        if take(sign: "[") {
            guard case .string(let key) = word.kind else {
                throw fault("a key in quotation marks is expected here")
            }
            index += 1
            path.key = key
            try expect(sign: "]")
        }
        return path
    }

    private mutating func name() throws(QueryFault) -> PathSyntax.Name {
        switch word.kind {
        case .name(let text), .quotedName(let text):
            defer { index += 1 }
            return PathSyntax.Name(text: text, offset: word.offset)
        default: throw fault("the name of a property is expected here")
        }
    }
}

/// Access to words.
extension ConditionParser {
    private var word: QueryWord { words[min(index, words.count - 1)] }

    private mutating func take(_ name: String) -> Bool {
        guard word.kind == .name(name) else { return false }
        index += 1
        return true
    }

    private mutating func take(sign: String) -> Bool {
        guard word.kind == .sign(sign) else { return false }
        index += 1
        return true
    }

    private mutating func expect(_ name: String) throws(QueryFault) {
        guard take(name) else { throw fault("\(name) is expected here") }
    }

    private mutating func expect(sign: String) throws(QueryFault) {
        guard take(sign: sign) else { throw fault("\(sign) is expected here") }
    }

    private func expectEnd(_ message: String) throws(QueryFault) {
        guard word.kind == .end else { throw fault(message) }
    }

    /// Whether the next word is the keyword `name`, and not a property with that name.
    ///
    /// The name of a property follows the keyword. Only a verb or a sign can follow the name of a
    /// property.
    private func isBefore(name: String) -> Bool {
        guard word.kind == .name(name), index + 1 < words.count else { return false }
        switch words[index + 1].kind {
        case .name(let next): return !Self.verbs.contains(next)
        case .quotedName: return true
        default: return false
        }
    }

    /// The words that can follow the name of a property.
    private static let verbs: Set = ["and", "or", "not", "in", "is", "begins", "contains"]

    private func isBefore(sign: String) -> Bool { isBefore(sign: sign, at: index + 1) }

    private func isBefore(sign: String, at place: Int) -> Bool {
        place < words.count && words[place].kind == .sign(sign)
    }

    private func fault(_ message: String) -> QueryFault { QueryFault(word.offset, message) }
}
