// Not `canImport(os)`: a package of the app may have a module named `os`.
#if canImport(Darwin)
  import os
#elseif THREAD_SANITIZER
  import Glibc
#else
  import Synchronization
#endif

/// A value that several threads read and change, protected by one lock.
///
/// It is a `Mutex` on Linux. Apple's platforms have `Mutex` only since macOS 15 and iOS 18, so there it is an
/// `OSAllocatedUnfairLock`. It is inlinable, so that other modules specialize it. The thread sanitizer does not know
/// Linux's `Mutex`, and would report each use as a race: `make thread-test` has a ``ThreadMutex``.
package final class LockedValue<Value: Sendable>: Sendable {
  #if canImport(Darwin)
    @usableFromInline let lock: OSAllocatedUnfairLock<Value>
  #elseif THREAD_SANITIZER
    @usableFromInline let lock: ThreadMutex<Value>
  #else
    @usableFromInline let lock: Mutex<Value>
  #endif

  @inlinable package init(_ value: Value) {
    #if canImport(Darwin)
      lock = OSAllocatedUnfairLock(uncheckedState: value)
    #elseif THREAD_SANITIZER
      lock = ThreadMutex(value)
    #else
      lock = Mutex(value)
    #endif
  }

  /// Reads or changes the value. The lock is not recursive: `body` must not call this object.
  @inlinable package func withLock<Result: Sendable, Failure: Error>(
    _ body: (inout Value) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    #if canImport(Darwin)
      let result: Swift.Result<Result, Failure> = lock.withLockUnchecked { value in
        do throws(Failure) {
          return .success(try body(&value))
        } catch {
          return .failure(error)
        }
      }
      return try result.get()
    #else
      return try lock.withLock { value throws(Failure) in try body(&value) }
    #endif
  }

  /// Reads or replaces the whole value.
  @inlinable package var value: Value {
    get { withLock { $0 } }
    set { withLock { $0 = newValue } }
  }
}

/// A value that is made at its first use. If making it fails, the next use tries again.
package final class MadeOnce<Value: Sendable>: Sendable {
  private let made = LockedValue<Value?>(nil)

  package init() {}

  package func value<Failure: Error>(_ make: () throws(Failure) -> Value) throws(Failure) -> Value {
    try made.withLock { made throws(Failure) in
      if let made { return made }
      let value = try make()
      made = value
      return value
    }
  }
}

#if THREAD_SANITIZER
  /// A value behind a `pthread_mutex_t`, with the interface of `Mutex`.
  @usableFromInline final class ThreadMutex<Value: Sendable>: @unchecked Sendable {
    private let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
    /// With a byte of its own. The place of a value without bytes would be that of another property, and the sanitizer
    /// would report accesses to both.
    private var storage: (value: Value, byte: UInt8)

    @usableFromInline init(_ value: Value) {
      storage = (value, 0)
      mutex.initialize(to: pthread_mutex_t())
      pthread_mutex_init(mutex, nil)
    }

    deinit {
      pthread_mutex_destroy(mutex)
      mutex.deallocate()
    }

    @usableFromInline func withLock<Result, Failure: Error>(
      _ body: (inout Value) throws(Failure) -> Result
    ) throws(Failure) -> Result {
      pthread_mutex_lock(mutex)
      defer { pthread_mutex_unlock(mutex) }
      return try body(&storage.value)
    }
  }
#endif
