import AppStoreEmulator
import Foundation
import HTTPDoors
import Hummingbird
import StoreModel

/// The customers.
struct CustomerRoutes: Sendable {
  let store: EmulatedAppStore

  func add(to control: RouterGroup<BasicRequestContext>) {
    let store = store
    control.get("customers") { _, _ in
      try await Response.answering { ["customers": try await store.customers().map(CustomerView.init)] }
    }
    control.post("customers") { request, _ in
      let customer = try await request.decoded(
        CustomerView.self,
        keys: ["environment", "name", "password", "storefront", "paymentMethod", "needsApproval", "family"]
      ).customer
      return try await Response.answering(status: .created) {
        try await store.addCustomer(customer)
        return CustomerView(customer)
      }
    }
    control.get("customers/{environment}/{name}") { _, context in
      let (name, environment) = try Self.customer(in: context)
      return try await Response.answering { CustomerView(try await store.customer(name, environment)) }
    }
    control.patch("customers/{environment}/{name}") { request, context in
      let (name, environment) = try Self.customer(in: context)
      let change = try await request.decoded(
        CustomerChange.self, keys: ["password", "storefront", "paymentMethod", "needsApproval", "family"])
      return try await Response.answering {
        CustomerView(
          try await store.changeCustomer(name, environment) { customer in
            if let password = change.password { customer.password = password }
            customer.storefrontCountryCode = change.storefront ?? customer.storefrontCountryCode
            customer.paymentMethod = change.paymentMethod ?? customer.paymentMethod
            customer.needsApproval = change.needsApproval ?? customer.needsApproval
            if let family = change.family { customer.family = family }
          })
      }
    }
    control.delete("customers/{environment}/{name}") { _, context in
      let (name, environment) = try Self.customer(in: context)
      return try await Response.answering { CustomerView(try await store.removeCustomer(name, environment)) }
    }
  }

  private static func customer(in context: BasicRequestContext) throws -> (AccountName, StoreEnvironment) {
    let environment = try StoreEnvironment(doorName: try context.pathParameter("environment"))
    return (AccountName(try context.pathParameter("name")), environment)
  }
}
