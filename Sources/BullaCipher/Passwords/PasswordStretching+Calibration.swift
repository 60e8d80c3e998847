internal import BullaMemory

extension PasswordStretching {
    /// The strongest scrypt that takes less than `limit` on this machine; the floor if even the
    /// floor takes longer.
    ///
    /// The search doubles the memory with each step, from 128 MiB up to 1 GiB, and stops when the
    /// system has no more memory.
    ///
    /// - Throws: what ``userKey(password:salt:)`` throws with the floor's parameters.
    /// - Complexity: less than four times `limit`, or the floor's time if that alone is longer.
    package static func calibrated(
        for limit: Duration
    ) throws(CipherError) -> PasswordStretching {
        try calibrated(for: limit, measure: measuredDuration)
    }

    /// Calibrates by the times that `measure` returns, for tests.
    package static func calibrated(
        for limit: Duration, measure: (PasswordStretching) throws(CipherError) -> Duration
    ) throws(CipherError) -> PasswordStretching {
        var best = recommended
        for logN in ScryptLimit.logN {
            let candidate = PasswordStretching.scrypt(logN: logN, r: ScryptLimit.r, p: 1)
            do throws(CipherError) {
                guard try measure(candidate) < limit else { break }
            } catch {
                guard error.code == .memory, candidate != recommended else { throw error }
                break
            }
            best = candidate
        }
        return best
    }

    private static func measuredDuration(
        _ stretching: PasswordStretching
    ) throws(CipherError) -> Duration {
        let salt = [UInt8](repeating: 0, count: saltByteCount)
        let start = ContinuousClock.now
        try salt.withView { password throws(CipherError) in
            _ = try stretching.userKey(password: password, salt: salt)
        }
        return start.duration(to: .now)
    }
}
