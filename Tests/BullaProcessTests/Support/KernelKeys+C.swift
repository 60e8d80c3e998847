import Bulla
import Foundation
import Glibc

/// Direct operations on the kernel's keyrings, without Bulla.
enum KernelKeys {
    private typealias Call = @convention(c) (Int, Int, Int, Int, Int, Int) -> Int

    /// Whether this process may use a keyring; containers often forbid it.
    static func areAllowed(_ place: KeyringKeySource.Place) -> Bool {
        let source = KeyringKeySource("bulla-probe-\(UUID())", in: place)
        do {
            try source.store(Secret("probe"), expiringAfter: .seconds(60))
            try source.remove()
        } catch { return error.code != .keySourceDenied }
        return true
    }

    /// Revokes a key of the session's keyring (KEYCTL_SEARCH, KEYCTL_REVOKE).
    static func revoke(_ description: String) -> Bool {
        #if arch(x86_64)
        let keyctl = 250
        #else
        let keyctl = 219
        #endif
        guard let symbol = unsafe dlsym(nil, "syscall") else { return false }
        // SAFETY: syscall(2) takes words; the strings outlive the call.
        let call = unsafe unsafeBitCast(symbol, to: Call.self)
        let key = unsafe "user".withCString { kind in
            unsafe description.withCString { name in
                call(keyctl, 10, -3, Int(bitPattern: kind), Int(bitPattern: name), 0)
            }
        }
        return key > 0 && call(keyctl, 3, key, 0, 0, 0) == 0
    }
}

extension KeyringKeySource.Place {
    static let all: [KeyringKeySource.Place] = [.session, .user, .persistent]
    static let allowed = all.filter { KernelKeys.areAllowed($0) }
}
