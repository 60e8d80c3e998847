internal import Glibc

extension [UInt8] {
    /// Copies as many bytes of `new` as fit, beginning at `start`.
    mutating func overwrite(at start: Int, with new: ArraySlice<UInt8>) {
        guard start < count else { return }
        // SAFETY: both are valid for the bytes copied, and no array is part of another.
        unsafe withUnsafeMutableBytes { target in
            unsafe new.withUnsafeBytes { source in
                guard let from = source.baseAddress, let to = target.baseAddress else { return }
                unsafe _ = memcpy(to + start, from, Swift.min(source.count, target.count - start))
            }
        }
    }
}

extension ArraySlice<UInt8> {
    /// Feeds all bytes to a hasher in one call.
    func feed(_ hasher: inout Hasher) {
        // SAFETY: the hasher reads only inside the buffer.
        unsafe withUnsafeBytes { unsafe hasher.combine(bytes: $0) }
    }
}
