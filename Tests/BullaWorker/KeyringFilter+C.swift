import BullaTestSupport
import Glibc

/// Denies this process the kernel's keyrings, as containers do.
///
/// - Source: seccomp(2), prctl(2).
enum KeyringFilter {
    private typealias Control = @convention(c) (Int32, UInt, UInt, UInt, UInt) -> Int32

    // PR_SET_NO_NEW_PRIVS, PR_SET_SECCOMP, SECCOMP_MODE_FILTER.
    private static let (noNewPrivileges, setFilter, filterMode) = (Int32(38), Int32(22), UInt(2))
    // SECCOMP_RET_ALLOW, and SECCOMP_RET_ERRNO, to which the errno is added.
    private static let (allow, refuse) = (UInt32(0x7FFF_0000), UInt32(0x0005_0000))
    /// `add_key`, `request_key` and `keyctl` have consecutive numbers.
    private static var numbers: ClosedRange<UInt32> {
        #if arch(x86_64)
        248...250
        #else
        217...219
        #endif
    }

    /// Makes these calls fail with an errno from now on.
    static func install(refusing number: Int32) throws {
        // Load the number of the call, and allow the call if its number is below or above those
        // three.
        var program = [
            instruction(0x20, 0),
            instruction(0x35, numbers.lowerBound, yes: 0, no: 2),
            instruction(0x25, numbers.upperBound, yes: 1, no: 0),
            instruction(0x06, refuse | UInt32(number)),
            instruction(0x06, allow),
        ]
        guard let symbol = unsafe dlsym(nil, "prctl") else { throw refusal }
        // SAFETY: prctl(2) takes four words after its verb, and copies the program.
        let control = unsafe unsafeBitCast(symbol, to: Control.self)
        let isInstalled = unsafe program.withUnsafeMutableBytes { bytes in
            let count = UInt(bytes.count / MemoryLayout<UInt64>.size)
            // A `struct sock_fprog`: the program's length and address.
            var head = (count, UInt(bitPattern: bytes.baseAddress))
            return unsafe withUnsafePointer(to: &head) { head in
                control(noNewPrivileges, 1, 0, 0, 0) == 0
                    && control(setFilter, filterMode, UInt(bitPattern: head), 0, 0) == 0
            }
        }
        guard isInstalled else { throw refusal }
    }

    /// One `struct sock_filter`: a code, two jumps, and a value.
    private static func instruction(
        _ code: UInt64, _ value: UInt32, yes: UInt64 = 0, no: UInt64 = 0
    ) -> UInt64 { code | yes << 16 | no << 24 | UInt64(value) << 32 }

    private static var refusal: WorkerFailure {
        WorkerFailure(exit: .badCommand, message: "there is no filter of calls")
    }
}
