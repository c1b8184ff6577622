/// The reference of the mapping language.
public enum MappingReference {
  public static let text = """
    A mapping is a YAML file that maps the records of your files to events.

      version: 1
      app: {value: lumen}
      id: [message_id, uuid]                   # the first that has a value
      name: event_name
      user: [user_id, anonymous_id]
      joins: [[user_id, anonymous_id]]         # both in one record: one user
      time: {path: event_timestamp, epoch: us}
      fields:
        product_id: "params[key=product_id].value"
        tier: {path: product, split: ".", at: 1}
        price: {path: amount_cents, scale: minor}
      events:
        paywall_view: {kind: paywall_impression, fields: {entry_point: source}}
        "trial_*": trial_start
        subscribe:
          - {kind: trial_start, when: {is_trial: 1}}
          - {kind: conversion, when: {amount_cents: {gt: 0}}}
      ignore: "*"

    Top level
      user, time, name, events   Required. Without name, events has only the key "*".
      app                        App of a record.
      id                         Id of a record. Without it, the content identifies it.
      fields                     Values for all events. An event's own values come first; an empty one leaves a field out.
      ignore                     Event names to skip, or "*" for all others. Without it, they are rejected.
      properties                 Paths of objects to keep as properties, or none (default: the whole record).
      records                    Path of the list of records in a JSON document.
      each                       Path of a list in each record: one event an element, at the list's path.
      joins                      Pairs of ids that belong to one user.
      skip                       Condition for records to leave out.
      decimal, dates, epoch,     Defaults for all values.
      zone, currency
      history                    complete: the file has every payment of its subscriptions (kind payment).
      csv                        {delimiter, encoding: windows-1252, header: false}; header: [names] names the columns.
      include                    superwall-sdk: built-in rules for events of Superwall's SDK. Your own come first.
      version                    1

    Paths
      a.b   a[0]   a[-1]   a[key=NAME].value   a.'b[0]'   $file   $table
      If a text value is JSON, a path can continue inside it. Folders such as country=DE/ are columns.
      NULL, null, \\N, NaN, nan, None, <NA>, NaT, N/A, n/a, #N/A, - and -- count as empty.
      So do the days 0000-00-00, 0001-01-01 and 1970-01-01, and in user, 0 and undefined.

    Values
      A value is PATH, or [PATH, PATH] for the first path that has a value, or a block of keys.
      The block has one source:

      path            Path, or list of paths.
      all, separator  Several paths, joined by ":" or the separator.
      value           Constant. With a path: used where the path has no value.

      It can have these steps, which apply in this order:

      split, at       Split a text value and take part 0, 1 and so on; -1 is the last.
      values          {FROM: TO}. FROM can be true, false or "*" for all others; TO null means no value.
      like            {PATTERN: TO} with * and ?. Ignores case. The first match counts.
      scale           Money: a factor such as 0.01, or minor for the currency's smallest unit, such as cents.
      decimal         Money: decimal separator, "," or "."; any, if amounts of both forms are in one column.
      epoch           Time as a number: its unit, s, ms, us or ns.
      dates           Time as text: day-first, month-first, spreadsheet (day numbers), or a pattern: dd.MM.yyyy HH:mm:ss.
      zone            Time zone of times without an offset, such as Europe/Berlin.
      cut             Unit that times were cut to: minute, hour or day. They are read as its end, after other events in it.
      unit            trial_days: duration, for text values such as P7D and 1 week.

    Events
      NAME: KIND
      NAME: {kind, fields, when, id, user, time}
      NAME: [a list of these, for several events from one record]
      NAME can be a pattern such as "paywall_*". Exact names come first, "*" last.

    Conditions (when, skip)
      {PATH: V}                the value is V
      {PATH: [V, V]}           the value is one of these
      {PATH: {not: V}}         the value is not V
      {PATH: {exists: true}}   there is a value
      {PATH: {like: PATTERN}}  the value matches a pattern with * and ?
      {PATH: {gt: N}}          the value is greater than N; also ge, lt and le
      {PATH: V, PATH: V}       all of these hold
      all: [...], any: [...], not: {...} combine conditions.
    """
}
