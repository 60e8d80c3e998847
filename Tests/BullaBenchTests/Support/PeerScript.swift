import BullaBenchKit
import BullaText
import Foundation

/// A script that takes the place of a peer's program.
struct PeerScript {
    private let text: String

    /// Ends at once with status 0.
    static let silent = PeerScript(text: "exit 0")
    /// Ends when it gets a command.
    static let deaf = PeerScript(text: "read line; exit 7")
    /// Answers with something that is not a reply.
    static let echo = PeerScript(text: "exec cat")
    /// Bulla's own worker; each process records its commands in a file next to the program.
    static var recording: PeerScript {
        get throws {
            try worker(fed: "exec tee \"$0.$$.orders\"")
        }
    }
    /// Bulla's own worker; a store's first worker is killed when its threads should start for the
    /// third time, while the other workers' threads wait for them.
    static var dyingAtThirdStart: PeerScript {
        get throws {
            try worker(
                fed: """
                    is_first='' starts=0
                    while IFS= read -r line; do
                        case $line in *'"lane":0'[,}]*) is_first=1 ;; esac
                        case $line in '{"go":'*) starts=$((starts + 1)) ;; esac
                        if [ "$is_first$starts" = 13 ]; then kill -KILL $$; exit; fi
                        printf '%s\\n' "$line"
                    done
                    """)
        }
    }

    /// Bulla's own worker, which gets its commands through the shell commands `commands`.
    private static func worker(fed commands: String) throws -> PeerScript {
        PeerScript(
            text: """
                feed() {
                    \(commands)
                }
                mkfifo "$0.$$"
                exec 3<&0
                feed <&3 >"$0.$$" &
                '\(try BenchProgram.path())' worker <"$0.$$" 3<&-
                status=$?
                kill $!
                exit $status
                """)
    }

    func write(to path: String) throws {
        let manager = FileManager.default
        try Descriptor.create(path).write(Array("#!/bin/sh\n\(text)\n".utf8))
        try manager.setAttributes([.posixPermissions: 0o700], ofItemAtPath: path)
    }
}
