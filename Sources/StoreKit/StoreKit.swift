// StoreKit for Linux. `import StoreKit` provides the API of Apple's module, and re-exports the same modules.

@_exported import Dispatch
@_exported import Foundation
@_exported import OpenStoreKit

#if URLSession && canImport(FoundationNetworking)
  @_exported import FoundationNetworking
#endif
