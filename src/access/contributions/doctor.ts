import type { RepoRow } from '../../db/tables/repositories.ts'
import type { Services } from '../context.ts'

/** A problem that a check found. */
export interface Finding {
  /** One line with the thing and the fault. */
  readonly what: string
  /** `fixed`: repaired now; `fixable`: `--fix` repairs it; `report`: a person must act. */
  readonly state: 'fixed' | 'fixable' | 'report'
}

/** `fix`: the check repairs what it can repair without loss. */
export interface DoctorOptions {
  readonly fix: boolean
  /** With `fix`: references that were moved on the disk become those of the instance. Else the disk gets those of the instance. */
  readonly takeReferences?: boolean
}

interface Named {
  readonly name: string
  /** What the check compares, for the list of checks. */
  readonly about: string
}

/** A check of the whole instance. */
export interface WholeCheck extends Named {
  run(services: Services, options: DoctorOptions): AsyncIterable<Finding>
}

/** A check of each repository. All such checks share one walk and run in order for each repository. */
export interface RepoCheck extends Named {
  runOn(services: Services, repo: ScannedRepo, options: DoctorOptions): AsyncIterable<Finding>
}

/** A repository, and whether its git repository is on the disk. */
export interface ScannedRepo {
  readonly repo: RepoRow
  readonly isOnDisk: boolean
}

/** A check of `ingot doctor`. */
export type DoctorCheck = WholeCheck | RepoCheck

/** Returns the name of a repository in findings. */
export const nameForDoctor = (repo: Pick<RepoRow, 'id' | 'name'>): string => `repository ${repo.id} (${repo.name})`
