internal import Glibc

/// A thread of the system's own: no pool, no run loop.
enum Thread {
    private final class Body {
        let run: @Sendable () -> Void
        init(_ run: @escaping @Sendable () -> Void) { self.run = run }
    }

    /// Starts `body` on a new thread, which nobody joins.
    static func start(_ body: @escaping @Sendable () -> Void) throws {
        var thread = pthread_t()
        let box = unsafe Unmanaged.passRetained(Body(body))
        // SAFETY: the box was retained for the thread, which takes it back.
        let code = unsafe pthread_create(
            &thread, nil,
            { argument in
                if let argument = unsafe argument {
                    unsafe Unmanaged<Body>.fromOpaque(argument).takeRetainedValue().run()
                }
                return nil
            }, box.toOpaque())
        guard code == 0 else {
            unsafe box.release()
            throw BenchError(system: "start a thread", code: code)
        }
        pthread_detach(thread)
    }
}
