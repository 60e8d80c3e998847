import Glibc

/// How the program ends, and its last message.
enum Ending {
    static func leave(_ status: Int32) -> Never { exit(status) }

    static func complain(_ text: String) {
        let bytes = Array((text + "\n").utf8)
        // SAFETY: the array lives through the call.
        _ = unsafe write(STDERR_FILENO, bytes, bytes.count)
    }
}
