import Bulla
import BullaTestSupport
import Foundation
import Glibc
import Testing

@Suite struct `A secret that the environment leads to` {
    private let files: TestStore
    private let folder: String

    init() throws {
        files = try TestStore(.plain)
        folder = files.scratch.path("credentials")
        try FileManager.default.createDirectory(
            atPath: folder, withIntermediateDirectories: false)
    }

    private func write(_ text: String, to name: String, mode: Int = 0o400) throws {
        try files.scratch.write(Array(text.utf8), to: "credentials/\(name)")
        try files.scratch.setMode(mode, of: "credentials/\(name)")
    }

    private func credential(_ name: String) throws -> SecretWorker.Answer {
        try SecretWorker(
            files, ["source=credential"] + (name.isEmpty ? [] : ["name=\(name)"]),
            variables: ["CREDENTIALS_DIRECTORY=\(folder)"]
        ).finalAnswer()
    }

    @Test func `is a credential of the service, without its newline`() throws {
        try write("open sesame\n", to: "ledger")
        #expect(try credential("ledger") == .text("open sesame"))
        #expect(try credential("other") == .refused(.keySourceMissing))
    }

    @Test func `is missing where the service has no credentials`() throws {
        for variables in [["-u", "CREDENTIALS_DIRECTORY"], ["CREDENTIALS_DIRECTORY="]] {
            let worker = try SecretWorker(
                files, ["source=credential", "name=ledger"], variables: variables)
            #expect(try worker.finalAnswer() == .refused(.keySourceMissing))
        }
    }

    @Test func `is refused as a credential where its folder is not named from the root`() throws {
        let worker = try SecretWorker(
            files, ["source=credential", "name=ledger"],
            variables: ["CREDENTIALS_DIRECTORY=credentials"])
        #expect(try worker.finalAnswer() == .refused(.invalidArgument))
    }

    @Test(arguments: ["", ".", "..", "a/b", "/ledger", "../credentials/ledger"])
    func `is refused as a credential whose name leads elsewhere`(name: String) throws {
        try write("open sesame", to: "ledger")
        #expect(try credential(name) == .refused(.invalidArgument))
    }

    @Test func `is refused as a credential that is unsafe, empty or no file`() throws {
        try write("open sesame", to: "readable", mode: 0o444)
        #expect(try credential("readable") == .refused(.keyFileMode))
        try write("open sesame", to: "grouped", mode: 0o440)
        #expect(try credential("grouped") == .refused(.keyFileMode))
        try write("", to: "empty")
        #expect(try credential("empty") == .refused(.keySourceEmpty))
        try FileManager.default.createSymbolicLink(
            atPath: "\(folder)/link", withDestinationPath: "empty")
        #expect(try credential("link") == .refused(.keyFileLink))
        try FileManager.default.createDirectory(
            atPath: "\(folder)/folder", withIntermediateDirectories: false)
        #expect(try credential("folder") == .refused(.invalidArgument))
    }

    @Test(.enabled(if: AccessList.areKept, "the file system has no access lists"))
    func `is a credential that an access list gives to this user alone`() throws {
        try write("open sesame", to: "listed")
        for (user, isTaken) in [(geteuid(), true), (geteuid() + 1, false)] {
            try #require(AccessList(reader: user).put(on: "\(folder)/listed"))
            #expect(
                try credential("listed")
                    == (isTaken ? .text("open sesame") : .refused(.keyFileMode)))
        }
    }

    @Test func `is a variable, byte by byte`() throws {
        for (setting, answer) in [
            ("LEDGER=open sesame\n", SecretWorker.Answer.text("open sesame\n")),
            ("LEDGER=", .refused(.keySourceEmpty)), ("OTHER=x", .refused(.keySourceMissing)),
            ("LEDGER=" + String(repeating: "x", count: 4097), .refused(.invalidArgument)),
        ] {
            let worker = try SecretWorker(
                files, ["source=environment", "name=LEDGER"], variables: [setting])
            #expect(try worker.finalAnswer() == answer)
        }
    }

    @Test(.enabled(if: Privilege.isUserChangeable, "this user cannot become another"))
    func `is denied as a file that only another user may read`() throws {
        try files.scratch.write(Array("open sesame".utf8), to: "theirs")
        try files.scratch.setMode(0o600, of: "theirs")
        let worker = try SecretWorker(
            files, ["source=file", "name=\(files.scratch.path("theirs"))"],
            launcher: Privilege.nobodyLauncher)
        #expect(try worker.finalAnswer() == .refused(.keySourceDenied))
    }
}
