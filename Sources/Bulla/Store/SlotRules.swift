internal import BullaCipher

/// The rules for the slots of a store.
struct SlotRules {
    let path: String
    let table: KeyringTable

    init(_ path: String, _ table: KeyringTable) { (self.path, self.table) = (path, table) }

    func slot(_ number: Int) throws(BullaError) -> KeyringSlot {
        guard let slot = table.slots.first(where: { Int($0.number) == number }) else {
            throw BullaError(.keySlotNotFound, "find key slot \(number) of \(path): there is none")
        }
        return slot
    }

    /// Throws if a new slot conflicts with the other slots.
    func check(
        _ form: KeyringSlot.Form, replacing number: UInt32? = nil
    ) throws(BullaError) {
        let others = table.slots.filter { $0.number != number }
        guard form.label.isEmpty || !others.contains(where: { $0.label == form.label }) else {
            throw BullaError(
                .invalidArgument, "label a key slot of \(path): another slot has that label")
        }
        guard others.count < KeyringTable.slotLimit else {
            throw BullaError(
                .keySlotsFull,
                "add a key slot to \(path): it has \(KeyringTable.slotLimit), and can have no more")
        }
        let unlabelled = others.count { $0.kind == .password && $0.label.isEmpty }
        let isUnlabelled = form.kind == .password && form.label.isEmpty
        guard !isUnlabelled || unlabelled < StoreKey.passwordSlotLimit else {
            throw BullaError(
                .keySlotsFull,
                "add a key slot to \(path): there are \(unlabelled) passwords without a label, and "
                    + "a password is tried on no more slots than that; give the new one a label")
        }
    }

    /// The slot that takes the place of another one.
    ///
    /// - Parameters:
    ///   - form: the new slot.
    ///   - number: the number of the slot to replace.
    ///   - keepsLabel: whether a new slot without a label takes over the former slot's label.
    func form(
        _ form: KeyringSlot.Form, inPlaceOf number: Int, keepsLabel: Bool
    ) throws(BullaError) -> KeyringSlot.Form {
        let former = try slot(number)
        var form = form
        if keepsLabel, form.label.isEmpty, !former.label.isEmpty {
            do throws(CipherError) { form = try form.labelled(former.label) } catch {
                throw Self.noRoom(path, error)
            }
        }
        try check(form, replacing: former.number)
        return form
    }

    static func noRoom(_ path: String, _ error: CipherError) -> BullaError {
        guard error.code == .badArgument else {
            return .cipher("seal a key slot of \(path)", error)
        }
        return BullaError(
            .keySlotsFull, "add a key slot to \(path): its keyring has no room for the slot")
    }
}
