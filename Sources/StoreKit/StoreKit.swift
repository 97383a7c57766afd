// StoreKit for Linux: `import StoreKit` gives what Apple's module gives, and what that brings along.

@_exported import Dispatch
@_exported import Foundation
@_exported import OpenStoreKit

#if canImport(FoundationNetworking)
  @_exported import FoundationNetworking
#endif
