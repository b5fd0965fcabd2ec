import HTML

/// The form by which a capture or a device is found.
struct SearchForm: Sendable {
    /// What was searched for in vain.
    var text = ""

    var markup: Markup {
        Markup.form(
            "method" => "get", "action" => Page.captures.address, "role" => "search", "class" => "inline"
        ) {
            Markup.label(
                "for" => "q",
                "title" => "Of a capture or device, or its first 8 characters or more; SHA-256 of a photo or bundle"
            ) {
                "Id or SHA-256"
            }
            Markup.input(
                "type" => "search", "id" => "q", "name" => "q", "size" => 28,
                "value" => text, "maxlength" => 128, "spellcheck" => "false", "autocomplete" => "off")
            Markup.button { "Find" }
        }
    }
}
