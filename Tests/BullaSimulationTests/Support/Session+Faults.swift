import Bulla
import BullaSimulation
import BullaTestSupport

/// How a session reacts to faults of its disk.
extension Session {
    /// Adds the last actions to any error of `body`.
    mutating func traced(_ body: (inout Session) throws -> Void) throws {
        do { try body(&self) } catch {
            var finding = error as? Finding ?? Finding("\(error)")
            if finding.trace.isEmpty { finding.trace = trace }
            throw finding
        }
    }

    /// Opens, writes and closes until something is refused.
    ///
    /// - Returns: the resulting error, or `nil`.
    mutating func attempt() throws -> BullaError? {
        do {
            if opened.isEmpty { try open() }
            try transaction(0, .full)
            try transaction(0, .relaxed(within: .seconds(20)))
            try transaction(0, .full)
            try giveUpLarge(pageCount: 80)
            try closeAll()
            return nil
        } catch let error as BullaError { return error }
    }

    /// How a process continues after an error.
    enum Sequel: CaseIterable {
        case killed, closed, usedAgain
    }

    /// Continues after an error in the given way, and in the end opens the store again.
    mutating func goOn(_ sequel: Sequel) throws {
        switch sequel {
        case .killed: killAll()
        case .closed: closeAnyhow()
        case .usedAgain: try useAgain()
        }
        if opened.isEmpty { try open() }
        try transaction(0, .full)
        try reopen()
    }

    private mutating func closeAnyhow() {
        while let one = opened.popLast() {
            try? one.endSnapshot()
            try? one.store.close()
        }
    }

    /// Uses the store that gave the error, which must still work unless a flush has failed.
    private mutating func useAgain() throws {
        guard !opened.isEmpty else { return }
        try settleDoubt("a refused transaction")
        let error = refusal { try transaction(0, .full) }
        if error?.code == .poisoned { return closeAnyhow() }
        if let error { throw error }
    }

    /// Finds out whether the failed transaction was published; if it was not, it never will be.
    private mutating func settleDoubt(_ what: String) throws {
        // The next writer adopts a frame that nobody announced.
        _ = refusal { try opened[0].store.write(durability: Self.relaxed) { _ in } }
        let found = try Version(of: opened[0].store, .published)
        let allowed = timeline.allowed(at: disk.eventCount + 1)
        try demand(
            found == current || allowed.versions.last == found,
            "\(what) left commit \(found.commit), which is not whole")
        if found != current { current = found } else { timeline.forget(after: current) }
    }

    /// Reads every key of the model: each answer must be right, and each refusal must name its
    /// page.
    ///
    /// - Returns: how many reads were refused.
    func readAll() throws -> Int {
        var refusalCount = 0
        let store = opened[0].store
        for (name, entries) in current.trees {
            for (key, value) in entries {
                do {
                    let found = try store.read { snapshot in
                        try snapshot.value(forKey: key, in: try snapshot.tree(named: name))
                    }
                    try demand(found == value, "a key has another value than was put")
                } catch let error as BullaError {
                    try expectDamage(error)
                    refusalCount += 1
                }
            }
        }
        return refusalCount
    }

    func expectDamage(_ error: BullaError) throws {
        // For damage to the log, the message names the place.
        let isNamed = error.page != nil || error.message.contains("the log up to commit")
        try demand(error.code == .corrupted && isNamed, "damage was reported as \(error)")
    }

    /// Opens the store although the disk may have lied, and reads nothing yet.
    mutating func openAgain() throws {
        let process = SimulatedProcess(disk)
        opened.append(OpenedStore(process: process, store: try configuration.open(process)))
        let commit = try opened[0].store.info.commit
        try demand(commit == current.commit, "opened at commit \(commit), not \(current.commit)")
    }

    /// Removes a killed process; the others see its last commit completely or not at all.
    mutating func mourn(_ index: Int) throws {
        note("process \(index) was killed")
        opened.remove(at: index).process.kill()
        try settleDoubt("the dead process")
    }
}

extension Session {
    /// How many times the disk's files have grown.
    var growthCount: Int {
        disk.history.count { if case .extend = $0 { true } else { false } }
    }

    /// Writes a value of this many pages, some of which are sealed early, and rolls back.
    mutating func giveUpLarge(pageCount: Int) throws {
        note("give up \(pageCount) pages")
        let value = [UInt8](repeating: 5, count: pageCount * configuration.pageByteCount)
        var change = try opened[0].store.beginWrite()
        try change.put(value, forKey: "given up", in: try change.openOrCreateTree(named: "large"))
    }

    /// Makes a commit that drops the values of ``putLarge(pageCount:_:)``.
    mutating func dropLarge() throws {
        var next = current
        next.commit += 1
        next.trees[Array("large".utf8)] = nil
        note("drop large values as commit \(next.commit)")
        var change = try opened[0].store.beginWrite()
        try change.dropTree(named: "large")
        timeline.begin(next, at: disk.eventCount)
        try finish(try change.commit(), next, .full)
    }

    /// Commits short values in place of those of ``putLarge(pageCount:_:)``.
    mutating func shortenLarge() throws {
        var next = current
        next.commit += 1
        note("shorten large values as commit \(next.commit)")
        let (name, value) = (Array("large".utf8), [UInt8](repeating: 1, count: 10))
        var change = try opened[0].store.beginWrite()
        let tree = try change.tree(named: name)
        for key in next.trees[name, default: [:]].keys {
            try change.put(value, forKey: key, in: tree)
            next.trees[name]?[key] = value
        }
        timeline.begin(next, at: disk.eventCount)
        try finish(try change.commit(), next, .full)
    }

    /// Commits a value of this many pages.
    mutating func putLarge(pageCount: Int, _ durability: Durability) throws {
        var next = current
        next.commit += 1
        let byte = UInt8(truncatingIfNeeded: random.next())
        let value = [UInt8](repeating: byte, count: pageCount * configuration.pageByteCount)
        let (name, key) = (Array("large".utf8), Array("key \(random.below(6))".utf8))
        note("write \(pageCount) pages \(durability) as commit \(next.commit)")
        var change = try opened[0].store.beginWrite(durability: durability)
        try change.put(value, forKey: key, in: try change.openOrCreateTree(named: name))
        next.trees[name, default: [:]][key] = value
        timeline.begin(next, at: disk.eventCount)
        try finish(try change.commit(), next, durability)
    }
}
