// swift-tools-version: 6.2
import PackageDescription

// This is a package of its own, so that building Bulla does not need the peers. Each product is
// built by itself, so that a missing library leaves out only its own peer.

let strict: [SwiftSetting] = [
    .swiftLanguageMode(.v6),
    .strictMemorySafety(),
    .treatAllWarnings(as: .error),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
]

/// The adapter of an engine that is compared with Bulla: a program named `bulla-peer-...`.
func peer(
    _ target: String, _ library: String, settings: [SwiftSetting] = []
) -> Target {
    .executableTarget(
        name: target,
        dependencies: [
            "BullaPeer", .target(name: library), .product(name: "BullaBenchKit", package: "bulla"),
        ],
        path: target, swiftSettings: strict + settings)
}

/// An engine without the harness: a program named `bulla-bare-...`.
func bare(
    _ target: String, _ folder: String, _ library: String, flags: [CSetting] = [],
    linked: [LinkerSetting] = []
) -> Target {
    .executableTarget(
        name: target, dependencies: ["CBare", .target(name: library)], path: "Bare/\(folder)",
        cSettings: flags, linkerSettings: linked)
}

/// A program that uses GRDB, which SwiftPM fetches only with the trait `Objects`.
func grdb(_ target: String, _ path: String) -> Target {
    .executableTarget(
        name: target,
        dependencies: [
            .product(name: "BullaObjectPeer", package: "bulla"),
            .product(
                name: "GRDB", package: "GRDB.swift", condition: .when(traits: ["Objects"])),
        ],
        path: path, swiftSettings: strict)
}

let package = Package(
    name: "bulla-peers",
    products: [
        .executable(name: "bulla-peer-lmdb", targets: ["LMDBPeer"]),
        .executable(name: "bulla-peer-sqlite", targets: ["SQLitePeer"]),
        .executable(name: "bulla-peer-sqlcipher", targets: ["SQLCipherPeer"]),
        .executable(name: "bulla-peer-rocksdb", targets: ["RocksDBPeer"]),
        .executable(name: "bulla-peer-berkeley", targets: ["BerkeleyPeer"]),
        .executable(name: "bulla-objects-grdb", targets: ["GRDBPeer"]),
        .executable(name: "bulla-bare-grdb", targets: ["GRDBBare"]),
        .executable(name: "bulla-bare-bulla", targets: ["BullaBare"]),
        .executable(name: "bulla-bare-lmdb", targets: ["LMDBBare"]),
        .executable(name: "bulla-bare-sqlite", targets: ["SQLiteBare"]),
        .executable(name: "bulla-bare-sqlcipher", targets: ["SQLCipherBare"]),
        .executable(name: "bulla-bare-rocksdb", targets: ["RocksDBBare"]),
        .executable(name: "bulla-bare-berkeley", targets: ["BerkeleyBare"]),
    ],
    traits: [.trait(name: "Objects", description: "the peers of `bulla-bench objects`, over GRDB")],
    dependencies: [
        .package(name: "bulla", path: "../.."),
        // Fetched only for the trait `Objects`.
        .package(url: "https://github.com/groue/GRDB.swift", exact: "7.10.0"),
    ],
    targets: [
        // The libraries of the system.
        .systemLibrary(
            name: "CLMDB", path: "CLMDB", pkgConfig: "lmdb", providers: [.apt(["liblmdb-dev"])]),
        .systemLibrary(
            name: "CSQLite", path: "CSQLite", pkgConfig: "sqlite3",
            providers: [.apt(["libsqlite3-dev"])]),
        .systemLibrary(
            name: "CSQLCipher", path: "CSQLCipher", pkgConfig: "sqlcipher",
            providers: [.apt(["libsqlcipher-dev"])]),
        .systemLibrary(
            name: "CRocksDB", path: "CRocksDB", pkgConfig: "rocksdb",
            providers: [.apt(["librocksdb-dev"])]),
        .systemLibrary(
            name: "CBerkeleyDB", path: "CBerkeleyDB", providers: [.apt(["libdb5.3-dev"])]),
        // The code that the programs share, then the programs.
        .target(
            name: "BullaPeer",
            dependencies: [.product(name: "BullaBenchKit", package: "bulla")],
            path: "BullaPeer", swiftSettings: strict),
        peer("LMDBPeer", "CLMDB"),
        // The folders of SQLitePeer and SQLCipherPeer each contain a symbolic link to SQLAdapter,
        // because one module cannot use two libraries that define the same functions.
        peer("SQLitePeer", "CSQLite"),
        peer("SQLCipherPeer", "CSQLCipher", settings: [.define("SQLITE_HAS_CODEC")]),
        peer("RocksDBPeer", "CRocksDB"),
        peer("BerkeleyPeer", "CBerkeleyDB"),
        // The same engines without the harness, for comparison with its figures.
        .target(name: "CBare", path: "Bare/Common", cSettings: [.define("_GNU_SOURCE")]),
        bare("LMDBBare", "LMDB", "CLMDB"),
        bare("SQLiteBare", "SQLite", "CSQLite"),
        bare("SQLCipherBare", "SQLCipher", "CSQLCipher", flags: [.define("SQLITE_HAS_CODEC")]),
        bare("RocksDBBare", "RocksDB", "CRocksDB"),
        bare("BerkeleyBare", "BerkeleyDB", "CBerkeleyDB", linked: [.linkedLibrary("db")]),
        .executableTarget(
            name: "BullaBare",
            dependencies: ["CBare", .product(name: "Bulla", package: "bulla")],
            path: "Bare/Bulla", swiftSettings: strict),
        grdb("GRDBPeer", "GRDBPeer"),
        grdb("GRDBBare", "Bare/GRDB"),
    ],
    cLanguageStandard: .gnu17
)
