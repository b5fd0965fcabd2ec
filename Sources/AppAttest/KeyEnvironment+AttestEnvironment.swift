public import CaptureModel

extension KeyEnvironment {
    /// The environment of an attested key, as receipts and DeviceCheck's two bits are asked for.
    public init(_ environment: AttestEnvironment) {
        switch environment {
        case .production: self = .production
        case .development: self = .development
        }
    }
}
