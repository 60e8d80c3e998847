import BullaRecords
import BullaRecordsWeb
import Testing

@Suite("Errors for a client")
struct ClientErrorTests {
    /// The error that a client receives if the service answers the whole request with `error`.
    private func received(_ error: RecordError) -> RecordError {
        let sent = WebError(error)
        let body = sent.answer(identifier: "4E9A77C1-3E3C-4E32-9E5A-2B5A2C9E86C1")
        return RecordError(WebError(status: sent.status, retryAfter: nil, body))
    }

    @Test("Every error of the record layer arrives as itself, or as what clients are told")
    func codes() {
        let hidden: [RecordError.Code: RecordError.Code] = [
            .assetNotFound: .unknownItem, .unreachable: .unavailable,
            .interrupted: .unavailable,
        ]
        for code in RecordError.Code.allCases {
            let error = received(RecordError(code, "what happened", retryAfter: 2.5))
            #expect(error.code == hidden[code] ?? code, "\(code)")
            #expect(error.reason == "what happened" && error.retryAfter == 3)
        }
    }

    @Test("Codes are the native ones, with the time to wait")
    func native() {
        for (code, native) in [
            (.zoneNotFound, .zoneNotFound), (.recordChanged, .serverRecordChanged),
            (.batchFailed, .batchRequestFailed), (.changeTokenExpired, .changeTokenExpired),
            (.limitExceeded, .limitExceeded), (.notAuthenticated, .notAuthenticated),
            (.authenticationFailed, .notAuthenticated), (.throttled, .requestRateLimited),
            (.unavailable, .serviceUnavailable), (.quotaExceeded, .quotaExceeded),
            (.zoneRolledBack, .serverRejectedRequest),
            (.referenceViolation, .referenceViolation), (.unknownItem, .unknownItem),
        ] as [(RecordError.Code, CKError.Code)] {
            let error = CKError(received(RecordError(code, "", retryAfter: 7)))
            #expect(error.code == native && error.retryAfterSeconds == 7)
        }
        #expect(CKError(received(RecordError(.encryptedDataReset, ""))).userDidResetEncryptedData)
        #expect(CKError(RecordError(.unreachable, "")).code == .networkUnavailable)
        #expect(CKError(RecordError(.interrupted, "")).code == .networkFailure)
    }

    @Test("Where something else answers, the status tells the kind")
    func statuses() {
        for (status, code) in [
            (401, .authenticationFailed), (403, .permissionFailure), (404, .invalidArguments),
            (413, .limitExceeded), (429, .throttled), (500, .internalError), (502, .unavailable),
            (503, .unavailable), (200_000, .internalError), (-1, .internalError),
        ] as [(Int, RecordError.Code)] {
            for body in ["", "<html>", "{}", "{\"serverErrorCode\":1}"] {
                let error = RecordError(
                    WebError(status: status, retryAfter: 4, Array(body.utf8)))
                #expect(error.code == code && error.retryAfter == 4, "\(status)")
            }
        }
    }

    @Test("A code that nobody knows is an error of the service, and no wait is longer than a day")
    func strange() {
        let text = """
            {"serverErrorCode":"NEW","reason":"\(String(repeating: "x", count: 9_999))",
            "retryAfter":9223372036854775807}
            """
        let error = RecordError(WebError(status: 400, retryAfter: nil, Array(text.utf8)))
        #expect(error.code == .internalError && error.retryAfter == 86_400)
        #expect(error.reason.count == 1_000)
    }
}
