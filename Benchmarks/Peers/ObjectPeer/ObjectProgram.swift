internal import Foundation

/// A program that keeps a store for `bulla-bench objects`.
public final class ObjectProgram {
    private let side: any ObjectSide
    private let source: ItemSource
    private var nextNumber: Int
    private var watch: (any ItemWatch)?

    private init(_ side: any ObjectSide, _ source: ItemSource) {
        (self.side, self.source, nextNumber) = (side, source, source.count)
    }

    /// Carries out the orders in the program's input, then ends the process.
    ///
    /// - Parameter open: opens the store; makes it if it does not exist.
    public static func run(_ name: String, _ open: (StoreSetup) throws -> any ObjectSide) -> Never {
        ObjectLoop.run(name) { setup in
            let side = try open(setup)
            return (ObjectProgram(side, setup.source).obey, side.close)
        }
    }

    private func obey(_ order: ObjectOrder) throws -> ObjectLoop.Answer {
        if let work = ObjectWork(rawValue: order.verb) { return try slice(work, order) }
        switch order.verb {
        case "load": try load()
        case "warm": return try ObjectLoop.timed(warm)
        case "drain": return try ObjectLoop.timed { _ in try side.drain() }
        case "digest": return try digest()
        case "watch": return ["watches": [try startWatching() ? 1 : 0]]
        case "idle": return try idle(seconds: order.operations)
        case "see": return try see(order.operations)
        case "touch": try touch(order.operations)
        default: throw Failure.unknownOrder
        }
        return [:]
    }

    private enum Failure: Error { case unknownOrder, seesNothing, seesTooMuch }
}

/// Runs slices (see ``ObjectWork``), and prepares the store for them.
extension ObjectProgram {
    private func slice(_ work: ObjectWork, _ order: ObjectOrder) throws -> ObjectLoop.Answer {
        let data = SliceData(work, order, source, &nextNumber)
        var answer = try ObjectLoop.timed { try run(work, data, &$0) }
        if work.batchCount > 0 {
            answer["rest"] = try ObjectLoop.timed { _ in try side.rest() }["nanoseconds"]
        }
        return answer
    }

    private func run(_ work: ObjectWork, _ data: SliceData, _ glance: inout Glance) throws {
        switch work {
        case .fetch: try side.fetch(data.numbers, isReadEach: false, &glance)
        case .fetchEach: try side.fetch(data.numbers, isReadEach: true, &glance)
        case .query10: try side.query(teams: data.teams, &glance)
        case .query1000: try side.query(cities: data.cities, &glance)
        case .filter: try side.filter(ranks: data.ranks, &glance)
        case .sort:
            try side.fetchFirst(ObjectWork.firstCount, times: data.operations, &glance)
        case .count: try side.count(joined: data.joined, &glance)
        case .update:
            for first in stride(from: 0, to: data.numbers.count, by: work.batchCount) {
                let batch = data.numbers[first..<first + work.batchCount]
                try side.update(batch, balance: data.balance)
            }
        case .insertOne, .insert1000, .insert10000:
            for first in stride(from: 0, to: data.items.count, by: work.batchCount) {
                try side.insert(data.items[first..<first + work.batchCount])
            }
        }
    }

    private func load() throws {
        for first in stride(from: 0, to: source.count, by: ObjectWork.loadBatchCount) {
            let end = min(first + ObjectWork.loadBatchCount, source.count)
            try side.insert((first..<end).map(source.item)[...])
        }
        try side.drain()
    }

    /// Reads everything by each index, so that the measurement that follows finds it cached.
    private func warm(_ glance: inout Glance) throws {
        let all = source.all
        try side.query(teams: all.teams, &glance)
        try side.query(cities: all.cities, &glance)
        try side.count(joined: [all.joined], &glance)
    }

    private func digest() throws -> ObjectLoop.Answer {
        var digest = ItemDigest()
        try side.visitAll { digest.add($0) }
        return digest.answer
    }
}

/// Watches changes that another process makes, or makes changes that another process watches.
extension ObjectProgram {
    private static let watchedNumber = 7
    private static let secondLimit = 60

    /// - Returns: whether the library sees changes that other processes make; if so, it has
    ///   reported the watched objects as they are now.
    private func startWatching() throws -> Bool {
        watch = try side.watch(team: source.item(Self.watchedNumber).team)
        return try watch?.next(seconds: Self.secondLimit) != nil
    }

    private func idle(seconds: Int) throws -> ObjectLoop.Answer {
        let used = SystemClock.processorTime
        guard try watch?.next(seconds: seconds) == nil else { throw Failure.seesTooMuch }
        return ["nanoseconds": [Int(SystemClock.processorTime - used)]]
    }

    /// Waits for changes, and returns the time from the beginning of each until it was seen.
    private func see(_ count: Int) throws -> ObjectLoop.Answer {
        var delays: [Int] = []
        while delays.count < count {
            guard let item = try watch?.next(seconds: Self.secondLimit)?.last else {
                throw Failure.seesNothing
            }
            delays.append(Int(SystemClock.now) - Int(item.balance))
        }
        return ["nanoseconds": delays]
    }

    /// Puts the current time into an object, `count` times, each time in a new transaction.
    private func touch(_ count: Int) throws {
        for _ in 0..<count {
            Thread.sleep(forTimeInterval: 0.01)
            try side.update([Self.watchedNumber], balance: Double(SystemClock.now))
        }
    }
}
