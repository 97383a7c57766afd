// StoreKit for Linux. `import StoreKit` exports the same API as Apple's module, and the modules that Apple's module
// exports.

@_exported import Dispatch
@_exported import Foundation
@_exported import OpenStoreKit

#if canImport(FoundationNetworking)
  @_exported import FoundationNetworking
#endif
