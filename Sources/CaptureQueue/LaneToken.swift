/// A lane's token as one worker holds it: unique for each time that the lane becomes ready and each delivery.
package struct LaneToken: Hashable, Sendable, CustomStringConvertible {
    /// As the queue writes it.
    package let text: String
    /// Which partition of the queue the lane is in.
    package let partition: Int

    /// Takes over what the queue wrote.
    package init(text: String, partition: Int) {
        self.text = text
        self.partition = partition
    }

    /// As the queue writes it.
    package var description: String { text }
}
