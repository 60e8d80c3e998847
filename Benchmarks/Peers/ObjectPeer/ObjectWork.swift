/// What is done to a store in a slice.
public enum ObjectWork: String, CaseIterable, Sendable {
    /// By key, all in one snapshot.
    case fetch
    /// By key, each in a snapshot of its own.
    case fetchEach = "fetch-each"
    /// By an index, ten results.
    case query10 = "query-10"
    /// By an index, a thousand results.
    case query1000 = "query-1000"
    /// By what has no index, one object in a hundred.
    case filter
    /// By an index, the first of all.
    case sort
    /// By an index, how many lie in a range.
    case count
    /// One property of each object, by key.
    case update
    /// One object in each transaction.
    case insertOne = "insert-1"
    /// A thousand.
    case insert1000 = "insert-1000"
    /// Ten thousand.
    case insert10000 = "insert-10000"

    /// Objects of one transaction; 0 where nothing is written.
    public var batchCount: Int {
        switch self {
        case .fetch, .fetchEach, .query10, .query1000, .filter, .sort, .count: 0
        case .insertOne: 1
        case .update, .insert1000: 1_000
        case .insert10000: 10_000
        }
    }

    /// How many objects ``sort`` asks for.
    public static let firstCount = 20
    /// Objects of one transaction where a store is loaded.
    public static let loadBatchCount = 10_000
}

/// A line of a program's input: a verb, and two numbers where it needs them.
public struct ObjectOrder: Sendable {
    /// What is to be done.
    public let verb: String
    /// Which slice of the run, so that all programs draw the same.
    public let slice: Int
    /// How often, or for how many seconds.
    public let operations: Int

    /// As `fetch 17 500`, or `idle 1`.
    public init(_ line: String) {
        let words = line.split(separator: " ")
        let numbers = words.dropFirst().map { Int($0) ?? 0 }
        verb = words.first.map(String.init) ?? ""
        slice = numbers.first ?? 0
        operations = numbers.count > 1 ? numbers[1] : numbers.first ?? 0
    }
}

/// How a program was started, and how it opens its store.
public struct StoreSetup: Sendable {
    /// A folder of the store's own, which exists.
    public let folder: String
    /// Where its objects come from.
    public let source: ItemSource
    /// What the library may keep of it in memory.
    public let cacheByteLimit: Int
    /// Nil opens plain.
    public let key: [UInt8]?

    /// The last arguments FOLDER OBJECTS CACHE, and from a line of the input the key in hexadecimal
    /// digits, or `-`; nil for anything else.
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
