extension CaptureMetrics {
    /// Where a lane with captures is.
    package enum LaneState: String, Sendable, CaseIterable {
        /// Waits for a worker.
        case ready
        /// Waits for its delay.
        case delayed
        /// In a worker's hands.
        case leased
    }

    /// Notes how many captures and bytes are in the queue, the most that it takes, and the share of its limits that the
    /// fullest partition has in use.
    package static func queueFill(captures: Int, capturesMax: Int, bytes: Int, bytesMax: Int, ratio: Double) {
        set(MetricCatalogue.queueCaptures, to: Double(captures))
        set(MetricCatalogue.queueCapturesMax, to: Double(capturesMax))
        set(MetricCatalogue.queueBytes, to: Double(bytes))
        set(MetricCatalogue.queueBytesMax, to: Double(bytesMax))
        set(MetricCatalogue.queueFillRatio, to: ratio)
    }

    /// Notes the age of the oldest capture at the head of a lane; zero when there is none.
    package static func queueOldestAge(_ age: Duration) {
        set(MetricCatalogue.queueOldestAge, to: age / .seconds(1))
    }

    /// Notes how many lanes are in a state.
    package static func queueLanes(_ state: LaneState, _ count: Int) {
        set(MetricCatalogue.queueLanes, to: Double(count), state.rawValue)
    }

    /// Notes how many dead letters wait for an operator, and whether one has paused the queue.
    package static func queueCare(deadLetters: Int, isPaused: Bool) {
        set(MetricCatalogue.queueDeadLetters, to: Double(deadLetters))
        set(MetricCatalogue.queuePaused, to: isPaused ? 1 : 0)
    }
}
