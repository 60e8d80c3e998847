internal import BullaRecords
internal import BullaRecordsWeb

/// A request that the console's page sends for a signed-in user.
struct ConsoleCall {
    let place: Place
    let account: AccountIdentifier
    let fields: DeskFields
}

/// What the page asks for.
extension ConsoleDesk {
    func act(_ verb: Verb, _ call: ConsoleCall) throws(WebError) -> [UInt8] {
        switch verb {
        case .pass: try attempt(pass, call)
        case .schema: try attempt(schema, call)
        case .promote: try attempt(promote, call)
        case .resetKeys: try resetKeys(call)
        }
    }

    private func attempt(
        _ body: (ConsoleCall) throws(RecordError) -> [UInt8], _ call: ConsoleCall
    ) throws(WebError) -> [UInt8] {
        do throws(RecordError) { return try body(call) } catch { throw WebError(error) }
    }

    private func pass(_ call: ConsoleCall) throws(RecordError) -> [UInt8] {
        guard let core = try stores.core(of: call.place) else {
            throw RecordError(.unknownItem, "there is no such container")
        }
        let pass = try WebTickets(core, clock).text(.console, [], lifetime: Self.passLifetime)
        let isDeveloper = try isDeveloper(call)
        return BullaRecordsWeb.answer { writer in
            writer.member("ckAPIToken", pass)
            writer.member("userRecordName", call.account.userRecordName)
            writer.member("isDeveloper", isDeveloper)
        }
    }

    private func isDeveloper(_ call: ConsoleCall) throws(RecordError) -> Bool {
        try stores.keyring.developers.contains(call.account, in: call.place)
    }

    /// The cores of the container; throws unless the user is a developer.
    private func cores(
        _ call: ConsoleCall
    ) throws(RecordError) -> (development: RecordCore, production: RecordCore) {
        guard try isDeveloper(call) else {
            throw RecordError(
                .permissionFailure, "use the schema: the account is no developer's")
        }
        guard let cores = try stores.cores(of: call.place.container) else {
            throw RecordError(.unknownItem, "there is no such container")
        }
        return cores
    }

    private func schema(_ call: ConsoleCall) throws(RecordError) -> [UInt8] {
        let (development, production) = try cores(call)
        let (next, former) = (try development.schema(), try production.schema())
        let (added, refusal): ([SchemaPart], String?)
        do throws(RecordError) {
            added = try SchemaRules.promotion(from: next, to: former)?.added ?? []
            refusal = nil
        } catch { (added, refusal) = ([], error.reason) }
        return BullaRecordsWeb.answer { writer in
            writer.member("version", String(next.version))
            for (name, schema) in [("development", next), ("production", former)] {
                writer.member(name, String(decoding: SchemaText.bytes(schema), as: UTF8.self))
            }
            Self.append(added, to: &writer)
            if let refusal { writer.member("refusal", refusal) }
        }
    }

    private func promote(_ call: ConsoleCall) throws(RecordError) -> [UInt8] {
        _ = try cores(call)
        let seen: UInt64?
        do throws(WebError) { seen = UInt64(try call.fields.required("version")) } catch {
            throw RecordError(.invalidArguments, error.reason)
        }
        guard let seen else {
            throw RecordError(.invalidArguments, "promote the schema: expected its version")
        }
        let added = try stores.promoteSchema(of: call.place.container, seen: seen)
        note("the schema was promoted", call, ["additions": "\(added.count)"])
        return BullaRecordsWeb.answer { writer in Self.append(added, to: &writer) }
    }

    private static func append(_ added: [SchemaPart], to writer: inout JSONWriter) {
        writer.list("added", added) { part, writer in writer.string(part.description) }
    }

    /// Resets the user's keys, but not the password, and ends all of the user's sessions.
    private func resetKeys(_ call: ConsoleCall) throws(WebError) -> [UInt8] {
        let (place, account) = (call.place, call.account)
        let body = try desk.withPassword(call.fields, in: place) {
            name, key throws(WebError) -> [UInt8]? in
            do throws(RecordError) {
                guard try stores.keyring.names.account(named: name, in: place) == account else {
                    throw RecordError(
                        .permissionFailure, "reset the keys: another account has signed in")
                }
                do throws(RecordError) {
                    try stores.keyring.unlock(account, in: place, with: key).end()
                } catch {
                    guard error.code == .authenticationFailed else { throw error }
                    return nil
                }
                try stores.resetKeys(of: account, in: place, to: key)
                return BullaRecordsWeb.answer { _ in }
            } catch { throw WebError(error) }
        }
        note("the keys of an account were reset", call)
        return body
    }

    private func note(_ event: String, _ call: ConsoleCall, _ facts: [String: String] = [:]) {
        let place = [
            "container": call.place.container, "environment": call.place.environment.name,
            "account": call.account.userRecordName,
        ]
        audit(event, place.merging(facts) { known, _ in known })
    }
}
