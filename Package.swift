// swift-tools-version: 6.2
import CompilerPluginSupport
import PackageDescription

/// Whether debug builds have all checks, optimized libraries and all traits.
///
/// Continuous integration turns this on, both here and in packages that depend on this one.
let isChecked = Context.environment["BULLA_CHECKS"] != nil

/// Settings of every Swift target: the language at its strictest.
let strict: [SwiftSetting] =
    [
        .swiftLanguageMode(.v6),
        .strictMemorySafety(),
        .treatAllWarnings(as: .error),
        .enableUpcomingFeature("ExistentialAny"),
        .enableUpcomingFeature("InternalImportsByDefault"),
        .enableUpcomingFeature("MemberImportVisibility"),
    ] + (isChecked ? [.define("BULLA_CHECKS")] : [])

/// Settings of the libraries, and of tests that compute a lot.
let library = strict + (isChecked ? [.unsafeFlags(["-O", "-assert-config", "Debug"])] : [])

/// Settings of `BullaMemory`, the only target whose functions return spans.
let room: [SwiftSetting] = library + [.enableExperimentalFeature("Lifetimes")]

// Libraries of other packages.
let logging: Target.Dependency = .product(name: "Logging", package: "swift-log")
let arguments: Target.Dependency =
    .product(name: "ArgumentParser", package: "swift-argument-parser")

/// A product of a package that only the trait `Service` needs.
func service(_ product: String, _ package: String) -> Target.Dependency {
    .product(name: product, package: package, condition: .when(traits: ["Service"]))
}

/// A product of a package that only the trait `Remote` needs.
func remote(_ product: String, _ package: String) -> Target.Dependency {
    .product(name: product, package: package, condition: .when(traits: ["Remote"]))
}

/// A library of swift-syntax, which only the trait `Objects` needs.
func syntax(_ product: String) -> Target.Dependency {
    .product(name: product, package: "swift-syntax", condition: .when(traits: ["Objects"]))
}

/// The files of the console, the page that the service can serve.
let consolePage = [
    "console.html", "console.css", "icon.svg", "console.js", "account.js", "assets.js", "dialog.js",
    "difference.js", "element.js", "field.js", "notice.js", "record.js", "records.js", "schema.js",
    "service.js", "session.js", "zones.js",
]

let package = Package(
    name: "bulla",
    products: [
        .library(name: "Bulla", targets: ["Bulla"]),
        .library(name: "BullaRecords", targets: ["BullaRecords"]),
        .library(name: "BullaRecordsRemote", targets: ["BullaRecordsRemote"]),
        .library(name: "BullaObjects", targets: ["BullaObjects"]),
        .library(name: "BullaBenchKit", targets: ["BullaBenchKit"]),
        .library(name: "BullaObjectPeer", targets: ["BullaObjectPeer"]),
        .executable(name: "bulla", targets: ["BullaCommand"]),
        .executable(name: "bulla-bench", targets: ["BullaBench"]),
        .executable(name: "bulla-records", targets: ["BullaRecordsCommand"]),
    ],
    traits: [
        .default(enabledTraits: isChecked ? ["Objects"] : []),
        .trait(
            name: "Objects", description: "the macros of BullaObjects, over swift-syntax",
            enabledTraits: isChecked ? ["PostgreSQL", "Service"] : []),
        .trait(name: "PostgreSQL", description: "records in PostgreSQL databases, over libpq"),
        .trait(name: "Remote", description: "records at a service, over AsyncHTTPClient"),
        // The tests of the service use its client, so a build of the service includes the client.
        .trait(
            name: "Service", description: "`bulla-records serve`, over Hummingbird and SwiftNIO",
            enabledTraits: ["Remote"]),
    ],
    dependencies: [
        .package(url: "https://github.com/apple/swift-log", from: "1.16.0"),
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.5.0"),
        .package(url: "https://github.com/HdrHistogram/hdrhistogram-swift", from: "0.1.0"),
        // Only for the trait `Objects`: without it this is not fetched.
        .package(url: "https://github.com/swiftlang/swift-syntax", "602.0.0"..<"604.0.0"),
        // Only for the traits `Remote` and `Service`: without them none of these is fetched.
        .package(url: "https://github.com/swift-server/async-http-client", from: "1.37.0"),
        .package(url: "https://github.com/apple/swift-nio", from: "2.101.0"),
        .package(url: "https://github.com/apple/swift-nio-ssl", from: "2.37.0"),
        // Only for the trait `Service`.
        .package(url: "https://github.com/hummingbird-project/hummingbird", from: "2.28.0"),
        .package(url: "https://github.com/apple/swift-nio-extras", from: "1.35.0"),
        .package(url: "https://github.com/apple/swift-http-types", from: "1.8.0"),
        .package(url: "https://github.com/swift-server/swift-service-lifecycle", from: "2.13.0"),
    ],
    targets: [
        // Three small targets in C, each with at most one library besides the C library.
        .target(
            name: "CBullaCipher", path: "CSources/CBullaCipher",
            linkerSettings: [.linkedLibrary("crypto")]),
        .target(name: "CBullaShared", path: "CSources/CBullaShared"),
        .target(
            name: "CBullaTopology", path: "CSources/CBullaTopology",
            linkerSettings: [.linkedLibrary("numa", .when(platforms: [.linux]))]),
        // Swift, from the bottom up: memory, cipher, store.
        .target(
            name: "BullaMemory", dependencies: ["CBullaShared", "CBullaTopology"],
            swiftSettings: room),
        .target(
            name: "BullaCipher", dependencies: ["CBullaCipher", "BullaMemory"],
            swiftSettings: library),
        .target(
            name: "Bulla", dependencies: ["BullaMemory", "BullaCipher", logging],
            swiftSettings: library),
        // Records with sealed fields, in the shape that CloudKit's users know.
        .target(
            name: "BullaRecords", dependencies: ["Bulla", "BullaMemory", "BullaCipher"],
            swiftSettings: library),
        // Records in PostgreSQL: empty without the trait `PostgreSQL`.
        .systemLibrary(
            name: "CPostgreSQL", path: "CSources/CPostgreSQL", providers: [.apt(["libpq-dev"])]),
        .target(
            name: "BullaRecordsPostgreSQL",
            dependencies: [
                "BullaRecords", "Bulla",
                .target(name: "CPostgreSQL", condition: .when(traits: ["PostgreSQL"])),
            ],
            swiftSettings: strict),
        // Typed objects with indexes, links and queries.
        .target(
            name: "BullaObjects",
            dependencies: [
                "Bulla", "BullaMemory",
                .target(name: "BullaObjectsMacros", condition: .when(traits: ["Objects"])),
            ],
            swiftSettings: library),
        // What `@Model` and its like expand to.
        .macro(
            name: "BullaObjectsMacros",
            dependencies: [
                syntax("SwiftSyntax"), syntax("SwiftSyntaxBuilder"), syntax("SwiftSyntaxMacros"),
                syntax("SwiftDiagnostics"), syntax("SwiftCompilerPlugin"),
            ],
            swiftSettings: strict),
        // The web service's texts: requests and answers, who asks, and what went wrong.
        .target(
            name: "BullaRecordsWeb",
            dependencies: ["BullaRecords", "BullaText", "Bulla", "BullaMemory", "BullaCipher"],
            swiftSettings: library),
        // The service: its settings, its stores and, with the trait `Service`, its sockets.
        .target(
            name: "BullaRecordsServer",
            dependencies: [
                "BullaRecordsWeb", "BullaRecords", "Bulla", logging,
                service("HummingbirdCore", "hummingbird"),
                service("NIOCore", "swift-nio"), service("NIOPosix", "swift-nio"),
                service("NIOHTTPTypes", "swift-nio-extras"), service("NIOSSL", "swift-nio-ssl"),
                service("HTTPTypes", "swift-http-types"),
                service("ServiceLifecycle", "swift-service-lifecycle"),
                service("UnixSignals", "swift-service-lifecycle"),
            ],
            resources: consolePage.map { .embedInCode("Console/Page/" + $0) },
            swiftSettings: strict),
        // Records at a service. Without the trait `Remote`, this target has no sockets.
        .target(
            name: "BullaRecordsRemote",
            dependencies: [
                "BullaRecordsWeb", "BullaRecords", "BullaText", "Bulla", "BullaMemory",
                "BullaCipher", remote("AsyncHTTPClient", "async-http-client"),
                remote("NIOCore", "swift-nio"), remote("NIOPosix", "swift-nio"),
                remote("NIOHTTP1", "swift-nio"),
                remote("NIOSSL", "swift-nio-ssl"),
            ],
            swiftSettings: strict),
        // Formats of text: of records, of numbers, of pages.
        .target(name: "BullaText", dependencies: ["Bulla"], swiftSettings: library),
        // Where commands read keys from.
        .target(
            name: "BullaKeyPlaces", dependencies: ["Bulla", logging], swiftSettings: strict),
        // What people run.
        .executableTarget(
            name: "BullaRecordsCommand",
            dependencies: [
                "BullaRecordsServer", "BullaRecordsWeb", "BullaRecordsPostgreSQL", "BullaRecords",
                "BullaKeyPlaces", "BullaText", "Bulla", arguments, logging,
            ],
            swiftSettings: strict),
        .executableTarget(
            name: "BullaCommand",
            dependencies: [
                "Bulla", "BullaObjects", "BullaText", "BullaKeyPlaces", arguments, logging,
            ],
            exclude: ["Manual"], swiftSettings: strict),
        .target(
            name: "BullaBenchKit",
            dependencies: [
                "BullaRecords", "Bulla", "BullaText", "BullaMemory", "BullaCipher",
                "CBullaTopology",
                .product(name: "Histogram", package: "hdrhistogram-swift"),
            ],
            path: "Benchmarks/BullaBenchKit",
            resources: [
                .embedInCode("HTMLReport/Stylesheet.css"),
                .embedInCode("HTMLReport/ReadingGuide.html"),
            ], swiftSettings: library),
        .target(
            name: "BullaPeerCheck", dependencies: ["BullaBenchKit", "BullaText"],
            path: "Benchmarks/Peers/Check", swiftSettings: strict),
        // The benchmark of objects: what programs of all libraries share, then Bulla's own code.
        .target(
            name: "BullaObjectPeer", path: "Benchmarks/Peers/ObjectPeer", swiftSettings: strict),
        .target(
            name: "BullaObjectRun",
            dependencies: [
                "BullaObjectPeer", "BullaBenchKit", "BullaPeerCheck", "BullaObjects", "Bulla",
            ],
            path: "Benchmarks/Peers/ObjectRun", swiftSettings: strict),
        .executableTarget(
            name: "BullaBench",
            dependencies: [
                "BullaBenchKit", "BullaPeerCheck", "BullaObjectRun", "BullaText", "BullaRecords",
                "BullaRecordsPostgreSQL", arguments,
            ],
            path: "Benchmarks/BullaBench", swiftSettings: strict),
        // The tests, and the targets that they need.
        .testTarget(
            name: "BullaMemoryTests", dependencies: ["BullaMemory"], swiftSettings: strict),
        .testTarget(
            name: "BullaCipherTests", dependencies: ["BullaCipher", "BullaMemory", "CBullaCipher"],
            resources: [.copy("Vectors")], swiftSettings: strict),
        .target(
            name: "BullaTestSupport", dependencies: ["Bulla", "BullaMemory", "BullaCipher"],
            path: "Tests/BullaTestSupport",
            swiftSettings: library),
        .target(
            name: "BullaProcessSupport", dependencies: ["BullaTestSupport"],
            path: "Tests/BullaProcessSupport", swiftSettings: strict),
        .executableTarget(
            name: "BullaWorker", dependencies: ["Bulla", "BullaMemory", "BullaTestSupport"],
            path: "Tests/BullaWorker", swiftSettings: strict),
        .testTarget(
            name: "BullaTests",
            dependencies: [
                "Bulla", "BullaMemory", "BullaCipher", "BullaTestSupport", logging,
            ],
            exclude: ["Golden"],
            swiftSettings: strict),
        .target(
            name: "BullaSimulation",
            dependencies: ["Bulla", "BullaMemory", "BullaCipher", "BullaTestSupport"],
            path: "Tests/BullaSimulation", swiftSettings: library),
        .testTarget(
            name: "BullaSimulationTests",
            dependencies: [
                "Bulla", "BullaMemory", "BullaCipher", "BullaSimulation", "BullaTestSupport",
            ],
            swiftSettings: library),
        // A search through everything that can happen in a model, and a model of a place on a disk.
        .target(
            name: "BullaExploration", path: "Tests/BullaExploration", swiftSettings: library),
        .testTarget(
            name: "BullaProtocolTests", dependencies: ["BullaExploration", "BullaTestSupport"],
            swiftSettings: library),
        .testTarget(
            name: "BullaLogProtocolTests", dependencies: ["BullaExploration", "BullaTestSupport"],
            swiftSettings: library),
        .target(name: "CBullaCount", path: "CSources/CBullaCount"),
        // No test depends on this target. If one did, the allocator would count calls in all tests.
        .executableTarget(
            name: "BullaCounts", dependencies: ["Bulla", "CBullaCount"],
            path: "Tests/BullaCounts", swiftSettings: strict),
        .testTarget(
            name: "BullaProcessTests",
            dependencies: [
                "Bulla", "BullaMemory", "BullaCipher", "CBullaCipher", "BullaTestSupport",
                "BullaProcessSupport", "BullaWorker",
            ],
            swiftSettings: strict),
        .testTarget(
            name: "BullaObjectsTests",
            dependencies: ["BullaObjects", "Bulla", "BullaMemory", "BullaTestSupport"],
            swiftSettings: strict),
        .executableTarget(
            name: "BullaObjectsWorker",
            dependencies: ["BullaObjects", "Bulla", "BullaTestSupport"],
            path: "Tests/BullaObjectsWorker", swiftSettings: strict),
        .testTarget(
            name: "BullaObjectsProcessTests",
            dependencies: [
                "BullaObjects", "Bulla", "BullaTestSupport", "BullaProcessSupport",
                "BullaObjectsWorker",
            ],
            swiftSettings: strict),
        // Checks that every backend of records must pass. The tests of each backend run them.
        .target(
            name: "BullaRecordsSupport",
            dependencies: ["BullaRecords", "BullaMemory", "BullaTestSupport"],
            path: "Tests/BullaRecordsSupport", swiftSettings: strict),
        .testTarget(
            name: "BullaRecordsTests",
            dependencies: [
                "BullaRecords", "Bulla", "BullaMemory", "BullaCipher", "BullaTestSupport",
                "BullaRecordsSupport",
            ],
            swiftSettings: strict),
        .testTarget(
            name: "BullaRecordsPostgreSQLTests",
            dependencies: [
                "BullaRecordsPostgreSQL", "BullaRecordsServer", "BullaRecordsWorker",
                "BullaRecords", "BullaRecordsSupport", "BullaProcessSupport", "BullaTestSupport",
            ],
            swiftSettings: strict),
        // Samples as Apple prints them, compiled in Swift 5 because Swift 5 programs use them too.
        .target(
            name: "BullaPrintedSamples", dependencies: ["BullaRecords"],
            path: "Tests/BullaPrintedSamples", swiftSettings: [.swiftLanguageMode(.v5)]),
        .executableTarget(
            name: "BullaRecordsWorker",
            dependencies: [
                "BullaRecordsPostgreSQL", "BullaRecords", "BullaRecordsSupport", "Bulla",
                "BullaTestSupport", logging,
            ],
            path: "Tests/BullaRecordsWorker", swiftSettings: strict),
        .testTarget(
            name: "BullaRecordsProcessTests",
            dependencies: [
                "BullaRecords", "Bulla", "BullaMemory", "BullaCipher", "BullaTestSupport",
                "BullaProcessSupport", "BullaRecordsWorker",
            ],
            swiftSettings: strict),
        .testTarget(
            name: "BullaRecordsWebTests",
            dependencies: [
                "BullaRecordsWeb", "BullaRecords", "BullaText", "Bulla", "BullaMemory",
                "BullaCipher", "BullaTestSupport",
            ],
            swiftSettings: strict),
        .testTarget(
            name: "BullaRecordsServerTests",
            dependencies: [
                "BullaRecordsServer", "BullaRecordsWeb", "BullaRecords", "Bulla",
                "BullaTestSupport", "BullaRecordsSupport",
            ],
            swiftSettings: strict),
        .executableTarget(
            name: "BullaRemoteWorker",
            dependencies: [
                "BullaRecordsRemote", "BullaRecordsWeb", "BullaRecords", "BullaRecordsSupport",
                "Bulla", "BullaTestSupport",
            ],
            path: "Tests/BullaRemoteWorker", swiftSettings: strict),
        .testTarget(
            name: "BullaRecordsRemoteTests",
            dependencies: [
                "BullaRecordsRemote", "BullaRecordsServer", "BullaRecordsWeb", "BullaRecords",
                "Bulla", "BullaRecordsSupport", "BullaProcessSupport", "BullaTestSupport",
                "BullaRemoteWorker", "BullaRecordsCommand",
            ],
            swiftSettings: strict),
        .testTarget(name: "BullaTextTests", dependencies: ["BullaText"], swiftSettings: strict),
        .testTarget(
            name: "BullaCommandTests", dependencies: ["Bulla", "BullaObjects", "BullaCommand"],
            swiftSettings: strict),
        .testTarget(
            name: "BullaBenchTests",
            dependencies: [
                "BullaBenchKit", "BullaObjectRun", "BullaRecords", "BullaTestSupport", "BullaText",
                "Bulla",
            ],
            resources: [.copy("Results")], swiftSettings: strict),
    ],
    cLanguageStandard: .c17
)

// With `BULLA_TESTS=engine`, only the engine and its tests are left.
if Context.environment["BULLA_TESTS"] == "engine" {
    let others = /Object|Record|Remote|Sample|Bench|Peer|Command|Text|KeyPlaces|PostgreSQL|bulla/
    package.targets.removeAll { $0.name.contains(others) }
    package.products.removeAll { $0.name.contains(others) }
}

// The fuzzers need a sanitizer's own entry point, so they are there only for `scripts/fuzz`.
if Context.environment["BULLA_FUZZ"] == "1" {
    package.targets.append(
        .executableTarget(
            name: "BullaFuzz",
            dependencies: [
                "BullaRecordsWeb", "BullaRecords", "BullaObjects", "Bulla", "BullaText",
                "BullaMemory", "BullaCipher", "BullaTestSupport",
                arguments, logging,
            ],
            path: "Tests/BullaFuzz",
            exclude: [
                "Command/BullaTool.swift", "Command/Commands", "Command/Objects", "Command/Options",
                "Command/Shell", "Command/Manual", "Command/Ending/CommandEnding.swift",
                "Command/Output/MessageLog.swift",
            ],
            swiftSettings: strict))
}
