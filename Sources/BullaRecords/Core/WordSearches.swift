/// The filters of one query that look for words.
///
/// Each searched field of a record is read once, for all filters together.
struct WordSearches: Sendable {
    /// The maximum number of filters by words in a query.
    static let filterLimit = 8
    /// The maximum number of different words to look for, in all filters together.
    static let wordLimit = 100
    /// The maximum number of bytes that the filters' texts can have together.
    static let textByteLimit = 16 << 10

    private struct Search {
        let needsAll: Bool
        /// The bits that stand for its words.
        var words: UInt128 = 0

        func isMet(by found: UInt128) -> Bool {
            needsAll ? found & words == words : found & words != 0
        }
    }

    /// The bit that stands for each word.
    private var bits: [[UInt8]: UInt128] = [:]
    private var searches: [Search] = []
    /// The fields to read, each with the searches to which it belongs.
    private var fields: [(name: String, searches: [Int])] = []

    /// Whether the query looks for no words.
    var isEmpty: Bool { searches.isEmpty }

    /// - Throws: `invalidArguments` for what the schema does not allow, and for a filter without a
    ///   word; `unknownItem` for an unknown type; `limitExceeded` for too many filters or words, or
    ///   for texts that are too long.
    init(_ query: RecordQuery, _ schema: RecordSchema) throws(RecordError) {
        let filters = query.filters.filter { $0.comparator.comparison == .words }
        guard filters.count <= Self.filterLimit else {
            throw RecordError(
                .limitExceeded,
                "look for words: the query has more than \(Self.filterLimit) such filters")
        }
        var byteCount = 0
        for filter in filters {
            let isOfAll = filter.field == RecordQuery.Filter.everySearchedField
            if !isOfAll { _ = try schema.canFilter(query.type, filter.field, by: .words).get() }
            for field in isOfAll ? try schema.canSearch(query.type).get() : [filter.field] {
                read(field, for: searches.count)
            }
            let texts = try Self.texts(filter)
            byteCount += texts.reduce(0) { $0 + $1.utf8.count }
            guard byteCount <= Self.textByteLimit else {
                throw RecordError(
                    .limitExceeded,
                    "look for words: their texts have more than \(Self.textByteLimit) bytes")
            }
            var search = Search(needsAll: filter.comparator == .containsAllTokens)
            for text in texts { try add(text, to: &search) }
            guard search.words != 0 else {
                throw RecordError(.invalidArguments, "look for words: the text has none")
            }
            searches.append(search)
        }
    }

    private mutating func read(_ field: String, for search: Int) {
        if let index = fields.firstIndex(where: { $0.name == field }) {
            fields[index].searches.append(search)
        } else {
            fields.append((field, [search]))
        }
    }

    private static func texts(_ filter: RecordQuery.Filter) throws(RecordError) -> [String] {
        var texts: [String] = []
        for value in filter.values {
            guard case .string(let text) = value else {
                throw RecordError(
                    .invalidArguments, "look for words: they are in another value than a text")
            }
            texts.append(text)
        }
        return texts
    }

    private mutating func add(_ text: String, to search: inout Search) throws(RecordError) {
        var isBeyond = false
        TextWords.visit(text) { word in
            guard let known = bits[word] else {
                isBeyond = bits.count == Self.wordLimit
                guard !isBeyond else { return false }
                let bit = UInt128(1) << UInt128(bits.count)
                bits[word] = bit
                search.words |= bit
                return true
            }
            search.words |= known
            return true
        }
        guard !isBeyond else {
            throw RecordError(
                .limitExceeded, "look for words: there are more than \(Self.wordLimit)")
        }
    }

    /// Whether a record's texts meet all filters.
    ///
    /// - Parameter byteLimit: how many bytes of text may still be read; this call subtracts those
    ///   that it has read.
    func areMet(by record: Record, _ byteLimit: inout Int) -> Bool {
        guard !searches.isEmpty else { return true }
        var found = [UInt128](repeating: 0, count: searches.count)
        for field in fields {
            for case .string(let text) in record.queried(field.name)?.elements ?? [] {
                byteLimit -= text.utf8.count
                TextWords.visit(text) { word in
                    guard let bit = bits[word] else { return true }
                    for search in field.searches { found[search] |= bit }
                    return !areMet(by: found)
                }
                if areMet(by: found) { return true }
            }
        }
        return false
    }

    private func areMet(by found: [UInt128]) -> Bool {
        zip(searches, found).allSatisfy { $0.isMet(by: $1) }
    }
}
