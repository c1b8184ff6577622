import ArgumentParser
import EventModel

/// The whole program. A folder of `Commands` holds the commands of one group of the help.
struct Tollgate: ParsableCommand {
  static let version = programVersion

  static let configuration = CommandConfiguration(
    commandName: "tollgate",
    abstract: "Subscription analytics and paywall experiments from your own event files.",
    discussion: """
      Load your files, then print reports:

        tollgate init FILE              a first funnel from your own file
        tollgate ingest events/         load event files
        tollgate funnel --by variant    how many viewers pay
        tollgate experiment NAME        which variant to ship

      Exit statuses:

        0  done
        1  unexpected failure
        2  wrong arguments or configuration
        3  done, but a file failed, every line was rejected, or init left out
           trials or payments; with --strict, any rejected line; with
           --fail-if-empty, no rows
        4  the nightly job found a new problem, or verify found a difference
        5  the store is locked, damaged or newer than the program, or a number
           cannot be confirmed
      """,
    version: version,
    groupedSubcommands: [
      CommandGroup(
        name: "Data",
        subcommands: [
          InitCommand.self, IngestCommand.self, MappingCommand.self, QuarantineCommand.self, RatesCommand.self,
          SpendCommand.self, ReceiveCommand.self, NightlyCommand.self, NoteCommand.self,
        ]),
      CommandGroup(
        name: "Store",
        subcommands: [
          DoctorCommand.self, BackupCommand.self, VacuumCommand.self, ForgetCommand.self, PruneCommand.self,
          ExportCommand.self,
        ]),
      CommandGroup(
        name: "Reports",
        subcommands: [
          TableCommand<FunnelReport>.self, PathsCommand.self, TableCommand<TrialsReport>.self,
          TableCommand<SavingsReport>.self, TableCommand<CancellationsReport>.self, TableCommand<RevenueReport>.self,
          TableCommand<MRRReport>.self,
          TableCommand<SubscriptionsReport>.self, TableCommand<RetentionReport>.self, TableCommand<LTVReport>.self,
          TableCommand<RefundsReport>.self, TableCommand<RecoveryReport>.self,
          TableCommand<SavesReport>.self, TableCommand<WinbackReport>.self, TableCommand<PaybackReport>.self,
          TableCommand<ValueReport>.self,
          TableCommand<CadenceReport>.self, TableCommand<GatesReport>.self, TableCommand<NudgesReport>.self,
          TableCommand<ActivityReport>.self, HealthCommand.self, ReconcileCommand.self,
        ]),
      CommandGroup(
        name: "Understand",
        subcommands: [
          ExplainCommand.self, DiffCommand.self, WhyCommand.self, ViewCommand.self, VerifyCommand.self,
        ]),
      CommandGroup(name: "Share", subcommands: [ReportCommand.self, ServeCommand.self, MCPCommand.self]),
      CommandGroup(
        name: "Experiments",
        subcommands: [
          ExperimentCommand.self, ExperimentsCommand.self, ProgramCommand.self, AAReplayCommand.self,
        ]),
      CommandGroup(name: "Cluster", subcommands: [ClusterCommand.self, WorkerCommand.self]),
      CommandGroup(name: "Tools", subcommands: [CalcCommand.self, SampleCommand.self]),
    ])
}
