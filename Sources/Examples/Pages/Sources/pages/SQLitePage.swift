import Bulla
import Foundation

/// The samples of `ComingFromSQLite.md`, in its order.
struct SQLitePage {
    static let source = #filePath

    func run() async throws {
        try await inFolder("A worked example") { try example() }
    }

    private func example() throws {
        let store = try Store.open(at: "shop.bulla", key: .random())
        let id = try store.write { change in
            try place(Order(customer: "ada", note: "12 clay tablets"), in: &change)
        }
        let notes = try store.read { snapshot in
            try orders(of: "ada", in: snapshot).map(\.note)
        }
        print(id, notes)
        try store.close()
    }
}

struct Order: Codable { var customer: String; var note: String }

/// An integer as bytes that sort as the numbers do.
func sortable(_ number: Int64) -> [UInt8] {
    let bits = UInt64(bitPattern: number) ^ (1 << 63)
    return (0..<8).map { UInt8(truncatingIfNeeded: bits >> (56 - 8 * $0)) }
}

func number(_ key: [UInt8]) -> Int64 {
    Int64(bitPattern: key.reduce(0) { $0 << 8 | UInt64($1) } ^ (1 << 63))
}

/// The part of a key in the index that all orders of a customer share.
func prefix(_ customer: String) -> [UInt8] { Array(customer.utf8) + [0] }

func place(_ order: Order, in change: inout WriteTransaction) throws -> Int64 {
    let orders = try change.openOrCreateTree(named: "orders")
    let index = try change.openOrCreateTree(named: "orders by customer")
    let id = try change.last(in: orders).map { number($0.key) + 1 } ?? 1
    try change.put([UInt8](JSONEncoder().encode(order)), forKey: sortable(id), in: orders)
    try change.put("", forKey: prefix(order.customer) + sortable(id), in: index)
    return id
}

func orders(of customer: String, in snapshot: borrowing Snapshot) throws -> [Order] {
    let orders = try snapshot.tree(named: "orders")
    let index = try snapshot.tree(named: "orders by customer")
    var keys: [[UInt8]] = []
    try snapshot.scan(index, .prefix(prefix(customer))) { key, _ in
        keys.append(Array([UInt8](copying: key).suffix(8)))
        return .next
    }
    let found = try snapshot.values(forKeys: keys, in: orders)
    return try found.compactMap { $0 }.map { try JSONDecoder().decode(Order.self, from: Data($0)) }
}
