internal import Bulla
internal import Glibc

/// Makes the inherited state of the process safe, before the process opens any file.
enum Surroundings {
    static func prepare() {
        fillStandardDescriptors()
        // A dump of this process's memory would contain values and keys.
        _ = CoreDumps.forbid()
    }

    /// Opens a replacement for each standard descriptor that is closed.
    ///
    /// Otherwise the store's file, once opened, could get the number of one of them, and a message
    /// would be written into the store. Reading the replacement of standard input fails, and so
    /// does writing to the others, as if they were still closed.
    private static func fillStandardDescriptors() {
        for number: Int32 in 0...2 where fcntl(number, F_GETFD) < 0 {
            // `open` takes the lowest free number, which is `number`.
            _ = unsafe open("/dev/null", number == 0 ? O_WRONLY : O_RDONLY)
        }
    }
}

/// The command line as the process received it.
enum Arguments {
    /// - Throws: if an argument is not UTF-8, because Swift would change its bytes.
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
