import OpenStoreKit
import Testing

/// Gives each test, and each case of a parameterized test, a store of its own. So the tests can run at the same time, and none
/// sees another one's purchases.
///
/// ```swift
/// @Suite(.isolatedStore) struct ShopTests {
///   let session: SKTestSession
///   init() throws { session = try SKTestSession(configurationFileNamed: "Shop") }
/// ```
///
/// The store belongs to the test's task, and to the tasks that it begins with `Task { }` and task groups. Observers, delegates
/// and iterators work on the store in which they were made. `Task.detached` and `DispatchQueue.async` lose the test: a call of
/// StoreKit there fails, and is an issue of the test run. While a test with this trait runs, a test without it has no store
/// either, so all tests that use StoreKit need it.
///
/// Apple's StoreKitTest has no such trait: put it into `#if os(Linux)` in tests that also run on Apple's platforms.
public struct IsolatedStoreTrait: TestTrait, SuiteTrait, TestScoping {
  public var isRecursive: Bool { true }

  public func provideScope(
    for test: Test, testCase: Test.Case?, performing function: @Sendable () async throws -> Void
  ) async throws {
    guard testCase != nil else { return try await function() }
    try await withIsolatedStore(function)
  }
}

/// Does `body` with a store of its own, as a test with the trait ``IsolatedStoreTrait``. For programs and tests without
/// Testing's traits, such as those of XCTest.
public func withIsolatedStore<Value: Sendable>(
  _ body: @Sendable () async throws -> Value
) async rethrows -> Value {
  let scope = DeviceScope.beginIsolation { reason in Issue.record(Comment(rawValue: reason)) }
  defer { scope.endIsolation() }
  return try await DeviceScope.$isolated.withValue(scope) { try await body() }
}

extension Trait where Self == IsolatedStoreTrait {
  /// A store of its own for each test. See ``IsolatedStoreTrait``.
  public static var isolatedStore: IsolatedStoreTrait { IsolatedStoreTrait() }
}
