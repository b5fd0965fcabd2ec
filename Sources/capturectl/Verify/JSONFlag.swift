import ArgumentParser

/// `--json` of commands whose answer is JSON in any case, so that they take it as the other commands do.
struct JSONFlag: ParsableArguments {
    @Flag(help: "Changes nothing: the answer is JSON.")
    var json = false
}
