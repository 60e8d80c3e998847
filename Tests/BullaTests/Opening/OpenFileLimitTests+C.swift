import Bulla
import BullaTestSupport
import Glibc
import Testing

/// The library keeps forked children from using the files that it opens; it can do so for a limited
/// number of files.
@Suite struct `Files beyond those that a child of a fork is kept from` {
    /// The test has a process of its own, because other tests in the process could open nothing
    /// meanwhile.
    @Test(.enabled(if: OpenFiles.areAllowed, "so many files may not be open at once"))
    func `are not opened before others go`() async {
        await #expect(processExitsWith: .success) {
            OpenFiles.raiseLimit()
            let scratch = try Scratch()
            try scratch.write([1], to: "file")
            let path = scratch.path("file")
            var files: [any StorageFile] = []
            let error = refusal {
                while files.count <= OpenFiles.keptFrom {
                    files.append(try SystemStorage().open(path, .reading))
                }
            }
            #expect(files.count == OpenFiles.keptFrom, "\(error as Any)")
            #expect(error?.code == .io && error?.errno == EMFILE)
            #expect(error.says("open \(path): too many files are open"))
            let handle = refusal { _ = try files[0].openFlushHandle() }
            #expect(handle?.errno == EMFILE && handle.says("to flush it"), "\(handle as Any)")
            files.removeLast()
            files.append(try SystemStorage().open(path, .reading))
        }
    }
}

private enum OpenFiles {
    /// The maximum number of files that the library can keep forked children from using.
    static let keptFrom = 16384
    /// Enough for those files, and for the others that a process has open.
    private static let wanted = rlim_t(keptFrom + 1000)
    private static let resource = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)

    private static func known() -> rlimit {
        var limit = rlimit()
        // SAFETY: the call writes `limit`, and fails for no existing resource.
        _ = unsafe getrlimit(resource, &limit)
        return limit
    }

    static var areAllowed: Bool { known().rlim_max >= wanted }

    static func raiseLimit() {
        var limit = known()
        limit.rlim_cur = wanted
        // SAFETY: only the call reads `limit`.
        let isRaised = unsafe setrlimit(resource, &limit) == 0
        precondition(isRaised, "the limit is allowed")
    }
}
