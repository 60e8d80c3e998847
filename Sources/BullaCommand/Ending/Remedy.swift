internal import Bulla

/// What can be done about an error of the engine, where that is known.
enum Remedy {
    /// What follows the error's message.
    static func text(for error: BullaError) -> String { remedy(for: error).map { "; " + $0 } ?? "" }

    private static func remedy(for error: BullaError) -> String? {
        switch error.code {
        case .encrypted: "give --key-file or --key-fd"
        case .notEncrypted: "leave out --key-file and --key-fd"
        case .optionMismatch: "leave out --page-size and --suite"
        case .unsupportedFormat: "a newer bulla reads it"
        case .readersFull: "end some of those who read, or try again"
        case .corrupted:
            "bulla check says what is damaged, bulla salvage saves what still verifies"
        case .keyTooLarge: "bulla info says what fits, and bulla create --page-size sets it"
        default: nil
        }
    }
}
