extension PersonSimulator {
  /// Adds the days on which the app was used, and the log-in of users with two ids.
  mutating func tellActivity(isPayer: Bool) {
    if let anonymousID = person.anonymousID {
      var event = SampleEvent(.identify, at: person.identifiedAt)
      event.previousUser = anonymousID
      emit(event)
    }
    var random = person.random(for: .activity)
    for day in app.activity {
      let timeOfDay = random.within(0..<8 * .hour)
      guard random.happens(day.probability * (isPayer ? 2 : 1)) else { continue }
      emit(SampleEvent(.activity, at: person.arrival + Int64(day.dayOffset) * .day + timeOfDay))
    }
  }
}
