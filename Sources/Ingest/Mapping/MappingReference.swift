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
      user, time, name, events   Required; without name, events has the one key "*".
      app, id                    Values; without id, the content identifies a record.
      fields                     Values of all events; an event's own values come first.
      ignore                     Names to skip, or "*" for all others; else they are rejected.
      properties                 Paths of objects whose members are kept, or none (default: the record).
      records                    Path of the list that holds the records of a document.
      joins                      Pairs of ids of one user.
      skip                       Condition of records to leave out.
      decimal, dates, epoch, zone, currency   Defaults for all values.
      history                    complete: the file has every payment of its subscriptions (kind payment).
      csv                        {delimiter, encoding: windows-1252, header: false | [names]}
      include                    superwall-sdk: built-in rules for events of Superwall's SDK; your own come first.
      version                    1

    Paths
      a.b   a[0]   a[-1]   a[key=NAME].value   a.'b[0]'   $file   $table
      A step into text that is JSON reads that JSON. Folders such as country=DE/ are columns.
      NULL, null, \\N, NaN, nan, None, <NA> and NaT count as empty; in user, so do 0 and undefined.

    Values
      PATH, [PATH, PATH] for the first that has a value, or a mapping with one source:
      path            Path, or list of paths.
      all, separator  All of them, joined by ":" or the separator.
      value           Constant; with a path, used when the path has no value.
      and steps, in this order:
      split, at       Part of a text, from 0, negative from the end.
      values          {FROM: TO}; keys true, false and "*"; TO null is no value.
      like            {GLOB: TO} with * and ?; ignores case; the first match counts.
      scale           Money: 0.01 or another factor, or minor (by the currency's decimals).
      decimal         Money: "," or ".".
      epoch           Time: s, ms, us or ns.
      dates           Time: day-first, month-first, spreadsheet (numbers of days), or a pattern such as
                      dd.MM.yyyy HH:mm:ss.
      zone            Time: time zone of text without an offset, such as Europe/Berlin.
      unit            trial_days: duration, for P7D and 1 week.

    Events
      NAME: KIND, NAME: {kind, fields, when, id, user, time}, or a list of these for several events
      from one record. NAME may be a pattern such as "paywall_*"; exact names come first, "*" last.

    Conditions (when, skip)
      {PATH: V}   {PATH: [V, V]}   {PATH: {not: V}}   {PATH: {exists: true}}   {PATH: {like: GLOB}}
      {PATH: {gt: N}}, also ge, lt, le; several paths: all of them; all: [...], any: [...], not: {...}
    """
}
