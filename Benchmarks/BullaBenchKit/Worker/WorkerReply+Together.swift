extension WorkerReply {
    /// What `body` answers, or how it failed.
    static func of(_ body: () throws -> WorkerReply) -> WorkerReply {
        do {
            return try body()
        } catch let error as BenchError {
            return .failed(exit: error.exit.rawValue, message: error.message)
        } catch {
            return .failed(exit: BenchExit.store.rawValue, message: "\(error)")
        }
    }

    /// What all threads of a worker answer together: the first failure, else all that they did.
    static func together(_ replies: [WorkerReply]) -> WorkerReply {
        for reply in replies {
            if case .failed = reply { return reply }
        }
        return replies.dropFirst().reduce(replies.first ?? .done) { $0.joined($1) }
    }

    private func joined(_ other: WorkerReply) -> WorkerReply {
        switch (self, other) {
        case (.ran(var result), .ran(let other)):
            result.merge(other)
            return .ran(result)
        case (.moved(let places), .moved(let others)): return .moved(places + others)
        default: return self
        }
    }
}
