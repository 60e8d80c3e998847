/// A breadth-first search through everything that can happen.
///
/// Visited states are recognized by a 64-bit fingerprint; the chance that two among ten million are
/// confused is one in 300 000.
package struct Exploration<Machine: ExploredMachine> {
    package typealias State = Machine.State

    /// A fault, and a shortest path to it.
    package struct Finding {
        package var fault: State.Fault
        package var trace: [String]

        @usableFromInline
        package init(fault: State.Fault, trace: [String]) {
            self.fault = fault
            self.trace = trace
        }
    }

    @usableFromInline package var stateCount = 0
    /// The number of states in which every process has ended.
    @usableFromInline package var endCount = 0
    @usableFromInline package var finding: Finding?
    /// Whether everything that can happen was visited.
    @usableFromInline package var isComplete = false

    @usableFromInline let machine: Machine
    @usableFromInline let stateLimit: Int
    @usableFromInline var seen: Set<Int> = []
    @usableFromInline var parents: [Int32] = []
    @usableFromInline var moves: [Machine.Move] = []

    /// - Parameters:
    ///   - stateLimit: when to give up; an incomplete search proves nothing.
    @inlinable
    package init(_ machine: Machine, stateLimit: Int = 50_000_000) {
        self.machine = machine
        self.stateLimit = stateLimit
    }

    package var summary: String {
        let counts = "\(stateCount) states, \(endCount) ends"
        guard let finding else { return counts }
        let lines = [counts, finding.fault.rawValue] + finding.trace
        return lines.joined(separator: "\n    ")
    }

    @inlinable
    package mutating func run() {
        var frontier: [(Int32, State)] = []
        add(machine.first, parent: -1, nil, to: &frontier)
        while !frontier.isEmpty, finding == nil {
            guard stateCount < stateLimit else { return }
            var next: [(Int32, State)] = []
            for (index, state) in frontier {
                expand(state, index, &next)
                if finding != nil { return }
            }
            frontier = next
        }
        isComplete = true
    }

    @inlinable
    mutating func expand(_ state: State, _ index: Int32, _ next: inout [(Int32, State)]) {
        let following = machine.moves(from: state)
        let isOver = machine.isOver(state)
        if isOver { endCount += 1 }
        let isStuck = !isOver && !following.contains { $0.0.isStep }
        if isStuck { return report(.stuck, at: index) }
        for (move, state) in following {
            let place = add(state, parent: index, move, to: &next)
            if let fault = state.fault { return report(fault, at: place) }
        }
    }

    @discardableResult @inlinable
    mutating func add(
        _ state: State, parent: Int32, _ move: Machine.Move?, to frontier: inout [(Int32, State)]
    ) -> Int32 {
        let place = Int32(parents.count)
        guard seen.insert(state.hashValue).inserted || state.fault != nil else { return place }
        parents.append(parent)
        // No move led to the first state.
        if let move { moves.append(move) }
        stateCount += 1
        frontier.append((place, state))
        return place
    }

    @inlinable
    mutating func report(_ fault: State.Fault, at place: Int32) {
        var trace: [String] = []
        var place = place
        while parents[Int(place)] >= 0 {
            trace.append(moves[Int(place) - 1].description)
            place = parents[Int(place)]
        }
        finding = Finding(fault: fault, trace: trace.reversed())
    }
}
