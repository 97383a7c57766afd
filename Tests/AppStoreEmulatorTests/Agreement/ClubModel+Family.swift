import StoreModel

/// Family sharing.
extension ClubModel {
  /// Shares a period with the family.
  ///
  /// - Parameters:
  ///   - name: the notification for a member who has access to the period before.
  ///   - previous: the period before, if this one renews it.
  mutating func sharePeriod(_ number: Int, _ name: String, renewing previous: Int? = nil) {
    let bought = transactions[number]
    guard bought.plan?.isShared == true, bought.sharedFrom == nil, family.contains(bought.person),
      bought.expiresDate.map({ $0 > now }) == true
    else { return }
    for member in Person.all where family.contains(member) && member != bought.person {
      guard !shares(of: number).contains(where: { transactions[$0].person == member }) else { continue }
      let earlier = transactions.filter {
        $0.person == member && $0.sharedFrom.map { transactions[$0].original } == bought.original
      }
      let isRenewal = earlier.contains { $0.sharedFrom == previous && $0.revocation == nil } && previous != nil
      add(shareOf: bought, with: member, first: earlier.first, isRenewal: isRenewal)
      note(
        isRenewal ? name : earlier.isEmpty ? "SUBSCRIBED/INITIAL_BUY" : "SUBSCRIBED/RESUBSCRIBE", transactions.count - 1
      )
    }
  }

  /// Shares a non-consumable with the family.
  mutating func shareForEver(_ number: Int) {
    let bought = transactions[number]
    guard bought.isOwned(at: now), bought.sharedFrom == nil, family.contains(bought.person),
      ClubCatalog.oneTimeProduct(bought.product)?.isFamilyShareable == true
    else { return }
    for member in Person.all where family.contains(member) && !owns(member, bought.product) {
      add(shareOf: bought, with: member, first: nil, isRenewal: false)
      note("ONE_TIME_CHARGE", transactions.count - 1)
    }
  }

  mutating func add(shareOf bought: ClubTransaction, with member: Person, first: ClubTransaction?, isRenewal: Bool) {
    let (number, date) = (transactions.count, now.wholeSeconds)
    transactions.append(
      ClubTransaction(
        number: number, original: first?.original ?? number, person: member, product: bought.product, type: bought.type,
        purchaseDate: date, originalPurchaseDate: first?.originalPurchaseDate ?? date, expiresDate: bought.expiresDate,
        price: 0, isRenewal: isRenewal, offer: bought.offer, sharedFrom: bought.number))
  }

  mutating func revoke(_ numbers: [Int], reason: Int) {
    for number in numbers {
      transactions[number].revocation = ClubTransaction.Revocation(
        date: now.wholeSeconds, reason: reason, type: "FAMILY_REVOKE")
      note("REVOKE", number)
    }
  }

  mutating func endSharing(of number: Int, reason: Int) {
    revoke(shares(of: number), reason: reason)
    guard transactions[number].type == .nonConsumable, family.contains(transactions[number].person) else { return }
    let product = transactions[number].product
    for other in transactions where other.product == product && other.isOwned(at: now) { shareForEver(other.number) }
  }

  /// A customer joins the family, or leaves it.
  mutating func setFamily(_ person: Person, isMember: Bool) {
    defer { commit() }
    guard family.contains(person) != isMember else { return }
    if !isMember {
      let given = transactions.filter { share in
        guard let bought = share.sharedFrom.map({ transactions[$0] }), share.revocation == nil else { return false }
        guard share.person == person || bought.person == person else { return false }
        guard let key = purchaser(of: share), let found = subscriptions[key] else { return true }
        let isInGrace = found.state == .gracePeriod && found.current == bought.number
        return isInGrace || share.expiresDate.map { $0 > now } == true
      }
      revoke(given.map(\.number), reason: 0)
      family.remove(person)
      return
    }
    family.insert(person)
    for bought in transactions where bought.sharedFrom == nil && bought.isOwned(at: now) {
      if bought.plan != nil {
        sharePeriod(bought.number, "SUBSCRIBED/RESUBSCRIBE")
      } else {
        shareForEver(bought.number)
      }
    }
  }
}
