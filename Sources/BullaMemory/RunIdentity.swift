internal import Glibc

/// Distinguishes one sequence of calls from all others that run at the same time; never zero.
///
/// The sequence is a task, on whatever thread it continues; outside tasks, it is a thread.
package enum RunIdentity {
    package static var current: UInt64 {
        // SAFETY: the task is looked at while it runs, and not kept.
        let task = unsafe withUnsafeCurrentTask { task in unsafe task?.hashValue }
        // No address of a thread has the highest bit, so no thread is taken for a task.
        return task.map { UInt64(bitPattern: Int64($0)) | 1 << 63 } ?? UInt64(pthread_self())
    }
}
