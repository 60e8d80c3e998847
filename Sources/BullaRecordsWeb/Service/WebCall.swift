import BullaRecords

/// One request of an authenticated caller, for the core of one container.
struct WebCall {
    let target: RequestTarget
    let limits: WebLimits
    let view: DatabaseView
    let context: WireContext
    let caller: WebCaller
    let tickets: WebTickets
    let address: ServiceAddress

    init(
        _ service: WebService, _ core: RecordCore, _ target: RequestTarget, _ caller: WebCaller
    ) throws(RecordError) {
        (self.target, self.caller, limits) = (target, caller, service.limits)
        (tickets, address) = (WebTickets(core, service.clock), service.address)
        // A user's name is the same in all databases, so the path may name any database.
        let isOfUser = [.currentUser, .caller, .discoverUsers].contains(target.operation)
        view = try core.database(isOfUser ? .public : target.scope, caller.session)
        let hints = SchemaHints(core)
        let record: RequestAssets.RecordFinder = { [view] record in
            let zones = try? view.zones(of: record.zone.owner)
            return try? zones?.records([record.name], in: record.zone.name)[0].get()
        }
        let assets = RequestAssets(caller.account, tickets, record: record)
        var context = WireContext(
            scope: target.scope, account: caller.session.account, limits: service.limits.wire,
            definition: { type, field in hints.shape(type, field) },
            recordType: { record($0)?.type },
            asset: { wire, place throws(RecordError) in try assets.asset(wire, place) })
        context.now = service.clock()
        self.context = context
    }

    /// Performs the operation, and returns its answer.
    func answer(_ body: [UInt8]) throws(RecordError) -> [UInt8] {
        switch target.operation {
        case .queryRecords: try queryRecords(read(body))
        case .modifyRecords: try modifyRecords(read(body))
        case .lookUpRecords: try lookUpRecords(read(body))
        case .recordChanges: try recordChanges(read(body))
        case .resolveShares: try resolveShares(read(body))
        case .acceptShares: try acceptShares(read(body))
        case .zoneChanges: try zoneChanges(read(body))
        case .listZones: try listZones()
        case .lookUpZones: try lookUpZones(read(body))
        case .modifyZones: try modifyZones(read(body))
        case .currentUser, .caller: try currentUser()
        case .discoverUsers: try discoverUsers(read(body))
        case .databaseChanges: try databaseChanges(read(body))
        case .uploadAssets: try uploadAssets(read(body))
        case .rereferenceAssets: try rereferenceAssets(read(body))
        case .createToken: try createToken(read(body))
        }
    }

    private func read(_ body: [UInt8]) throws(RecordError) -> JSONValue {
        try JSONValue.request(body, limits: JSONLimits(byteLimit: limits.requestByteCount))
    }

    private func currentUser() throws(RecordError) -> [UInt8] {
        guard let account = caller.account else {
            throw RecordError(.permissionFailure, "name the user: the server's key has no owner")
        }
        return UserAnswer(account).bytes()
    }

    /// Tells which of the named users have an account here, and can therefore be participants.
    ///
    /// A user's name stands for 16 random bytes, which nobody can guess. So a caller can find the
    /// users whose names it was told, but cannot list all users.
    private func discoverUsers(_ value: JSONValue) throws(RecordError) -> [UInt8] {
        let request = try DiscoverRequest(value, context)
        var users: [AccountIdentifier] = []
        for account in request.accounts {
            do throws(RecordError) {
                _ = try view.core.directory.keys(of: account)
                users.append(account)
            } catch { guard error.code == .participantUnknown else { throw error } }
        }
        return DiscoverAnswer(users).bytes()
    }

    /// A view of all zones in the request's database that belong to the owner of `zone`, who may be
    /// a user other than the caller.
    ///
    /// - Throws: `zoneNotFound` if the owner's zones are in another database.
    func zones(like zone: ZoneIdentifier) throws(RecordError) -> DatabaseView {
        do throws(RecordError) { return try view.zones(of: zone.owner) } catch {
            throw RecordError(
                error.code,
                "use zone \(zone.name.told): this database has no zone of that name and owner")
        }
    }

    /// The form in which the answer gives records.
    ///
    /// - Parameter hasInvitations: whether shares come with their invitations.
    func form(numbersAsStrings: Bool = false, hasInvitations: Bool) -> AnswerForm {
        AnswerForm(
            numbersAsStrings: numbersAsStrings, viewer: caller.session.account,
            hasInvitations: hasInvitations,
            shareToken: { [view] sharing in try? view.core.shares.token(of: sharing) },
            asset: { asset, record in wireAsset(asset, of: record) })
    }
}
