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
    name: "accounts",
    products: [.library(name: "Accounts", targets: ["Accounts"])],
    dependencies: [.package(name: "bulla", path: "../../..", traits: ["Objects"])],
    targets: [
        .target(name: "Accounts", dependencies: objects, swiftSettings: strict),
        // The models of the two earlier versions of the program.
        .target(name: "FormerAccounts", dependencies: objects, swiftSettings: strict),
        .testTarget(
            name: "AccountsTests", dependencies: objects + ["Accounts", "FormerAccounts"],
            swiftSettings: strict),
    ]
)
