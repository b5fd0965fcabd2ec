import CaptureModel

extension JudgedRisk {
    /// Reads the members of the check's entry; `nil` if one of them is missing.
    init?(_ entry: ChecksJSON.Entry) {
        guard let metric = entry.metric, let moment = entry.moment, let warning = entry.warning else { return nil }
        self.init(DeviceRisk(metric: metric, at: Timestamp(microsecondsSince1970: moment)), warning: warning)
    }

    /// Appends the judged risk to the entry of its check.
    func write(to text: inout String) {
        text += #","metric":\#(risk.metric),"at":\#(risk.at.storable),"warning":\#(warning)"#
    }
}
