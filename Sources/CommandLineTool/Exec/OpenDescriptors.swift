import Foundation

/// File descriptors of this process, from 3 upwards.
struct OpenDescriptors {
  private let numbers: Set<Int32>

  /// Returns the descriptors that are open now.
  static func current() -> OpenDescriptors {
    let names = (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd")) ?? []
    return OpenDescriptors(numbers: Set(names.compactMap { Int32($0) }.filter { $0 > 2 }))
  }

  func subtracting(_ others: OpenDescriptors) -> OpenDescriptors {
    OpenDescriptors(numbers: numbers.subtracting(others.numbers))
  }

  /// Prevents programs that this process starts from inheriting the descriptors.
  func closeOnExecution() {
    // The call fails for a descriptor that was closed meanwhile, which is harmless.
    for number in numbers { _ = fcntl(number, F_SETFD, FD_CLOEXEC) }
  }
}
