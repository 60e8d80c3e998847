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
    name: "job-queue",
    products: [
        .library(name: "JobQueue", targets: ["JobQueue"]),
        .executable(name: "queue", targets: ["queue"]),
    ],
    dependencies: [
        .package(name: "bulla", path: "../../..", traits: ["Objects"]),
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.5.0"),
    ],
    targets: [
        .target(name: "JobQueue", dependencies: objects, swiftSettings: strict),
        .executableTarget(
            name: "queue",
            dependencies: objects + [
                "JobQueue", .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ],
            swiftSettings: strict),
        .testTarget(
            name: "JobQueueTests", dependencies: objects + ["JobQueue", "queue"],
            swiftSettings: strict),
    ]
)
