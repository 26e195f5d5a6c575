import type { Services } from '../access/context.ts'

/** Something that is not as it should be. */
export interface Finding {
  /** One line that names the thing and what is wrong with it. */
  readonly what: string
  /** `fixed`: put right now; `fixable`: would be with `--fix`; `report`: somebody has to look at it. */
  readonly state: 'fixed' | 'fixable' | 'report'
}

/** One thing that the doctor looks at. */
export interface DoctorCheck {
  readonly name: string
  /** What is looked at, for the list of checks. */
  readonly about: string
  /** Looks, and with `fix` puts right what can be put right without loss. */
  run(services: Services, options: { readonly fix: boolean }): AsyncIterable<Finding>
}

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
