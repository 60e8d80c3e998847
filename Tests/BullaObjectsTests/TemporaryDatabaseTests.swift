import Bulla
import BullaObjects
import Foundation
import Testing

@Suite struct `A temporary database` {
    @Test func `is empty, keeps objects, and leaves nothing behind`() throws {
        var folder = ""
        do {
            let database = try ObjectDatabase.temporary(models: Company.self, Employee.self)
            let other = try ObjectDatabase.temporary(models: Company.self, Employee.self)
            #expect(try database.read { try $0.count(of: Company.all) } == 0)
            try database.write { try $0.insert(Company(name: "Ur")) }
            #expect(try database.read { try $0.count(of: Company.all) } == 1)
            #expect(try other.read { try $0.count(of: Company.all) } == 0)
            #expect(try database.store.info.suite != nil)
            folder = (database.store.path as NSString).deletingLastPathComponent
            #expect(FileManager.default.fileExists(atPath: folder))
        }
        #expect(!FileManager.default.fileExists(atPath: folder))
    }
}
