internal import Foundation

/// Reads orders line by line, and answers each with a line of JSON.
public enum ObjectLoop {
    /// The answer to an order: names, each with one number or with a list of numbers.
    public typealias Answer = [String: [Int]]

    /// Obeys the orders until the input ends, closes the store, and ends the process.
    public static func run(
        _ name: String,
        _ open: (StoreSetup) throws -> (
            obey: (ObjectOrder) throws -> Answer, close: () throws -> Void
        )
    ) -> Never {
        guard let setup = StoreSetup(CommandLine.arguments) else {
            say("usage: \(name) FOLDER OBJECTS CACHE (as bulla-bench objects starts it)")
            exit(64)
        }
        do {
            let store = try open(setup)
            while let line = readLine() {
                let answer = try JSONEncoder().encode(store.obey(ObjectOrder(line)))
                FileHandle.standardOutput.write(answer + Data("\n".utf8))
            }
            try store.close()
            exit(0)
        } catch {
            say("\(name): \(error)")
            exit(70)
        }
    }

    private static func say(_ text: String) {
        FileHandle.standardError.write(Data((text + "\n").utf8))
    }

    /// The time that a slice took, and the count and the sum of what it read.
    public static func timed(_ body: (inout Glance) throws -> Void) rethrows -> Answer {
        var glance = Glance()
        let start = SystemClock.now
        try body(&glance)
        let nanoseconds = SystemClock.now - start
        return [
            "nanoseconds": [Int(nanoseconds)], "count": [glance.count],
            "sum": [Int(truncatingIfNeeded: glance.sum)],
        ]
    }
}
