import Bulla
import BullaTestSupport

/// Opens a store, writes or reads in it, and closes it, again and again, until its input ends or it
/// is killed.
struct TortureJob {
    private let command: WorkerCommand
    let worker: Int
    let isScribbled: Bool
    private let key: StoreKey?
    private let storage: any StorageSystem
    let scores: Scoreboard
    let stop = InputEnd()
    var line: Scoreboard.Line
    var random: TestRandom
    private var last = ContinuousClock.now

    private var isWriter: Bool { worker < TortureLayout.writerCount }
    /// The maximum number of operations for which it keeps the store open: a few, or, if it is
    /// steady, any number.
    private let stayLimit: Int

    init(_ command: WorkerCommand) throws {
        self.command = command
        worker = command.number("worker")
        stayLimit = command.number("steady") == 1 ? .max : 60
        isScribbled = command.number("scribbled") == 1
        key = try command.takeKey()
        // All openings share one storage, because it counts the steps.
        storage =
            command.text("kill").flatMap { KillPoint($0) }.map { KillingStorage($0) }
            ?? SystemStorage()
        scores = try Scoreboard(command.text("scores") ?? "")
        line = scores[worker]
        random = TestRandom(seed: command.number("seed"))
    }

    mutating func run() throws {
        var isFirst = true
        while !stop.hasCome {
            last = .now
            let store = try command.openStore(key, storage: storage)
            line.longestOpening = max(line.longestOpening, sinceLast())
            if isFirst { Line.say("ready") }
            isFirst = false
            isWriter ? try write(to: store) : try read(from: store)
            try store.close()
        }
    }

    /// Nanoseconds since the last call.
    private mutating func sinceLast() -> UInt64 {
        let now = ContinuousClock.now
        let (seconds, attoseconds) = (now - last).components
        last = now
        return UInt64(seconds) * 1_000_000_000 + UInt64(attoseconds / 1_000_000_000)
    }

    /// The number of operations until the store is closed again.
    mutating func stay() -> Int { stayLimit == .max ? .max : 1 + random.below(stayLimit) }

    mutating func count() {
        line.longestStall = max(line.longestStall, sinceLast())
        line.operations += 1
        scores.write(line, of: worker)
    }
}
