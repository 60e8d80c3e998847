import Bulla
import BullaTestSupport

/// Takes a secret from a source, in a process of its own, and reports its bytes as `secret=`, or
/// the error code's number as `refused=`; then waits until its input ends.
struct SecretJob {
    private let command: WorkerCommand

    init(_ command: WorkerCommand) { self.command = command }

    func run() throws {
        if let number = command.text("keyctl").flatMap({ Int32($0) }) {
            try KeyringFilter.install(refusing: number)
        }
        if let terminal = command.text("terminal") { try ControllingTerminal.take(terminal) }
        if command.text("interrupts") == "ignored" { ControllingTerminal.ignoreInterrupts() }
        do {
            try perform()
        } catch let error as BullaError {
            Line.say("refused", error.code.number)
        }
        Line.awaitEnd()
    }

    private func perform() throws {
        switch command.text("verb") {
        case "store": try keyring().store(Secret(name), expiringAfter: nil)
        case "fill":
            for number in 0..<command.number("count") {
                let secret = try Secret(String(repeating: "x", count: Secret.byteLimit))
                try KeyringKeySource("\(name) \(number)", in: .session).store(
                    secret, expiringAfter: nil)
            }
        case "open":
            let key = try source().load().withBytes { try StoreKey($0) }
            let store = try command.openStore(key)
            Line.say("digest", try store.read { try $0.digestOfAll() })
            try store.close()
            Line.say("peak", MemoryWatch.peakByteCount)
        default: Line.say("secret=\(try source().load().withBytes { $0.hexadecimal })")
        }
    }

    private var name: String { command.text("name") ?? "" }

    private func keyring() throws -> KeyringKeySource {
        let place: KeyringKeySource.Place =
            switch command.text("place") {
            case "user": .user
            case "persistent": .persistent
            default: .session
            }
        return KeyringKeySource(name, in: place)
    }

    private func source() throws -> any KeySource {
        switch command.text("source") {
        case "file": FileKeySource(name)
        case "credential": CredentialKeySource(name)
        case "keyring": try keyring()
        case "prompt": PromptKeySource(Self.prompt)
        case "confirmation": PromptKeySource(Self.prompt, confirming: true)
        case "environment": EnvironmentKeySource(name)
        default: throw WorkerFailure(exit: .badCommand, message: "there is no such source")
        }
    }

    private static let prompt = "Password: "
}

extension RawSpan {
    /// The bytes in hexadecimal, for a test to compare.
    var hexadecimal: String {
        withBytes { bytes in
            bytes.map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined()
        }
    }
}
