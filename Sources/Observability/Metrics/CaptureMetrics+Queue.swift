extension CaptureMetrics {
    /// The state of a lane with captures.
    package enum LaneState: String, Sendable, CaseIterable {
        /// Waits for a worker.
        case ready
        /// Waits for its delay.
        case delayed
        /// A worker holds it.
        case leased
    }

    /// Notes the captures and bytes in the queue, their limits, and how full the fullest partition is.
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

    /// Notes how many dead letters wait for an operator, and whether an operator has paused the queue.
    package static func queueCare(deadLetters: Int, isPaused: Bool) {
        set(MetricCatalogue.queueDeadLetters, to: Double(deadLetters))
        set(MetricCatalogue.queuePaused, to: isPaused ? 1 : 0)
    }
}
