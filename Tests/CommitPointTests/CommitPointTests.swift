import Foundation
import Testing

/// The suites run one after the other, because each of them uses all cores.
@Suite("Commit points", .serialized, .timeLimit(.minutes(30)))
enum CommitPointTests {}
