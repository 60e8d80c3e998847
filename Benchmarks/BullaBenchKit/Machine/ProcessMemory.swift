/// The memory of this process, as the kernel tells it.
struct ProcessMemory {
    /// The most that was ever resident.
    var peakByteCount: UInt64
    /// What of the resident memory is mapped from files or shared with others.
    var sharedByteCount: UInt64

    static func now() -> Self {
        Self(
            peakByteCount: kilobytes("VmHWM"),
            sharedByteCount: kilobytes("RssFile") + kilobytes("RssShmem"))
    }

    private static func kilobytes(_ field: String) -> UInt64 {
        let text = SystemText.field(field, in: "/proc/self/status") ?? ""
        return (text.split(separator: " ").first.flatMap { UInt64($0) } ?? 0) << 10
    }
}
