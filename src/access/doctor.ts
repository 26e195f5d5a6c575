import type { RepoRow } from '../db/tables/repositories.ts'
import type { Services } from './context.ts'

/** Something that is not as it should be. */
export interface Finding {
  /** One line that names the thing and what is wrong with it. */
  readonly what: string
  /** `fixed`: put right now; `fixable`: would be with `--fix`; `report`: somebody has to look at it. */
  readonly state: 'fixed' | 'fixable' | 'report'
}

/** One thing that `ingot doctor` looks at. */
export interface DoctorCheck {
  readonly name: string
  /** What is looked at, for the list of checks. */
  readonly about: string
  /** Looks, and with `fix` puts right what can be put right without loss. */
  run(services: Services, options: { readonly fix: boolean }): AsyncIterable<Finding>
}

/** How findings name a repository. */
export const nameForDoctor = (repo: Pick<RepoRow, 'id' | 'name'>): string => `repository ${repo.id} (${repo.name})`
