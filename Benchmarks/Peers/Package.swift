// swift-tools-version: 6.2
import PackageDescription

// A package of its own, so that nobody needs the peers to build Bulla.

let strict: [SwiftSetting] = [
    .swiftLanguageMode(.v6),
    .strictMemorySafety(),
    .treatAllWarnings(as: .error),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
]

let package = Package(
    name: "bulla-peers",
    products: [.executable(name: "bulla-peers", targets: ["BullaPeers"])],
    dependencies: [
        .package(name: "bulla", path: "../.."),
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.5.0"),
    ],
    targets: [
        .systemLibrary(
            name: "CLMDB", path: "CLMDB", pkgConfig: "lmdb", providers: [.apt(["liblmdb-dev"])]),
        .executableTarget(
            name: "BullaPeers",
            dependencies: [
                "CLMDB", .product(name: "Bulla", package: "bulla"),
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ],
            path: "BullaPeers", swiftSettings: strict),
    ]
)
