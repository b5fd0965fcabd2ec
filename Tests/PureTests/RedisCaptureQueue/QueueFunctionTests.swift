import Testing

@testable import RedisCaptureQueue

/// A name that Redis does not know reads there like a library that is gone, or a newer one.
@Suite("Functions by their names in Redis")
struct QueueFunctionTests {
    @Test func `the names are those that the library registers`() {
        let registered = FunctionLibrary.current.source
            .matches(of: /(?:function_name = |register_function\()'([a-z0-9_]+)'/).map { String($0.output.1) }
        #expect(registered.count == Set(registered).count)
        #expect(Set(registered) == Set(QueueFunction.allCases.map(\.rawValue)))
    }
}
