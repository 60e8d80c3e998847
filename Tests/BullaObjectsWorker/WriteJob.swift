import Bulla
import BullaObjects
import BullaTestSupport

/// Inserts ticks, each in a durable commit, after it is told to begin.
struct WriteJob {
    private let database: ObjectDatabase
    private let writer: Int
    private let count: Int

    init(_ command: ObjectsCommand) throws {
        database = try ObjectDatabase(command.open(), models: [Tick.self])
        (writer, count) = (command.int("writer"), command.int("count"))
    }

    func run() throws {
        Line.say("ready")
        Line.await()
        for number in 0..<count {
            try database.write { transaction in
                try transaction.insert(
                    Tick(writer: writer, number: number, sent: ProcessClock.now))
            }
        }
        try database.store.close()
    }
}
