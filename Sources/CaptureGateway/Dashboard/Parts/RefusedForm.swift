import HTML

/// A form of a page's that only asks, and is not valid: as it was sent, and what is wrong with it.
struct RefusedForm: Sendable {
    let form: FormFields
    let error: APIError

    /// What is wrong with it.
    var notice: Markup {
        Markup.p("class" => "notice warn", "role" => "alert", "id" => "refused") {
            "\(Wording.sentence(error.said))."
        }
    }

    /// The attributes that tie the field at fault to what is said of it.
    func marks(_ name: String) -> [Attribute] {
        guard error.field == name else { return [] }
        return ["aria-invalid" => "true", "aria-describedby" => "refused"]
    }
}
