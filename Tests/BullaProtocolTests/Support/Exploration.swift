/// A search through everything that can happen, nearest first.
///
/// States once seen are known by a fingerprint of 64 bits: that two among ten million are taken for
/// one has a chance of one in 300 000.
struct Exploration {
    /// What was found wrong, and the shortest way there.
    struct Finding {
        var fault: Fault
        var trace: [String]
    }

    private(set) var stateCount = 0
    /// How many states there were where everybody had ended.
    private(set) var endCount = 0
    private(set) var finding: Finding?

    private let machine: Machine
    private let stateLimit: Int
    private var seen: Set<Int> = []
    private var parents: [Int32] = []
    private var moves: [Machine.Move] = []

    /// - Parameters:
    ///   - stateLimit: where to give up; a search that is cut short shows nothing.
    init(_ rules: Rules, _ scene: Scene, stateLimit: Int = 50_000_000) {
        machine = Machine(rules: rules, scene: scene)
        self.stateLimit = stateLimit
    }

    /// Whether everything that can happen was looked at.
    private(set) var isComplete = false

    var summary: String {
        let counts = "\(stateCount) states, \(endCount) ends"
        guard let finding else { return counts }
        let lines = [counts, finding.fault.rawValue] + finding.trace
        return lines.joined(separator: "\n    ")
    }

    mutating func run() {
        var frontier: [(Int32, State)] = []
        add(State(machine.scene), parent: -1, Machine.Move(kind: .step), to: &frontier)
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

    private mutating func expand(
        _ state: State, _ index: Int32, _ next: inout [(Int32, State)]
    ) {
        let following = machine.moves(from: state)
        let isOver = machine.isOver(state)
        if isOver { endCount += 1 }
        let isStuck = !isOver && !following.contains { $0.0.kind == .step }
        if isStuck { return report(.stuck, at: index) }
        for (move, state) in following {
            let place = add(state, parent: index, move, to: &next)
            if let fault = state.fault { return report(fault, at: place) }
        }
    }

    @discardableResult
    private mutating func add(
        _ state: State, parent: Int32, _ move: Machine.Move, to frontier: inout [(Int32, State)]
    ) -> Int32 {
        let place = Int32(parents.count)
        guard seen.insert(state.hashValue).inserted || state.fault != nil else { return place }
        parents.append(parent)
        moves.append(move)
        stateCount += 1
        frontier.append((place, state))
        return place
    }

    private mutating func report(_ fault: Fault, at place: Int32) {
        var trace: [String] = []
        var place = place
        while parents[Int(place)] >= 0 {
            trace.append(moves[Int(place)].description)
            place = parents[Int(place)]
        }
        finding = Finding(fault: fault, trace: trace.reversed())
    }
}
