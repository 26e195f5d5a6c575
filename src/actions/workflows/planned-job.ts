import { maxUrlLength } from '../environment.rules.ts'
import { evaluateName, filled, named, type Evaluation } from './evaluation.ts'
import { environmentOf, type Concurrency, type TokenRights, type WorkflowJob } from './workflow.parse.ts'

/** An evaluated concurrency group. */
export interface PlannedConcurrency {
  readonly group: string
  readonly cancels: boolean
}

/** The evaluated environment of a job. */
interface PlannedEnvironment {
  readonly name: string
  /** Empty for none, and when only the runner can evaluate it. */
  readonly url: string
}

/** A job to run: one for each combination of the matrix. */
export interface PlannedJob {
  readonly key: string
  readonly name: string
  readonly needs: readonly string[]
  readonly runsOn: readonly string[]
  readonly hasCondition: boolean
  readonly rights: TokenRights
  /** The YAML that the runner gets. For a call, the expressions of the outputs as JSON. */
  readonly payload: string
  /** The names of the secrets that it gets; undefined for all. */
  readonly passedSecrets: readonly string[] | undefined
  /** Whether it represents the jobs of a called workflow. Without jobs it is skipped. */
  readonly isCall: boolean
  /** The mistake in the file for which it fails. No runner gets it. */
  readonly problem?: string
  /** Whether it stands for jobs that are planned from its payload when the jobs that it needs have ended. */
  readonly isDeferred?: boolean
  /** For a call, the group of all its jobs. */
  readonly concurrency?: PlannedConcurrency | undefined
  readonly environment?: PlannedEnvironment | undefined
}

/** Longest name of a concurrency group and of an environment, in characters. */
const maxGroupLength = 400
const maxEnvironmentLength = 255

export async function plannedConcurrency(
  concurrency: Concurrency | undefined,
  evaluation: Evaluation,
  subject: string,
): Promise<PlannedConcurrency | undefined> {
  if (!concurrency) return undefined
  const group = (await filled(concurrency.group, evaluation, subject)).trim()
  const cancels = await filled(concurrency.cancels, evaluation, subject)
  if (group === '') return undefined
  return { group: group.slice(0, maxGroupLength), cancels: cancels === 'true' }
}

/** Returns the environment of a job. Its name must be known; its address may depend on the steps. */
export async function plannedEnvironment(
  { body, key }: WorkflowJob,
  evaluation: Evaluation,
): Promise<PlannedEnvironment | undefined> {
  const environment = environmentOf(body['environment'])
  if (!environment) return undefined
  const name = (await filled(environment.name, evaluation, named(key))).trim()
  if (name === '') return undefined
  const url = (await evaluateName(environment.url, evaluation)) ?? ''
  return { name: name.slice(0, maxEnvironmentLength), url: url.trim().slice(0, maxUrlLength) }
}
