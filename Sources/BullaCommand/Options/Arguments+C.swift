/// The command line as it came.
enum Arguments {
    /// - Throws: when an argument is not UTF-8. It would be read as something else than was meant.
    static func check() throws {
        for index in 1..<max(1, Int(CommandLine.argc)) {
            // SAFETY: `index` is below the count of arguments; each ends with a zero byte.
            let isText = unsafe CommandLine.unsafeArgv[index].map { argument in
                unsafe String(validatingCString: argument) != nil
            }
            guard isText == true else {
                throw CommandError(
                    .usage, "read argument \(index): not UTF-8; give other bytes with --hex")
            }
        }
    }
}
