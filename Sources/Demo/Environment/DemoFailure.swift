/// Thrown when the demo does not behave as its script expects.
struct DemoFailure: Error, CustomStringConvertible {
  let description: String
  init(_ description: String) { self.description = description }
}
