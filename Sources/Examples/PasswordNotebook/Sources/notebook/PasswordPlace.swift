internal import ArgumentParser
internal import Bulla

/// The source of a password; never the command line, which every user of the machine can read.
enum PasswordPlace: ExpressibleByArgument {
    case prompt
    case descriptor(Int32)
    case file(String)

    static let help: ArgumentHelp =
        "The source of the password: prompt, fd:NUMBER or file:PATH (mode 0600)."

    init?(argument: String) {
        let parts = argument.split(separator: ":", maxSplits: 1).map(String.init)
        switch (parts.first, parts.count) {
        case ("prompt", 1): self = .prompt
        case ("fd", 2):
            guard let number = Int32(parts[1]), number >= 0 else { return nil }
            self = .descriptor(number)
        case ("file", 2): self = .file(parts[1])
        default: return nil
        }
    }

    /// Reads the password; a prompt names the file, and asks twice for a new password.
    func password(of path: String, isNew: Bool = false) throws(BullaError) -> Secret {
        switch self {
        case .prompt:
            let question = isNew ? "New password of \(path): " : "Password of \(path): "
            return try PromptKeySource(question, confirming: isNew).load()
        case .descriptor(let number): return try DescriptorKeySource(number).load()
        case .file(let path): return try FileKeySource(path).load()
        }
    }
}
