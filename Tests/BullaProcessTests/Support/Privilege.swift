import BullaProcessSupport
import Foundation
import Testing

/// What only some users of a machine may do: a test that needs it is left out, by name, elsewhere.
enum Privilege {
    /// New process namespaces, with clocks of their own.
    static let namespaces = isAllowed(namespaceLauncher + ["/bin/true"])
    /// File systems of one's own.
    static let mounts = isAllowed(["unshare", "--mount", "mount", "-t", "tmpfs", "none", "/mnt"])
    /// Giving up what a superuser may do; others have nothing to give up.
    static let isSetprivAllowed = isAllowed(["setpriv", "--bounding-set=-ipc_lock", "true"])

    /// Starts a command as the first process of its world, whose clock is a day ahead.
    static let namespaceLauncher = [
        "/usr/bin/unshare", "--pid", "--fork", "--kill-child", "--time", "--boottime", "86400",
    ]

    /// Being another user, who can start the worker.
    static let isUserChangeable =
        (try? WorkerProcess.executable("BullaWorker")).map {
            isAllowed(nobodyLauncher + ["/usr/bin/test", "-x", $0])
        } ?? false
    /// Starts a command as a user who owns nothing.
    static let nobodyLauncher = [
        "/usr/bin/env", "setpriv", "--reuid=65534", "--regid=65534", "--clear-groups",
    ]

    private static func isAllowed(_ words: [String]) -> Bool { (try? run(words)) == 0 }

    /// Runs a command of the system, and gives its exit code.
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
