import Testing

/// A way in which opening fails, and the error that a program gets.
struct OpenFailure: CustomTestStringConvertible, Sendable {
    let code: String
    let status: Int32
    let testDescription: String
    /// The shell commands that make `s` from an encrypted store `e.bulla`, a plain one `p.bulla`,
    /// and keys `raw` and `other`.
    let make: String
    /// The options for the key.
    let key: String

    static let all = [
        OpenFailure(
            code: "wrongKey", status: Status.noPermission, testDescription: "a wrong first half",
            make: "cp e.bulla s; (head -c 32 other; tail -c 32 raw) > k; chmod 600 k",
            key: "--key-file k"),
        OpenFailure(
            code: "wrongKey", status: Status.noPermission, testDescription: "a wrong second half",
            make: "cp e.bulla s; (head -c 32 raw; tail -c 32 other) > k; chmod 600 k",
            key: "--key-file k"),
        OpenFailure(
            code: "encrypted", status: Status.noPermission,
            testDescription: "no key where one belongs",
            make: "cp e.bulla s", key: ""),
        OpenFailure(
            code: "notEncrypted", status: Status.noPermission,
            testDescription: "a key for a plain file",
            make: "cp p.bulla s", key: "--key-file raw"),
        OpenFailure(
            code: "notAStore", status: Status.data, testDescription: "a text",
            make: "seq 10000 > s", key: "--key-file raw"),
        OpenFailure(
            code: "notAStore", status: Status.data, testDescription: "a short text, without a key",
            make: "echo hello > s", key: ""),
        OpenFailure(
            code: "unsupportedFormat", status: Status.configuration,
            testDescription: "a newer format", make: "cp e.bulla s; \(newer)", key: "--key-file raw"
        ),
        OpenFailure(
            code: "unsupportedFormat", status: Status.configuration,
            testDescription: "a newer format, plain", make: "cp p.bulla s; \(newer)", key: ""),
        OpenFailure(
            code: "corrupted", status: Status.damaged, testDescription: "a file that was cut",
            make: "head -c 20000 e.bulla > s", key: "--key-file raw"),
        OpenFailure(
            code: "corrupted", status: Status.damaged,
            testDescription: "damage in an encrypted file",
            make: "cp e.bulla s; \(damage)", key: "--key-file raw"),
        OpenFailure(
            code: "corrupted", status: Status.damaged, testDescription: "damage in a plain file",
            make: "cp p.bulla s; \(damage)", key: ""),
    ]

    /// Gives both headers the format version 99.
    private static let newer = """
        for place in 8 32776; do
            printf c | dd of=s bs=1 seek=$place conv=notrunc status=none
        done
        """

    /// Overwrites everything except the first page.
    private static let damage = """
        dd if=/dev/urandom of=s bs=4096 seek=1 count=$(($(stat -c %s s) / 4096 - 1)) \
            conv=notrunc status=none
        """
}

@Suite struct `Opening a store` {
    private func makeStores() throws -> Scratch {
        let scratch = try Scratch()
        try scratch.bulla("keygen", "raw", "--raw")
        try scratch.bulla("keygen", "other", "--raw")
        for (store, key) in [("e.bulla", "--key-file raw"), ("p.bulla", "")] {
            let run = try scratch.shell(
                """
                "$BULLA" create \(store) \(key) && "$BULLA" put \(store) pets rex dog \(key)
                """)
            try #require(run.status == 0, "\(run.errors)")
        }
        return scratch
    }

    @Test(arguments: OpenFailure.all)
    func `fails with an error of its own, and leaves the file as it was`(
        failure: OpenFailure
    ) throws {
        let scratch = try makeStores()
        try scratch.shell(failure.make)
        let digest = try scratch.digest("s")
        for command in ["get s pets rex", "put s pets rex v", "scan s pets", "check s", "info s"] {
            let run = try scratch.shell("\"$BULLA\" \(command) \(failure.key)")
            #expect(run.status == failure.status, "\(command): \(run.errors)")
            #expect(run.errors.hasPrefix("bulla: "))
            #expect(!run.text.contains("dog"))
            #expect(try scratch.digest("s") == digest)
        }
        let run = try scratch.shell("\"$BULLA\" info s --json \(failure.key)")
        #expect(run.errorMember("code") == failure.code, "\(run.errors)")
        #expect(run.errorMember("exit") == "\(failure.status)")
        #expect(try scratch.digest("s") == digest)
    }

    @Test func `that is not there is an error, and makes no file`() throws {
        let scratch = try Scratch()
        for command in [
            "get s t k", "put s t k v", "delete s t k", "scan s t", "check s", "dump s",
        ] {
            #expect(try scratch.shell("\"$BULLA\" \(command)").status == Status.noInput)
        }
        #expect(try scratch.shell("test -e s").status != 0)
    }

    @Test func `that is a directory is an error`() throws {
        let scratch = try Scratch()
        try scratch.shell("mkdir s")
        let run = try scratch.bulla("info", "s")
        #expect(run.status != 0 && run.signal == nil)
        #expect(run.errors.hasPrefix("bulla: "))
    }

    @Test func `that is there already is not created again`() throws {
        let scratch = try makeStores()
        let digest = try scratch.digest("e.bulla")
        for key in ["", "--key-file raw"] {
            let run = try scratch.shell("\"$BULLA\" create e.bulla \(key)")
            #expect(run.status == Status.cannotCreate, "\(run.errors)")
        }
        #expect(try scratch.digest("e.bulla") == digest)
    }
}
