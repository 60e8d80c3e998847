/// Reports a damaged log.
extension LogFollower {
    /// The error for a log that ends at the follower's position, before a commit that the log must
    /// have.
    func damage(_ ending: LogEnding, before commit: UInt64) -> BullaError {
        let found =
            switch ending {
            case .end(let absence): absence.rawValue
            case .overtaken: "the half has been reused"
            case .reached: "it lacks the commit that a mark names"
            }
        let place = position.place
        return BullaError(
            .corrupted,
            "read the log up to commit \(commit): it ends after commit \(position.commit), at byte "
                + "\(place.offset) of half \(place.half) in its use \(place.sequence): \(found)",
            commit: position.commit)
    }
}
