import type { Services } from '../../access/context.ts'
import type { DoctorCheck, DoctorOptions, Finding, RepoCheck } from '../../access/contributions/doctor.ts'
import { everyRepo } from '../../access/repo-scan.store.ts'
import type { RepoRow } from '../../db/tables/repositories.ts'
import { findRepoById } from '../../repos/repo.store.ts'

export interface CheckReport {
  readonly check: DoctorCheck
  readonly findings: readonly Finding[]
  /** Number of findings that are not kept. */
  readonly more: number
}

/** Largest number of findings per check. */
const maxFindings = 200

/** Collects the findings of one check. */
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
 * Runs the checks in order and yields each report when it is ready. The checks of each repository run together at the
 * turn of the first of them.
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
    // A repair may change the row that the next check reads.
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
