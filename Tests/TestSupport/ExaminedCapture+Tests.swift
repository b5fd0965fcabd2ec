package import CaptureModel

extension ExaminedCapture.Outcome {
    /// Acceptable, unless there is a reason against it, or the device or its signed counter is missing.
    package static func of(
        _ device: Device?, counter: UInt32?, confidence: Confidence = .high, rejection: Reason? = nil
    ) -> ExaminedCapture.Outcome {
        guard rejection == nil, let device, let counter else {
            let missing: Reason = device == nil ? .deviceUnknown : .signatureInvalid
            return .rejected(rejection ?? missing, device: device, counter: counter)
        }
        return .acceptable(device: device, counter: counter, confidence: confidence)
    }
}
