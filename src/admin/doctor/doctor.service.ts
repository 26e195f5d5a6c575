import type { Services } from '../../access/context.ts'
import type { DoctorCheck, DoctorOptions, Finding, RepoCheck } from '../../access/contributions/doctor.ts'
import { everyRepo } from '../../access/repo-scan.store.ts'
import type { RepoRow } from '../../db/tables/repositories.ts'
import { findRepoById } from '../../repos/repo.store.ts'

export interface CheckReport {
  readonly check: DoctorCheck
  readonly findings: readonly Finding[]
  /** Findings beyond the ones that are kept. */
  readonly more: number
}

/** Findings of one check that are kept to be shown. */
const maxFindings = 200

/** Collects what one check finds. */
class Report implements CheckReport {
  readonly findings: Finding[] = []
  more = 0

  get count(): number {
    return this.findings.length + this.more
  }

  constructor(readonly check: DoctorCheck) {}

  async add(found: AsyncIterable<Finding>): Promise<void> {
    for await (const finding of found) {
      if (this.findings.length < maxFindings) this.findings.push(finding)
      else this.more += 1
    }
  }
}

/**
 * Runs the checks one after the other; each report is given as soon as it is there. Those of each repository are run
 * together when the turn of the first of them comes.
 */
export async function* examine(
  services: Services,
  checks: readonly DoctorCheck[],
  options: DoctorOptions,
): AsyncGenerator<CheckReport> {
  let walk: ReadonlyMap<DoctorCheck, Report> | undefined
  for (const check of checks) {
    if ('runOn' in check) {
      walk ??= await walkRepositories(services, checks, options)
      yield walk.get(check) as Report
      continue
    }
    const report = new Report(check)
    await report.add(check.run(services, options))
    yield report
  }
}

async function examineRepository(
  services: Services,
  found: RepoRow,
  reports: ReadonlyMap<RepoCheck, Report>,
  options: DoctorOptions,
): Promise<void> {
  let repo: RepoRow | undefined = found
  const isOnDisk = await services.git.exists(found.git_key)
  for (const [check, report] of reports) {
    const before = report.count
    await report.add(check.runOn(services, { repo, isOnDisk }, options))
    // What was put right may be recorded in the row, which the next check looks at.
    if (options.fix && report.count > before) repo = await findRepoById(services.db, repo.id)
    if (!repo) return
  }
}

async function walkRepositories(
  services: Services,
  checks: readonly DoctorCheck[],
  options: DoctorOptions,
): Promise<ReadonlyMap<DoctorCheck, Report>> {
  const reports = new Map<RepoCheck, Report>()
  for (const check of checks) if ('runOn' in check) reports.set(check, new Report(check))
  for await (const repos of everyRepo(services.db)) {
    for (const repo of repos) {
      await examineRepository(services, repo, reports, options)
    }
  }
  return reports
}
