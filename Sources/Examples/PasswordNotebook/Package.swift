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

let package = Package(
    name: "password-notebook",
    products: [
        .library(name: "PasswordNotebook", targets: ["PasswordNotebook"]),
        .executable(name: "notebook", targets: ["notebook"]),
    ],
    dependencies: [
        .package(name: "bulla", path: "../../.."),
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.5.0"),
    ],
    targets: [
        .target(
            name: "PasswordNotebook", dependencies: [.product(name: "Bulla", package: "bulla")],
            swiftSettings: strict),
        .executableTarget(
            name: "notebook",
            dependencies: [
                "PasswordNotebook", .product(name: "Bulla", package: "bulla"),
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ],
            swiftSettings: strict),
        .testTarget(
            name: "PasswordNotebookTests",
            dependencies: ["PasswordNotebook", .product(name: "Bulla", package: "bulla")],
            swiftSettings: strict),
    ]
)
