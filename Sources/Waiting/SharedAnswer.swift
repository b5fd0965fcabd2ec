import Synchronization

/// Answers all who ask at the same time with one answer: whoever comes while it is being found out waits for it.
///
/// However many ask, the question is asked once at a time, and their number does not slow it down.
package final class SharedAnswer<Value: Sendable>: Sendable {
    private let underWay = Mutex<Task<Value, Never>?>(nil)

    /// Makes one that nobody waits for yet.
    package init() {}

    /// The answer that is under way, or a new one.
    package func value(_ find: @escaping @Sendable () async -> Value) async -> Value {
        let task = underWay.withLock { underWay in
            if let task = underWay { return task }
            // Unstructured, because whoever has asked first may go away: the others wait on.
            let task = Task {
                let value = await find()
                self.underWay.withLock { $0 = nil }
                return value
            }
            underWay = task
            return task
        }
        return await task.value
    }
}
