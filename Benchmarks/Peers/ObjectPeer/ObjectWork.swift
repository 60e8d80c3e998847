/// What the benchmark of objects does in one slice, a short piece of work that is timed as a whole.
public enum ObjectWork: String, CaseIterable, Sendable {
    /// Fetches objects by key, all in one snapshot.
    case fetch
    /// Fetches objects by key, each in a snapshot of its own.
    case fetchEach = "fetch-each"
    /// Queries by an index; each query has ten results.
    case query10 = "query-10"
    /// Queries by an index; each query has a thousand results.
    case query1000 = "query-1000"
    /// Filters by a property without an index; one object in a hundred passes.
    case filter
    /// Fetches the first objects in the order of an index.
    case sort
    /// Counts the objects in a range of an index.
    case count
    /// Changes one property of each object, by key.
    case update
    /// Inserts one object in each transaction.
    case insertOne = "insert-1"
    /// Inserts a thousand objects in each transaction.
    case insert1000 = "insert-1000"
    /// Inserts ten thousand objects in each transaction.
    case insert10000 = "insert-10000"

    /// How many objects one transaction changes; 0 for reads.
    public var batchCount: Int {
        switch self {
        case .fetch, .fetchEach, .query10, .query1000, .filter, .sort, .count: 0
        case .insertOne: 1
        case .update, .insert1000: 1_000
        case .insert10000: 10_000
        }
    }

    /// How many objects ``sort`` fetches.
    public static let firstCount = 20
    /// How many objects each transaction of the first load inserts.
    public static let loadBatchCount = 10_000
}

/// A line of a program's input: a verb, and up to two numbers.
public struct ObjectOrder: Sendable {
    /// The work to do.
    public let verb: String
    /// The slice's number in the run, and the seed with which all programs choose the same data.
    public let slice: Int
    /// The number of operations, or of seconds.
    public let operations: Int

    /// Parses a line such as `fetch 17 500` or `idle 1`.
    public init(_ line: String) {
        let words = line.split(separator: " ")
        let numbers = words.dropFirst().map { Int($0) ?? 0 }
        verb = words.first.map(String.init) ?? ""
        slice = numbers.first ?? 0
        operations = numbers.count > 1 ? numbers[1] : numbers.first ?? 0
    }
}

/// What a program's arguments and the first line of its input say about its store.
public struct StoreSetup: Sendable {
    /// The store's own folder, which exists.
    public let folder: String
    /// The source of the store's objects.
    public let source: ItemSource
    /// How much of the store the library may cache.
    public let cacheByteLimit: Int
    /// The key of the store; nil for a plain store.
    public let key: [UInt8]?

    /// Reads the last three arguments, FOLDER OBJECTS CACHE, and a line of the input: the key in
    /// hexadecimal digits, or `-`.
    ///
    /// - Returns: nil if an argument or the line is missing, or a count is not a number.
    public init?(_ arguments: [String]) {
        let last = Array(arguments.suffix(3))
        guard last.count == 3, let count = Int(last[1]), let cache = Int(last[2]),
            let digits = readLine()
        else { return nil }
        (folder, cacheByteLimit, source) = (last[0], cache, ItemSource(count: count))
        key = digits == "-" ? nil : Self.bytes(ofHex: Array(digits.utf8))
    }

    private static func bytes(ofHex digits: [UInt8]) -> [UInt8] {
        stride(from: 0, to: digits.count - 1, by: 2).map { place in
            UInt8(String(decoding: digits[place...place + 1], as: UTF8.self), radix: 16) ?? 0
        }
    }
}
