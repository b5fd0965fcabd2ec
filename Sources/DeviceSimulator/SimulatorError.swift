/// Why the simulator could not make what was asked for.
package struct SimulatorError: Error, Sendable, Equatable, CustomStringConvertible {
    /// What kind of trouble it was.
    package enum Code: String, Sendable {
        /// A test certificate authority's files are missing, malformed or not to be written.
        case authority = "AUTHORITY"
        /// A certificate could not be made.
        case certificate = "CERTIFICATE"
        /// A signature could not be made.
        case signature = "SIGNATURE"
        /// Bytes that should be a receipt are none.
        case receipt = "RECEIPT"
        /// Sizes or dimensions that no capture can have.
        case capture = "CAPTURE"
        /// A message with a transaction key could not be sealed or opened.
        case enrolment = "ENROLMENT"
    }

    /// What kind of trouble it was.
    package let code: Code
    /// The same in words, without key material.
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
