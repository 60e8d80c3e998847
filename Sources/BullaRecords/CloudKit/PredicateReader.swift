/// Makes a query's filters from a predicate's format and its arguments.
///
/// It does not recurse: open parentheses are kept in a list, so no format can exhaust the stack.
struct PredicateReader {
    typealias Filter = RecordQuery.Filter
    typealias Comparator = RecordQuery.Comparator

    private var lexer: PredicateLexer
    private let arguments: [Any]
    private var argumentIndex = 0
    private var filters: [Filter] = []
    private var groups: [Group] = []

    /// An open parenthesis.
    private struct Group {
        /// The number of filters before the parenthesis.
        let start: Int
        let isNegated: Bool
        let offset: Int
    }

    /// One side of a comparison.
    private enum Operand {
        case key(String)
        case value(RecordValue)
        /// Values in braces.
        case values([RecordValue])
        /// `SELF`: all fields that can be searched for words.
        case everyText
        /// The distance of a field's location from a given one.
        case distance(String, Location)

        /// The operand's value; `nil` if the operand is not a single value.
        var single: RecordValue? {
            if case .value(let value) = self, !value.kind.isList { value } else { nil }
        }

        /// Whether the operand can only be searched for words.
        var isOfWords: Bool { if case .everyText = self { true } else { false } }

        /// The operand's values; `nil` if the operand is not a list.
        var several: [RecordValue]? {
            switch self {
            case .values(let values): values
            case .value(.list(_, let elements)): elements
            default: nil
            }
        }
    }

    private init(_ format: String, _ arguments: [Any]) throws(PredicateFault) {
        lexer = try PredicateLexer(format)
        self.arguments = arguments
    }

    /// The filters, all of which a record must meet.
    ///
    /// - Complexity: linear in the bytes of the format.
    static func filters(
        _ format: String, _ arguments: [Any]
    ) throws(PredicateFault) -> [Filter] {
        var reader = try PredicateReader(format, arguments)
        try reader.run()
        return reader.filters
    }

    private mutating func run() throws(PredicateFault) {
        var isNegated = false
        while true {
            if lexer.isWord("NOT") || lexer.isSymbol("!") {
                isNegated.toggle()
                try lexer.advance()
                continue
            }
            if lexer.isSymbol("(") {
                groups.append(
                    Group(start: filters.count, isNegated: isNegated, offset: lexer.tokenOffset))
                isNegated = false
                try lexer.advance()
                continue
            }
            try condition(isNegated)
            isNegated = false
            while lexer.isSymbol(")") { try closeGroup() }
            guard try goesOn() else { return }
        }
    }

    private mutating func condition(_ isNegated: Bool) throws(PredicateFault) {
        guard lexer.isWord("TRUEPREDICATE") else {
            let offset = lexer.tokenOffset
            filters.append(try comparison())
            if isNegated { try negateLast(offset) }
            return
        }
        if isNegated { throw lexer.fault("a query for nothing cannot be asked") }
        try lexer.advance()
    }

    private mutating func closeGroup() throws(PredicateFault) {
        guard let group = groups.popLast() else { throw lexer.fault("no parenthesis is open here") }
        try lexer.advance()
        guard group.isNegated else { return }
        guard filters.count == group.start + 1 else {
            throw PredicateFault(group.offset, "NOT can precede only one comparison")
        }
        try negateLast(group.offset)
    }

    private mutating func negateLast(_ offset: Int) throws(PredicateFault) {
        let filter = filters.removeLast()
        guard let opposite = filter.comparator.opposite else {
            throw PredicateFault(offset, "the comparison has no negation")
        }
        filters.append(Filter(filter.field, opposite, filter.values))
    }

    /// Whether another condition follows.
    private mutating func goesOn() throws(PredicateFault) -> Bool {
        if lexer.isWord("AND") || lexer.isSymbol("&&") {
            try lexer.advance()
            return true
        }
        if lexer.isSymbol("||") { throw lexer.fault(PredicateWords.or) }
        try refuseWord()
        guard lexer.token == .end else { throw lexer.fault(expected: "AND or the end") }
        if let group = groups.last {
            throw PredicateFault(group.offset, "the parenthesis is not closed")
        }
        guard argumentIndex == arguments.count else {
            throw PredicateFault(
                nil, "\(arguments.count) arguments were given, but the format has \(argumentIndex)")
        }
        return false
    }

    /// Refuses words of `NSPredicate` that queries do not support.
    private func refuseWord() throws(PredicateFault) {
        guard case .word(let word) = lexer.token,
            let reason = PredicateWords.refused[word.uppercased()]
        else { return }
        throw lexer.fault(reason)
    }
}

extension PredicateReader {
    private mutating func comparison() throws(PredicateFault) -> Filter {
        let offset = lexer.tokenOffset
        let left = try operand()
        let word = try comparator(isOfWords: left.isOfWords)
        let right = try operand()
        switch (left, right) {
        case (.everyText, _): return try search(word, right, offset)
        case (.key(PredicateWords.allTokens), _) where word == .containsAllTokens:
            return try search(word, right, offset)
        case (_, .everyText): throw PredicateFault(offset, PredicateWords.selfReason)
        case (.distance(let key, let place), _): return try near(key, place, word, right, offset)
        case (_, .distance(let key, let place)):
            return try near(key, place, word.turned, left, offset)
        case (.key(let key), .key):
            throw PredicateFault(
                offset, "'\(key.told)' is compared with a field: compare it with a value")
        case (.key(let key), _): return try filter(key, word, right, offset)
        case (_, .key(let key)):
            guard let turned = word.turned else {
                throw PredicateFault(
                    offset, "BEGINSWITH and TOKENMATCHES take their field on the left")
            }
            return try filter(key, turned, left, offset)
        default: throw PredicateFault(offset, "a value is compared with a value")
        }
    }

    /// A search for words in all fields.
    private func search(
        _ word: Comparator, _ operand: Operand, _ offset: Int
    ) throws(PredicateFault) -> Filter {
        guard word == .containsAllTokens || word == .listContains else {
            throw PredicateFault(offset, PredicateWords.selfReason)
        }
        guard case .string(let text) = operand.single else {
            throw PredicateFault(offset, "words are searched for in a text")
        }
        return Filter(Filter.everySearchedField, .containsAllTokens, [.string(text)])
    }

    /// A comparison of a distance.
    private func near(
        _ key: String, _ place: Location, _ word: Comparator?, _ operand: Operand, _ offset: Int
    ) throws(PredicateFault) -> Filter {
        guard word == .lessThan || word == .lessThanOrEquals else {
            throw PredicateFault(offset, "a distance can only be less than a number of meters")
        }
        let meters: Double
        switch operand.single {
        case .int64(let number): meters = Double(number)
        case .double(let number): meters = number
        default: throw PredicateFault(offset, "a distance is compared with a number of meters")
        }
        guard meters.isFinite, word == .lessThan ? meters > 0 : meters >= 0 else {
            throw PredicateFault(offset, "no distance is less than that")
        }
        // `near` also finds a location at exactly the limit, so `<` takes the next smaller limit.
        let limit = word == .lessThan ? meters.nextDown : meters
        return Filter(SystemField.name(ofKey: key), .near, [.location(place), .double(limit)])
    }

    private func filter(
        _ key: String, _ comparator: Comparator, _ operand: Operand, _ offset: Int
    ) throws(PredicateFault) -> Filter {
        let field = SystemField.name(ofKey: key)
        switch (comparator, operand) {
        case (.in, _):
            guard let values = operand.several else {
                throw PredicateFault(offset, "'\(key.told)' can only be IN a list")
            }
            return Filter(field, .in, values)
        case (.equals, .value(let value)), (.notEquals, .value(let value)):
            return Filter(field, comparator, [value])
        default:
            guard let value = operand.single else {
                throw PredicateFault(
                    offset, "'\(key.told)' is compared with a list: use IN, or compare one by one")
            }
            return Filter(field, comparator, [value])
        }
    }

    /// - Parameter isOfWords: whether the left side can only be searched for words.
    private mutating func comparator(
        isOfWords: Bool
    ) throws(PredicateFault) -> Comparator {
        let comparator: Comparator? =
            switch lexer.token {
            case .symbol(let symbol): PredicateWords.comparators[symbol]
            case .word(let word): PredicateWords.comparators[word.uppercased()]
            default: nil
            }
        guard let comparator else {
            try refuseWord()
            throw lexer.fault(expected: "a comparison, such as = or IN")
        }
        try lexer.advance()
        guard lexer.isSymbol("[") else { return comparator }
        guard isOfWords || comparator == .containsAllTokens else {
            throw lexer.fault("texts are compared as they are, without options such as [cd]")
        }
        try options()
        return comparator
    }

    /// Skips options such as `[cdl]`, which change nothing: words are always compared regardless of
    /// case and diacritics.
    private mutating func options() throws(PredicateFault) {
        try lexer.advance()
        guard case .word(let letters) = lexer.token,
            letters.allSatisfy({ "cdl".contains($0) })
        else {
            throw lexer.fault("a search for words has the options c, d and l")
        }
        try lexer.advance()
        guard lexer.isSymbol("]") else { throw lexer.fault(expected: "']'") }
        try lexer.advance()
    }

    /// The distance of a field's location from a given one.
    private mutating func distance() throws(PredicateFault) -> Operand {
        let offset = lexer.tokenOffset
        try lexer.advance()
        guard lexer.isSymbol("(") else { throw lexer.fault(expected: "'('") }
        try lexer.advance()
        let one = try place()
        guard lexer.isSymbol(",") else { throw lexer.fault(expected: "','") }
        try lexer.advance()
        let other = try place()
        guard lexer.isSymbol(")") else { throw lexer.fault(expected: "')'") }
        try lexer.advance()
        switch (one, other) {
        case (.key(let key), .value(.location(let place))),
            (.value(.location(let place)), .key(let key)):
            return .distance(key, place)
        default:
            throw PredicateFault(
                offset, "a distance is measured between a field and a location, as %@")
        }
    }

    /// One of the two arguments of the distance function: a field, or a value.
    private mutating func place() throws(PredicateFault) -> Operand {
        guard !lexer.isWord(PredicateWords.distance.uppercased()) else {
            throw lexer.fault(expected: "a field or a location")
        }
        return try operand()
    }

    private mutating func operand() throws(PredicateFault) -> Operand {
        switch lexer.token {
        case .word(PredicateWords.distance): return try distance()
        case .word(let word):
            if let value = PredicateWords.values[word.uppercased()] {
                try lexer.advance()
                return .value(value)
            }
            if lexer.isWord("SELF") {
                try lexer.advance()
                return .everyText
            }
            try refuseWord()
            guard !PredicateWords.isReserved(word) else {
                throw lexer.fault(expected: "a field or a value")
            }
            try lexer.advance()
            return .key(word)
        case .name(let name):
            try lexer.advance()
            return .key(name)
        case .argument(UInt8(ascii: "K")): return .key(try name())
        case .symbol("{"): return .values(try braces())
        default: return .value(try value())
        }
    }

    /// A text, a number, or an argument.
    private mutating func value() throws(PredicateFault) -> RecordValue {
        let value: RecordValue
        switch lexer.token {
        case .value(let found): value = found
        case .word(let word):
            try refuseWord()
            guard let found = PredicateWords.values[word.uppercased()] else {
                throw lexer.fault(expected: "a value")
            }
            value = found
        case .argument(let letter) where letter != UInt8(ascii: "K"):
            let argument = try argument()
            do throws(ValueRefusal) { value = try RecordValue.asked(argument) } catch {
                throw lexer.fault("argument \(argumentIndex): \(error.reason)")
            }
            guard letter == UInt8(ascii: "@") || value.isNumber else {
                throw lexer.fault("argument \(argumentIndex): %f takes a number")
            }
        default: throw lexer.fault(expected: "a field or a value")
        }
        try lexer.advance()
        return value
    }

    private mutating func name() throws(PredicateFault) -> String {
        guard let name = try argument() as? String else {
            throw lexer.fault("argument \(argumentIndex): %K takes the name of a field")
        }
        try lexer.advance()
        return name
    }

    private mutating func argument() throws(PredicateFault) -> Any {
        guard argumentIndex < arguments.count else {
            throw lexer.fault("there are \(arguments.count) arguments, and this is one more")
        }
        argumentIndex += 1
        return arguments[argumentIndex - 1]
    }

    /// Values in braces, separated by commas.
    private mutating func braces() throws(PredicateFault) -> [RecordValue] {
        try lexer.advance()
        var values: [RecordValue] = []
        while !lexer.isSymbol("}") {
            if !values.isEmpty {
                guard lexer.isSymbol(",") else { throw lexer.fault(expected: "',' or '}'") }
                try lexer.advance()
            }
            let offset = lexer.tokenOffset
            let value = try value()
            guard !value.kind.isList else {
                throw PredicateFault(offset, "a list cannot be in a list")
            }
            values.append(value)
        }
        try lexer.advance()
        return values
    }
}

extension RecordValue {
    fileprivate var isNumber: Bool {
        switch self {
        case .int64, .double: true
        default: false
        }
    }
}
