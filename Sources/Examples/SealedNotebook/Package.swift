// swift-tools-version: 6.2
import PackageDescription

let strict: [SwiftSetting] = [
    .swiftLanguageMode(.v6),
    .strictMemorySafety(),
    .treatAllWarnings(as: .error),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
]

let objects: [Target.Dependency] = [
    .product(name: "Bulla", package: "bulla"), .product(name: "BullaObjects", package: "bulla"),
]

let package = Package(
    name: "sealed-notebook",
    products: [
        .library(name: "SealedNotebook", targets: ["SealedNotebook"]),
        .executable(name: "logins", targets: ["logins"]),
    ],
    dependencies: [
        .package(name: "bulla", path: "../../..", traits: ["Objects"]),
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.5.0"),
    ],
    targets: [
        .target(name: "SealedNotebook", dependencies: objects, swiftSettings: strict),
        .executableTarget(
            name: "logins",
            dependencies: objects + [
                "SealedNotebook",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ],
            swiftSettings: strict),
        .testTarget(
            name: "SealedNotebookTests", dependencies: objects + ["SealedNotebook"],
            swiftSettings: strict),
    ]
)
