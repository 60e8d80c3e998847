import BullaTestSupport

/// A sorted dictionary that is cheap to copy: short runs of entries, shared until one changes.
///
/// It knows nothing of pages; trees are compared with it.
struct SortedModel: Sendable {
    struct Entry: Sendable {
        let key: [UInt8]
        var value: [UInt8]
    }

    /// The place that an entry has or would get; never the end of a run, because the start of the
    /// next run stands for that.
    struct Position: Equatable {
        var run: Int
        var index: Int
    }

    private static let runLimit = 128
    private var runs: [[Entry]] = []
    private(set) var count = 0

    subscript(key: [UInt8]) -> [UInt8]? {
        get {
            let (position, isFound) = find(key)
            return isFound ? runs[position.run][position.index].value : nil
        }
        set { newValue.map { put(key, $0) } ?? remove(key) }
    }

    private mutating func put(_ key: [UInt8], _ value: [UInt8]) {
        let (position, isFound) = find(key)
        if isFound {
            runs[position.run][position.index].value = value
            return
        }
        count += 1
        let entry = Entry(key: key, value: value)
        // A key after the very last one belongs to the last run.
        if position.run == runs.count, let last = runs.indices.last {
            insert(entry, at: Position(run: last, index: runs[last].count))
        } else if runs.isEmpty {
            runs.append([entry])
        } else {
            insert(entry, at: position)
        }
    }

    private mutating func insert(_ entry: Entry, at position: Position) {
        runs[position.run].insert(entry, at: position.index)
        guard runs[position.run].count > Self.runLimit else { return }
        let upper = Array(runs[position.run][(Self.runLimit / 2)...])
        runs[position.run].removeSubrange((Self.runLimit / 2)...)
        runs.insert(upper, at: position.run + 1)
    }

    private mutating func remove(_ key: [UInt8]) {
        let (position, isFound) = find(key)
        guard isFound else { return }
        count -= 1
        runs[position.run].remove(at: position.index)
        if runs[position.run].isEmpty { runs.remove(at: position.run) }
    }

    var start: Position { Position(run: 0, index: 0) }
    var end: Position { Position(run: runs.count, index: 0) }

    func entry(_ position: Position) -> Entry { runs[position.run][position.index] }

    func position(after position: Position) -> Position {
        let next = Position(run: position.run, index: position.index + 1)
        return next.index < runs[next.run].count ? next : Position(run: next.run + 1, index: 0)
    }

    func position(before position: Position) -> Position {
        guard position.index == 0 else {
            return Position(run: position.run, index: position.index - 1)
        }
        return Position(run: position.run - 1, index: runs[position.run - 1].count - 1)
    }

    /// The first entry not below `key`, and whether it is that of `key`.
    func find(_ key: [UInt8]) -> (position: Position, isFound: Bool) {
        let run = Self.first(in: runs) { order($0[$0.count - 1].key, key) >= 0 }
        guard run < runs.count else { return (end, false) }
        let index = Self.first(in: runs[run]) { order($0.key, key) >= 0 }
        let position = Position(run: run, index: index)
        return (position, runs[run][index].key == key)
    }

    private static func first<T>(in list: [T], where isReached: (T) -> Bool) -> Int {
        var (low, high) = (0, list.count)
        while low < high {
            let middle = (low + high) / 2
            if isReached(list[middle]) { high = middle } else { low = middle + 1 }
        }
        return low
    }

    /// Any entry; `nil` if there is none.
    func anyEntry(_ random: inout TestRandom) -> Entry? {
        runs.isEmpty ? nil : random.pick(random.pick(runs))
    }

    /// The positions of a range: from its first entry to the one after its last.
    func positions(_ range: ModelRange) -> (start: Position, end: Position) {
        let start = range.lower.map { find($0).position } ?? self.start
        guard let upper = range.upper else { return (start, end) }
        let (position, isFound) = find(upper)
        let past = isFound && range.includesUpper ? self.position(after: position) : position
        return past < start ? (start, start) : (start, past)
    }

    /// The entries of a range, at most `limit` of them, from the end at which the order begins.
    func entries(_ range: ModelRange, descending: Bool, limit: Int) -> [Entry] {
        let (start, end) = positions(range)
        var (low, high) = (start, end)
        var entries: [Entry] = []
        while low != high, entries.count < limit {
            if descending {
                high = position(before: high)
                entries.append(entry(high))
            } else {
                entries.append(entry(low))
                low = position(after: low)
            }
        }
        return entries
    }

    mutating func removeAll(_ range: ModelRange) -> Int {
        let keys = entries(range, descending: false, limit: .max).map(\.key)
        for key in keys { remove(key) }
        return keys.count
    }
}

extension SortedModel.Position: Comparable {
    static func < (left: Self, right: Self) -> Bool {
        (left.run, left.index) < (right.run, right.index)
    }
}
