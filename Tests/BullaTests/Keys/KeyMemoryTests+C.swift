import Bulla
import BullaTestSupport
import Glibc
import Testing

/// Each test has a process of its own, which may not lock any memory.
@Suite struct `The memory of keys` {
    @Test func `is locked, or a key is an error that says so`() async {
        await #expect(processExitsWith: .success) {
            try Unlockable.become()
            #expect(KeyMemory.policy == .required)
            let error = #expect(throws: BullaError.self) { _ = try StoreKey.random() }
            #expect(error?.code == .outOfMemory)
            #expect(error?.message.contains("RLIMIT_MEMLOCK") == true)
            let calibration = refusal { _ = try PasswordStretching.calibrated(for: .zero) }
            #expect(calibration?.code == .outOfMemory)
            #expect(calibration.says("RLIMIT_MEMLOCK"), "\(calibration as Any)")
        }
    }

    @Test func `is what there is, where the best effort will do`() async {
        await #expect(processExitsWith: .success) {
            let scratch = try Scratch()
            try Unlockable.become(chmodding: scratch.path(""))
            KeyMemory.policy = .bestEffort
            #expect(KeyMemory.unlockedByteCount == 0)
            let store = try Store.open(at: scratch.path("s.bulla"), key: StoreKey.random())
            #expect(KeyMemory.unlockedByteCount > 0)
            try store.close()
        }
    }

    @Test func `is told as what is missing where a page lies under a data key of before`() async {
        await #expect(processExitsWith: .success) {
            let scratch = try Scratch()
            let store = try StoreKind.gcm.open(scratch.path("s.bulla"))
            for name in ["old", "new"] {
                if name == "new" { try store.rotateDataKeys() }
                try store.write {
                    try $0.put("value", forKey: "key", in: $0.openOrCreateTree(named: name))
                }
                try store.takeOverLog()
            }
            try store.close()
            let again = try StoreKind.gcm.open(scratch.path("s.bulla"))
            try again.read { snapshot in
                // The catalog and this tree are sealed under the new data key.
                let old = try snapshot.tree(named: "old")
                let new = try snapshot.tree(named: "new")
                #expect(try snapshot.value(forKey: "key", in: new) == Array("value".utf8))
                try Unlockable.become(chmodding: scratch.path(""))
                // Fill the memory that is already locked, so that it has no room for another key
                // either.
                var secrets: [Secret] = []
                while let secret = try? Secret("x") { secrets.append(secret) }
                withExtendedLifetime(secrets) {
                    let error = refusal { _ = try snapshot.value(forKey: "key", in: old) }
                    #expect(error?.code == .outOfMemory, "\(error as Any)")
                    #expect(error.says("derive the data key of epoch 1"))
                    #expect(error.says("RLIMIT_MEMLOCK"))
                }
            }
        }
    }
}

private enum Unlockable {
    /// RLIMIT_MEMLOCK, which Glibc's module does not name.
    private static let resource = __rlimit_resource_t(8)

    /// Gives up the right to lock memory, and the superuser's right to ignore limits.
    ///
    /// - Parameter folder: a folder that must stay writable for an ordinary user.
    static func become(chmodding folder: String? = nil) throws {
        if let folder {
            // SAFETY: the string outlives the call.
            let isOpen = unsafe chmod(folder, 0o777) == 0
            try #require(isOpen)
        }
        var limit = rlimit(rlim_cur: 0, rlim_max: 0)
        // SAFETY: only the call reads `limit`.
        let isSet = unsafe setrlimit(resource, &limit) == 0
        try #require(isSet && (getuid() != 0 || setuid(65534) == 0))
    }
}
