public import CBullaShared
internal import Glibc

/// Tells when a frame of the cache can be reused: once all operations that might read it have
/// ended.
///
/// An operation enters an epoch, reads frames, and leaves the epoch; it never waits in between. A
/// caller's closure is not part of the operation. Instead, the closure's thread *holds* the frame
/// that the closure reads, under the frame's name (its address), so that a slow closure keeps one
/// frame, rather than the whole cache, from being reused.
@usableFromInline package enum Epoch {
    @inlinable @inline(__always)
    package static func enter() { bulla_epoch_enter() }

    @inlinable @inline(__always)
    package static func leave() { bulla_epoch_leave() }

    /// Whether this thread is in an operation.
    package static var isInside: Bool { bulla_epoch_is_inside() }

    /// Runs `body` outside all operations that this thread is in.
    ///
    /// Frames that those operations have looked at may be gone afterwards.
    package static func suspended<R: ~Copyable, E: Error>(
        _ body: () throws(E) -> R
    ) throws(E) -> R {
        let depth = bulla_epoch_suspend()
        defer { bulla_epoch_resume(depth) }
        return try body()
    }

    /// Holds a frame by its address; `false` if this thread holds too many already.
    @inlinable @inline(__always)
    package static func hold(_ frame: UInt64) -> Bool { bulla_epoch_hold(frame) }

    @inlinable @inline(__always)
    package static func unhold() { bulla_epoch_unhold() }

    /// Waits until all operations that began before this call have ended.
    package static func synchronize() { bulla_epoch_synchronize() }

    /// Begins an epoch; ``hasEnded(before:)`` then says whether all operations that began before
    /// the epoch have ended.
    ///
    /// Together they do what ``synchronize()`` does, for a thread that must not wait.
    package static func begin() -> UInt64 { bulla_epoch_begin() }

    /// Whether all operations that began before this epoch have ended.
    package static func hasEnded(before epoch: UInt64) -> Bool { bulla_epoch_has_ended(epoch) }

    /// Finds those of `frames` that closures are reading.
    ///
    /// Valid only after ``synchronize()``, or once ``hasEnded(before:)`` has returned true.
    ///
    /// - Parameter names: gets the frames' names, 8 bytes each, as many as fit.
    /// - Returns: how many names there are, which can be more than fit.
    package static func heldFrames(of frames: FrameHomes, into names: MutableByteView) -> Int {
        // SAFETY: the owner of `names` has aligned it to a machine page; no more names are written
        // than fit.
        unsafe bulla_epoch_held(
            frames.nameRange.lowerBound, frames.nameRange.upperBound,
            names.base.assumingMemoryBound(to: UInt64.self), names.byteCount / 8)
    }

    /// Whether a closure reads the frame; valid only after ``synchronize()``.
    package static func isHeld(_ frame: UInt64) -> Bool { bulla_epoch_is_held(frame) }
}

/// Tells whether this process made the sentinel, or is a forked child of the one that did.
@usableFromInline @safe package struct ForkSentinel: @unchecked Sendable {
    // `@unchecked`: the word is written only in the child, before any code of ours runs there.

    @usableFromInline let word: UnsafeRawPointer
    @usableFromInline let mark: UInt64

    /// `nil` if the system has no memory for it.
    package init?() {
        var mark: UInt64 = 0
        guard let word = unsafe bulla_fork_sentinel(&mark) else { return nil }
        unsafe self.word = unsafe word
        self.mark = mark
    }

    @inlinable @inline(__always)
    package var isOriginal: Bool { unsafe bulla_word_load_relaxed(word) == mark }
}

/// A number that few threads have in common; it spreads threads over shared resources.
@usableFromInline package enum ThreadHint {
    @inlinable @inline(__always)
    package static var number: Int {
        // The address of this thread's epoch record, without the low 7 bits: records are at least
        // 128 bytes (2^7) long, so no two addresses differ only in those bits.
        unsafe Int(bitPattern: bulla_epoch_here()) >> 7 & 0xFFFF
    }

    /// Whether this thread is running a task.
    package static var isTask: Bool {
        // SAFETY: the task is not looked at, and does not leave the closure.
        unsafe withUnsafeCurrentTask { task in unsafe task != nil }
    }
}

/// This process's number; only for messages, because it means nothing in another container.
package enum ProcessNumber {
    package static var current: UInt64 { UInt64(getpid()) }
}
