import type { RepoRow } from '../../db/tables/repositories.ts'
import type { Services } from '../context.ts'

/** Something that is not as it should be. */
export interface Finding {
  /** One line that names the thing and what is wrong with it. */
  readonly what: string
  /** `fixed`: put right now; `fixable`: would be with `--fix`; `report`: somebody has to look at it. */
  readonly state: 'fixed' | 'fixable' | 'report'
}

/** With `fix` a check puts right what can be put right without loss. */
export interface DoctorOptions {
  readonly fix: boolean
}

interface Named {
  readonly name: string
  /** What is looked at, for the list of checks. */
  readonly about: string
}

/** A check that looks at all there is at once. */
export interface WholeCheck extends Named {
  run(services: Services, options: DoctorOptions): AsyncIterable<Finding>
}

/** A check of each repository. All of them share one walk over the repositories, and look at each in their order. */
export interface RepoCheck extends Named {
  runOn(services: Services, repo: ScannedRepo, options: DoctorOptions): AsyncIterable<Finding>
}

/** A repository, and whether its git repository is on the disk. */
export interface ScannedRepo {
  readonly repo: RepoRow
  readonly isOnDisk: boolean
}

/** One thing that `ingot doctor` looks at. */
export type DoctorCheck = WholeCheck | RepoCheck

/** How findings name a repository. */
export const nameForDoctor = (repo: Pick<RepoRow, 'id' | 'name'>): string => `repository ${repo.id} (${repo.name})`
