#if Service
internal import BullaRecordsWeb
internal import NIOPosix
internal import Synchronization

/// A client's wait for changes, which ends when there are some, when its time is up, or when the
/// client is gone.
final class CourierWait: Sendable {
    private enum State {
        case beginning
        case waiting(WebCourier.Waiting)
        case gone
    }

    private let state = Mutex(State.beginning)

    /// Whether the client is gone.
    var isOver: Bool {
        state.withLock { state in
            if case .gone = state { true } else { false }
        }
    }

    /// - Parameters:
    ///   - subscriber: the client, if it gets events; `nil` if it gets one answer.
    ///   - workers: threads that read the store; none of them waits for changes.
    func answer(
        _ request: WebRequest, as subscriber: WebCourier.Subscriber? = nil, _ courier: WebCourier,
        _ workers: NIOThreadPool
    ) async -> WebAnswer {
        await withCheckedContinuation { continuation in
            workers.submit { work in
                guard case .active = work else {
                    continuation.resume(returning: .busy)
                    return
                }
                self.note(
                    courier.ask(request, as: subscriber) { continuation.resume(returning: $0) })
            }
        }
    }

    private func note(_ waiting: WebCourier.Waiting) {
        let isGone = state.withLock { state in
            if case .gone = state { return true }
            state = .waiting(waiting)
            return false
        }
        if isGone { waiting.cancel() }
    }

    /// Ends the wait, because the client is gone.
    func end() {
        let waiting = state.withLock { state -> WebCourier.Waiting? in
            defer { state = .gone }
            if case .waiting(let waiting) = state { return waiting }
            return nil
        }
        waiting?.cancel()
    }
}
#endif
