// Runs the samples of the documents, and fails if a document has a sample that this program lacks.
//
//     pages FOLDER-OF-THE-DOCUMENTS
import Foundation

let folder = CommandLine.arguments[1]
var strangers: [String] = []
let pages = [
    ("Keys", KeysPage.source), ("Vaults", VaultsPage.source), ("ComingFromLMDB", LMDBPage.source),
    ("ComingFromSQLite", SQLitePage.source), ("ComingFromCloudKit", CloudKitPage.source),
    ("Objects", ObjectsPage.source),
    ("ComingFromRealm", RealmPage.source), ("ComingFromSwiftData", SwiftDataPage.source),
    ("ComingFromGRDB", GRDBPage.source),
]
for (name, source) in pages {
    let page = Page(document: "\(folder)/\(name).md", source: source)
    strangers += try page.strangers().map { "\(name).md: no test has this sample:\n\($0)\n" }
}
for stranger in strangers { print(stranger) }
try await KeysPage().run()
try await VaultsPage().run()
try await LMDBPage().run()
try await SQLitePage().run()
try await CloudKitPage().run()
try await ObjectsPage().run()
try await RealmPage().run()
try await SwiftDataPage().run()
try await GRDBPage().run()
exit(strangers.isEmpty ? 0 : 1)
