import BullaProcessSupport

/// Finds traces of keys in memory without knowing the keys.
enum KeyTrace {
    /// How many AES-256 key schedules begin in these bytes, at multiples of four.
    ///
    /// In the schedule (FIPS 197, 5.2), most words are the sum (XOR) of two earlier ones: w[i] =
    /// w[i - 8] + w[i - 1]. Six such sums are 192 bits, which chance does not produce. Zero words
    /// are left out. Repetitions of one number are left out, too: they occur in the data that
    /// threads keep about themselves. Where such a number and zeros alternate after the
    /// repetitions, every sum would be right.
    static func scheduleCount(in bytes: [UInt8]) -> Int {
        // SAFETY: runs lie inside the buffer, which does not leave the closure.
        unsafe bytes.withUnsafeBytes { bytes in
            unsafe MemoryRuns.of(bytes).reduce(0) { sum, run in
                unsafe sum + schedules(in: UnsafeRawBufferPointer(rebasing: bytes[run]))
            }
        }
    }

    private static func schedules(in bytes: UnsafeRawBufferPointer) -> Int {
        var (count, start) = (0, 0)
        while start <= bytes.count - 64 {
            // SAFETY: sixteen words from each place lie inside.
            let first = unsafe UnsafeRawPointer(bytes.baseAddress.unsafelyUnwrapped + start)
            func word(_ index: Int) -> UInt32 {
                unsafe first.loadUnaligned(fromByteOffset: 4 * index, as: UInt32.self)
            }
            start += 4
            guard word(1) != 0, word(1) != word(2), word(9) == word(1) ^ word(8) else {
                continue
            }
            let isSchedule =
                [2, 3, 5, 6, 7].allSatisfy { word($0) != 0 }
                && [10, 11, 13, 14, 15].allSatisfy { word($0) == word($0 - 8) ^ word($0 - 1) }
            count += isSchedule ? 1 : 0
        }
        return count
    }
}
