import BullaBenchKit
import BullaText
import Foundation

/// A program that takes the place of a peer's.
struct PeerScript {
    private let text: String

    /// Ends at once, as if all were well.
    static let silent = PeerScript(text: "exit 0")
    /// Ends when it is told something.
    static let deaf = PeerScript(text: "read line; exit 7")
    /// Says what is no answer.
    static let echo = PeerScript(text: "exec cat")
    /// Bulla's own worker; its orders are written down beside the program, a file for each process.
    static var recording: PeerScript {
        get throws {
            try worker(fed: "exec tee \"$0.$$.orders\"")
        }
    }
    /// Bulla's own worker; but the first of a store is killed when its threads are to start for the
    /// third time, while those of the others wait for them.
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

    /// Bulla's own worker, to whom `commands` hand on its orders.
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
