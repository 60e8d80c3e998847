import BullaRecords

/// Helpers for tests of shares, in which numbers stand for accounts.
extension CoreFixture {
    /// The given permissions of participants, with each account's number replaced by its
    /// identifier.
    static func wanted(
        _ participants: [UInt8: SharePermission]
    ) throws -> [AccountIdentifier: SharePermission] {
        var wanted: [AccountIdentifier: SharePermission] = [:]
        for (number, permission) in participants {
            wanted[try identifier(number)] = permission
        }
        return wanted
    }

    static func identifier(_ number: UInt8) throws -> AccountIdentifier {
        let bytes = [UInt8](repeating: number, count: 16)
        guard let identifier = RandomIdentifier(bytes: bytes) else {
            preconditionFailure("there are 16 bytes")
        }
        return AccountIdentifier(identifier)
    }

    /// Publishes accounts' keys, so that others can share with them.
    func publish(_ numbers: UInt8..., epoch: UInt32 = 1) throws {
        for number in numbers { try core.directory.publish(account(number, epoch: epoch)) }
    }

    /// Makes the first account's zone, and shares it with others.
    func shared(
        with participants: [UInt8: SharePermission], title: String = "shared"
    ) throws -> (owner: DatabaseView, token: String) {
        let owner = try database(1)
        for number in participants.keys { try publish(number) }
        let share = try owner.share(with: participants, title: title).record
        return (owner, try token(of: share))
    }

    /// Makes a tree of records in the first account's zone, and shares one branch of it.
    ///
    ///     top
    ///       root        shared, by the record "share"
    ///         a
    ///           b
    ///     other
    ///       c
    func sharedBranch(
        with participants: [UInt8: SharePermission]
    ) throws -> (owner: DatabaseView, token: String) {
        let owner = try database(1)
        for number in participants.keys { try publish(number) }
        let parents = ["root": "top", "a": "root", "b": "a", "c": "other"]
        for name in ["top", "root", "a", "b", "other", "c"] {
            _ = try owner.put(name, "v-\(name)", below: parents[name]).record
        }
        let share = try owner.share("share", of: "root", with: participants).record
        return (owner, try token(of: share))
    }

    func token(of share: Record) throws -> String {
        guard let sharing = share.sharing else {
            throw RecordError(.internalError, "it is shared with nobody")
        }
        return try core.shares.token(of: sharing)
    }

    /// Another account's view of what the first one shares.
    func view(_ number: UInt8, epoch: UInt32 = 1) throws -> DatabaseView {
        try core.database(.shared, .account(account(number, epoch: epoch)))
            .zones(of: Self.identifier(1))
    }

    /// Accepts a share for an account.
    @discardableResult
    func accept(_ token: String, _ number: UInt8, epoch: UInt32 = 1) throws -> DatabaseView {
        _ = try core.shares.accept(token, .account(account(number, epoch: epoch)))
        return try view(number, epoch: epoch)
    }

    /// The head of the first account's zone, and its keys.
    func head(_ name: String = zone) throws -> (StoredZone, ZoneKeyring) {
        let database = Database(place, owner: try Self.identifier(1))
        guard let head = try backend.zone(named: name, in: database) else {
            throw RecordError(.zoneNotFound, "there is no head")
        }
        return (head, try ZoneKeyring(head.keys, head.identifier, head.incarnation, container))
    }

    /// Puts other keys into the head of the first account's zone, as a backend with the container's
    /// key for heads could.
    func forge(_ name: String = zone, _ body: (inout ZoneKeyring) throws -> Void) throws {
        var (head, keyring) = try head(name)
        let former = head
        try body(&keyring)
        head.keys = try keyring.bytes(head.identifier, head.incarnation, container)
        let isDone = try backend.rekey(
            head, from: former.keys, formerEpoch: head.epoch,
            sealing: HeadSeal.sealing(head, insteadOf: former, by: container))
        guard isDone else {
            throw RecordError(.internalError, "somebody else changes the head")
        }
    }
}

extension DatabaseView {
    /// Saves a record with one sealed field, "s".
    func put(
        _ name: String, _ value: String, below parent: String? = nil,
        _ condition: RecordChange.Condition = .none
    ) throws -> ChangeResult {
        try save(
            name, ["s": .sealed(.string(value)), "n": .plain(.int64(1))], condition,
            parent: parent.map { .record(identifier($0)) })
    }

    /// Gives a record another parent, or none.
    func move(_ name: String, below parent: String?) throws -> ChangeResult {
        let change: RecordChange.ParentChange = parent.map { .record(identifier($0)) } ?? .none
        return try save(name, parent: change)
    }

    func identifier(_ name: String) -> RecordIdentifier {
        RecordIdentifier(
            name, in: ZoneIdentifier(CoreFixture.zone, owner: database.owner))
    }

    /// Saves a share of one record.
    func share(
        _ name: String, of root: String?, with participants: [UInt8: SharePermission]?,
        _ condition: RecordChange.Condition = .none
    ) throws -> ChangeResult {
        let wanted = try participants.map { try CoreFixture.wanted($0) }
        let save = RecordChange.Save(
            SystemType.share, condition, fields: ["cloudkit.title": .plain(.string("title"))],
            participants: wanted, root: root)
        return try modify([RecordChange(name, .save(save))], in: CoreFixture.zone)[0]
    }

    /// Those of the given names whose records the caller can read one by one.
    func readable(_ names: [String]) throws -> Set<String> {
        let results = try records(names, in: CoreFixture.zone)
        return Set(
            zip(names, results).compactMap { name, result in
                if case .success = result { name } else { nil }
            })
    }

    /// Saves the share of the fixture's zone.
    func share(
        with participants: [UInt8: SharePermission]?, title: String? = nil,
        _ condition: RecordChange.Condition = .none, in zone: String = CoreFixture.zone
    ) throws -> ChangeResult {
        let wanted = try participants.map { try CoreFixture.wanted($0) }
        var fields: [String: RecordChange.FieldChange?] = [:]
        if let title { fields["cloudkit.title"] = .plain(.string(title)) }
        let save = RecordChange.Save(
            SystemType.share, condition, fields: fields, participants: wanted)
        return try modify([RecordChange(ZoneSharing.recordName, .save(save))], in: zone)[0]
    }
}
