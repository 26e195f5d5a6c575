import type { Services } from '../access/context.ts'
import type { DoctorCheck, Finding } from '../access/doctor.ts'

export interface CheckReport {
  readonly check: DoctorCheck
  readonly findings: readonly Finding[]
  /** Findings beyond the ones that are kept. */
  readonly more: number
}

/** Findings of one check that are kept to be shown. */
const maxFindings = 200

/** Runs the checks one after the other; each report is given as soon as it is there. */
export async function* examine(
  services: Services,
  checks: readonly DoctorCheck[],
  options: { readonly fix: boolean },
): AsyncGenerator<CheckReport> {
  for (const check of checks) {
    const findings: Finding[] = []
    let more = 0
    for await (const finding of check.run(services, options)) {
      if (findings.length < maxFindings) findings.push(finding)
      else more += 1
    }
    yield { check, findings, more }
  }
}
