import BullaRecords

extension WebCall {
    /// A token for a client, and the address at which the client can wait for changes in the user's
    /// databases.
    ///
    /// There is no push service: the token only identifies the waiting client, and gives no access
    /// to anything.
    func createToken(_ value: JSONValue) throws(RecordError) -> [UInt8] {
        let request = try TokenRequest(value)
        guard let account = caller.session.account else {
            throw RecordError(
                .permissionFailure, "wait for changes: a server's key has no databases of its own")
        }
        let token = try RandomIdentifier.new()
        let grant = CourierGrant(token, account, mark: try view.core.changeMark(of: account))
        let ticket = try tickets.text(.courier, grant.bytes, lifetime: limits.courierLifetime)
        return TokenAnswer(
            request.environment, token: token.text,
            pollURL: address.address(of: .courier, in: target.place, ticket: ticket)
        ).bytes()
    }
}
