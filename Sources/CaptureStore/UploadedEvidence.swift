/// The unchanged evidence uploaded with a capture beside photo and depth map.
package struct UploadedEvidence: Sendable, Equatable {
    /// The assertion.
    package let assertion: [UInt8]
    /// The metadata.
    package let metadata: [UInt8]

    /// Memberwise.
    package init(assertion: [UInt8], metadata: [UInt8]) {
        self.assertion = assertion
        self.metadata = metadata
    }
}
