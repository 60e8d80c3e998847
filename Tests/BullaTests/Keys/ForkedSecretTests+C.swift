import Bulla
import Glibc
import Testing

@Suite struct `A secret in a child of a fork` {
    @Test func `is not lent, and so zeros are not taken for it`() async {
        await #expect(processExitsWith: .success) {
            let secret = try Secret("open sesame")
            let symbol = unsafe try #require(dlsym(nil, "fork"))
            // SAFETY: the type is the signature that POSIX gives.
            let fork = unsafe unsafeBitCast(symbol, to: (@convention(c) () -> pid_t).self)
            let child = fork()
            if child == 0 {
                for number in [SIGILL, SIGTRAP] { signal(number, SIG_DFL) }
                _exit(secret.withBytes { $0.byteCount } > 0 ? 1 : 2)
            }
            var status: Int32 = 0
            // SAFETY: the call writes `status`.
            unsafe waitpid(child, &status, 0)
            // The child ends with a trap, whose signal depends on the processor.
            #expect([SIGILL, SIGTRAP].contains(status & 0x7F))
            #expect(secret.withBytes { $0.byteCount } == 11)
        }
    }
}
