internal import Bulla
internal import Glibc

/// What the process was given by whoever started it, made safe before anything is opened.
enum Surroundings {
    static func prepare() {
        fillStandardDescriptors()
        // Values and keys pass through the memory of this process.
        _ = CoreDumps.forbid()
    }

    /// Takes the places of standard descriptors that are closed.
    ///
    /// Otherwise the store would be opened in such a place, and a message be written into it. What
    /// is put there refuses to be read or written, so that it is an error as before.
    private static func fillStandardDescriptors() {
        for number: Int32 in 0...2 where fcntl(number, F_GETFD) < 0 {
            // The lowest free number is taken, which is this one.
            _ = unsafe open("/dev/null", number == 0 ? O_WRONLY : O_RDONLY)
        }
    }
}

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
