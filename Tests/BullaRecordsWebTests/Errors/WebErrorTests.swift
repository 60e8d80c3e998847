import BullaRecords
import BullaRecordsWeb
import Testing

@Suite("Errors of the web service")
struct WebErrorTests {
    @Test(
        "Each error of the record layer has a code and a status",
        arguments: [
            (.unknownItem, .notFound, 404), (.zoneNotFound, .zoneNotFound, 404),
            (.encryptedDataReset, .zoneNotFound, 404), (.recordChanged, .conflict, 409),
            (.batchFailed, .atomicError, 400), (.invalidArguments, .badRequest, 400),
            (.permissionFailure, .accessDenied, 403),
            (.notAuthenticated, .authenticationRequired, 421),
            (.authenticationFailed, .authenticationFailed, 401),
            (.quotaExceeded, .quotaExceeded, 413), (.limitExceeded, .badRequest, 400),
            (.referenceViolation, .validatingReferenceError, 412),
            (.changeTokenExpired, .badRequest, 400), (.zoneRolledBack, .internalError, 500),
            (.damaged, .internalError, 500), (.assetNotFound, .notFound, 404),
            (.unavailable, .tryAgainLater, 503), (.internalError, .internalError, 500),
        ] as [(RecordError.Code, ServerErrorCode, Int)])
    func codes(code: RecordError.Code, web: ServerErrorCode, status: Int) {
        let error = WebError(RecordError(code, "why"))
        #expect(error.code == web && error.code.status == status)
        #expect(error.isAfterReset == (code == .encryptedDataReset))
    }

    @Test("Every code has its name and status")
    func names() {
        let all = ServerErrorCode.allCases.map { "\($0.rawValue) \($0.status)" }
        #expect(
            all == [
                "ACCESS_DENIED 403", "ATOMIC_ERROR 400", "AUTHENTICATION_FAILED 401",
                "AUTHENTICATION_REQUIRED 421", "BAD_REQUEST 400", "CONFLICT 409", "EXISTS 409",
                "INTERNAL_ERROR 500", "NOT_FOUND 404", "QUOTA_EXCEEDED 413", "THROTTLED 429",
                "TRY_AGAIN_LATER 503", "VALIDATING_REFERENCE_ERROR 412", "ZONE_NOT_FOUND 404",
            ])
    }

    @Test("A whole request that fails is answered with an identifier")
    func wholeRequest() {
        #expect(
            WebError(.badRequest, "byte 3").answer(identifier: "u").text
                == "{\"uuid\":\"u\",\"reason\":\"byte 3\",\"serverErrorCode\":\"BAD_REQUEST\"}")
        #expect(
            WebError(.throttled, "slower", retryAfter: 30).answer(identifier: "u").text
                == joined(
                    "{\"uuid\":\"u\",\"reason\":\"slower\",\"serverErrorCode\":\"THROTTLED\",",
                    "\"retryAfter\":30}"))
        var unsigned = WebError(.authenticationRequired, "sign in")
        unsigned.redirectURL = "web:sign-in"
        #expect(
            unsigned.answer(identifier: "u").text
                == joined(
                    "{\"uuid\":\"u\",\"reason\":\"sign in\",",
                    "\"serverErrorCode\":\"AUTHENTICATION_REQUIRED\",",
                    "\"redirectURL\":\"web:sign-in\"}"))
        #expect(
            WebError(RecordError(.encryptedDataReset, "gone")).answer(identifier: "u").text
                == joined(
                    "{\"uuid\":\"u\",\"reason\":\"encryptedDataReset: gone\",",
                    "\"serverErrorCode\":\"ZONE_NOT_FOUND\",\"userDidResetEncryptedData\":true}"))
    }

    @Test(
        "A time to wait is told in whole seconds, if it is one",
        arguments: [
            (nil, nil), (0, 0), (0.1, 1), (2, 2), (.nan, nil), (.infinity, nil), (-1, nil),
            (1e300, nil),
        ] as [(Double?, Int64?)])
    func waiting(seconds: Double?, told: Int64?) {
        #expect(WebError(RecordError(.unavailable, "", retryAfter: seconds)).retryAfter == told)
    }

    @Test("A code that the service's would hide stands in the reason")
    func reasons() {
        #expect(
            WebError(RecordError(.changeTokenExpired, "too old")).reason
                == "changeTokenExpired: too old")
        #expect(WebError(RecordError(.unknownItem, "no r")).reason == "no r")
    }

    @Test("What the store says of its files is for the operator's log, and for no client")
    func details() {
        var error = RecordError(.unavailable, "change zone notes: the store's disk is full")
        error.detail = "full: write to records.bulla"
        let answered = WebError(error)
        #expect(answered.detail == "full: write to records.bulla")
        #expect(!answered.answer(identifier: "u").text.contains("records.bulla"))
        #expect("\(error)".contains("records.bulla"))
    }
}
