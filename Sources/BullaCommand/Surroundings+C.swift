internal import Bulla
internal import Glibc

/// Makes what the process inherited safe, before any file is opened.
enum Surroundings {
    static func prepare() {
        fillStandardDescriptors()
        // This process's memory will contain values and keys.
        _ = CoreDumps.forbid()
    }

    /// Opens closed standard descriptors.
    ///
    /// Otherwise the store could be opened as one of them, and a message be written into it. The
    /// replacements refuse to be read or written, so using them is still an error.
    private static func fillStandardDescriptors() {
        for number: Int32 in 0...2 where fcntl(number, F_GETFD) < 0 {
            // `open` takes the lowest free number, which is this one.
            _ = unsafe open("/dev/null", number == 0 ? O_WRONLY : O_RDONLY)
        }
    }
}

/// The command line as the process received it.
enum Arguments {
    /// - Throws: if an argument is not UTF-8, because it would be misread.
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
