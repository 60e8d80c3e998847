internal import ArgumentParser
internal import BullaRecords
internal import BullaRecordsServer
internal import BullaText
internal import Foundation

/// `bulla-records server-key`.
struct ServerKeyCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "server-key",
        abstract: "Admit, list and remove servers; each signs its requests with its own key.",
        subcommands: [Add.self, List.self, Remove.self])

    struct Add: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Admit a server, and print the ID of its key.",
            discussion: """
                These commands make a P-256 key and its public half:
                  openssl ecparam -name prime256v1 -genkey -noout -out server.pem
                  openssl ec -in server.pem -pubout -out server-public.pem
                """)

        @OptionGroup var service: ServiceArguments
        @OptionGroup var place: PlaceArguments
        @Argument(help: "The server's name in lists.") var name: String
        @Argument(help: "A file with its public key, in PEM.", completion: .file())
        var publicKeyFile: String

        func run() throws {
            let key = try PublicKeyFile.bytes(publicKeyFile)
            let keyID = try service.withStores { stores in
                try place.check(in: stores)
                return try stores.keyring.servers.add(
                    SigningServer(name, publicKey: key), in: place.place)
            }
            print(keyID)
        }
    }

    struct List: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "List servers, each with the ID of its key.")

        @OptionGroup var service: ServiceArguments
        @OptionGroup var place: PlaceArguments

        func run() throws {
            let servers = try service.withStores { stores in
                try place.check(in: stores)
                return try stores.keyring.servers.all(in: place.place)
            }
            for (keyID, server) in servers.sorted(by: { $0.value.name < $1.value.name }) {
                print("\(server.name)\t\(keyID)")
            }
        }
    }

    struct Remove: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Remove a server: what it signs is refused from now on.")

        @OptionGroup var service: ServiceArguments
        @OptionGroup var place: PlaceArguments
        @Argument(help: "The ID of its key.") var keyID: String

        func run() throws {
            try service.withStores { stores in
                try place.check(in: stores)
                try stores.keyring.servers.remove(keyID, in: place.place)
            }
        }
    }
}

/// A public key in a PEM file (RFC 7468).
private enum PublicKeyFile {
    static func bytes(_ path: String) throws(SettingsFault) -> [UInt8] {
        let data = FileManager.default.contents(atPath: path)
        let lines = data.map { String(decoding: $0, as: UTF8.self).split(separator: "\n") } ?? []
        guard let first = lines.firstIndex(of: "-----BEGIN PUBLIC KEY-----"),
            let last = lines.firstIndex(of: "-----END PUBLIC KEY-----"), first < last,
            let bytes = Base64.bytes(lines[(first + 1)..<last].joined().utf8)
        else { throw SettingsFault("read \(path): it has no public key in PEM") }
        return bytes
    }
}
