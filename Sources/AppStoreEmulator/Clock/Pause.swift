/// Returns after the given number of milliseconds, or when the task is cancelled.
typealias Pause = @Sendable (_ milliseconds: Int) async -> Void
