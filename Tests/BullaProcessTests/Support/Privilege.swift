import BullaProcessSupport
import Foundation
import Testing

/// Rights that only some users have; a test that needs a missing right is skipped, and the reason
/// names the right.
enum Privilege {
    /// Whether this user may make process namespaces with clocks of their own.
    static let namespaces = isAllowed(namespaceLauncher + ["/bin/true"])
    /// Whether this user may mount file systems.
    static let mounts = isAllowed(["unshare", "--mount", "mount", "-t", "tmpfs", "none", "/mnt"])
    /// Whether this user may give up a superuser's capabilities; other users have none to give up.
    static let isSetprivAllowed = isAllowed(["setpriv", "--bounding-set=-ipc_lock", "true"])

    /// Starts a command as the first process of its namespace, whose clock is a day ahead.
    static let namespaceLauncher = [
        "/usr/bin/unshare", "--pid", "--fork", "--kill-child", "--time", "--boottime", "86400",
    ]

    /// Whether this user may become another user that can start the worker.
    static let isUserChangeable =
        (try? WorkerProcess.executable("BullaWorker")).map {
            isAllowed(nobodyLauncher + ["/usr/bin/test", "-x", $0])
        } ?? false
    /// Starts a command as a user who owns nothing.
    static let nobodyLauncher = [
        "/usr/bin/env", "setpriv", "--reuid=65534", "--regid=65534", "--clear-groups",
    ]

    private static func isAllowed(_ words: [String]) -> Bool { (try? run(words)) == 0 }

    /// Runs a command of the system, and returns its exit code.
    @discardableResult
    static func run(_ words: [String]) throws -> Int32 {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = words
        process.standardError = FileHandle.nullDevice
        try process.run()
        process.waitUntilExit()
        return process.terminationStatus
    }
}
