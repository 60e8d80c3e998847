import BullaMemory
import Testing

@Suite struct `A budget for lent cleartext` {
    @Test func `is two mebibytes unless somebody says otherwise`() {
        #expect(SecretBudget().byteCount == 2 << 20)
    }

    @Test func `is used by what is counted against it, and given back at its end`() throws {
        let budget = SecretBudget(byteCount: 1 << 20)
        do {
            let secret = try SecretBytes(byteCount: 1000, budget: budget)
            #expect(budget.usedByteCount >= 1000 && budget.usedByteCount < 1100)
            _ = consume secret
        }
        #expect(budget.usedByteCount == 0)
    }

    @Test func `refuses what is beyond it, says so, and keeps what there is`() throws {
        let budget = SecretBudget(byteCount: 1 << 20)
        let first = try SecretBytes(byteCount: (512 << 10) - 8, budget: budget)
        let error = #expect(throws: MemoryError.self) {
            _ = try SecretBytes(byteCount: 600 << 10, budget: budget)
        }
        #expect(error?.reason == .budget(limit: 1 << 20, used: 512 << 10))
        #expect(error?.description == "secret memory: 1 MiB budget, 512 KiB in use")
        #expect(error?.isShortage == false && error?.isOfLocking == false)
        // The budget can be used up to the last byte, but not one more.
        let second = try SecretBytes(byteCount: (512 << 10) - 8, budget: budget)
        #expect(throws: MemoryError.self) { _ = try SecretBytes(byteCount: 1, budget: budget) }
        let areIntact = first.isIntact && second.isIntact
        #expect(areIntact)
        #expect(budget.usedByteCount == 1 << 20)
    }

    @Test func `is no business of keys, or of other budgets`() throws {
        let (spent, other) = (SecretBudget(byteCount: 16), SecretBudget(byteCount: 16))
        let first = try SecretBytes(byteCount: 8, budget: spent)
        #expect(throws: MemoryError.self) { _ = try SecretBytes(byteCount: 8, budget: spent) }
        _ = try SecretBytes(byteCount: 64)
        _ = try SecretBytes(byteCount: 8, budget: other)
        _ = consume first
    }
}
