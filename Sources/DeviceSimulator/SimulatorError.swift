/// Why the simulator could not make the requested thing.
package struct SimulatorError: Error, Sendable, Equatable, CustomStringConvertible {
    /// The kind of fault.
    package enum Code: String, Sendable {
        /// A test certificate authority's files are missing, malformed or cannot be written.
        case authority = "AUTHORITY"
        /// A certificate could not be made.
        case certificate = "CERTIFICATE"
        /// A signature could not be made.
        case signature = "SIGNATURE"
        /// Bytes that should be a receipt are not.
        case receipt = "RECEIPT"
        /// Sizes or dimensions that no capture can have.
        case capture = "CAPTURE"
        /// A message with a transaction key could not be sealed or opened.
        case enrolment = "ENROLMENT"
    }

    /// The kind of fault.
    package let code: Code
    /// The fault in words, without key material.
    package let message: String

    /// Notes what went wrong.
    package init(_ code: Code, _ message: String) {
        self.code = code
        self.message = message
    }

    /// Code and message.
    package var description: String { "\(code.rawValue): \(message)" }

    /// By code: messages are for people.
    package static func == (left: SimulatorError, right: SimulatorError) -> Bool { left.code == right.code }
}
