import Foundation
import Testing

/// One after the other: each of them keeps all cores busy.
@Suite("Commit points", .serialized, .timeLimit(.minutes(10)))
enum CommitPointTests {}
