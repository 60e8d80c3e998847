extension Verdict {
    /// The exit status that says it.
    package var exit: BenchExit {
        switch self {
        case .met: .met
        case .missed: .missed
        case .undecided: .undecided
        }
    }
}
