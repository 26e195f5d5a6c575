import { randomUUID } from 'node:crypto'
import type { Services } from '../../access/context.ts'
import { BadRequest, Forbidden, NotFound } from '../../lib/errors.ts'
import { branchOf, branchRef, tagOf } from '../../lib/refs.ts'
import { nowUnix } from '../../lib/time.ts'
import { signClaims } from '../../oauth/openid/key.service.ts'
import type { RunningTask } from '../runners/job-token.store.ts'
import { findIdentity } from './identity.store.ts'

/** The lifetime of an identity token, in seconds. A job exchanges it at once. */
const lifetimeSeconds = 600

/** Longest audience, in characters. */
const maxAudienceLength = 512

/** The issuer of the tokens of jobs. It differs from the issuer for people, so that the tokens cannot be confused. */
export const issuerOfJobs = ({ config }: Pick<Services, 'config'>): string => `${config.server.rootUrl}api/actions`

/**
 * Returns an OpenID Connect token that identifies a job to other services. Throws `Forbidden` for a job without the permission
 * `id-token: write`, and for jobs of untrusted runs.
 * @param audience the audience of the token; the default is the address of the repository's owner
 */
export async function identifyJob(
  services: Services,
  task: RunningTask,
  runId: number,
  audience: string,
): Promise<string> {
  if (runId !== task.runId) {
    throw new BadRequest('a job can request an identity token only for its own run', 'identity_run_foreign')
  }
  if (!task.mayIdentify) throw new Forbidden('the job does not have the permission id-token: write', 'identity_refused')
  if (audience.length > maxAudienceLength || audience.includes('\0')) {
    throw new BadRequest(
      `[audience]: has at most ${maxAudienceLength} characters and no NUL`,
      'identity_audience_invalid',
    )
  }
  const job = await findIdentity(services.db, task.taskId)
  if (!job) throw new NotFound('the job does not exist', 'job_not_found')
  const repository = `${job.ownerName}/${job.repoName}`
  const { rootUrl } = services.config.server
  // A `pull_request_target` run uses the base branch.
  const ref = job.event === 'pull_request_target' ? branchRef(job.baseRef) : job.ref
  const isOfPull = job.event.startsWith('pull_request')
  const workflowRef = `${repository}/${job.workflowId}@${ref}`
  const now = nowUnix(services.clock)
  return signClaims(services, {
    iss: issuerOfJobs(services),
    aud: audience || `${rootUrl}${job.ownerName}`,
    sub: `repo:${repository}:${isOfPull ? 'pull_request' : `ref:${ref}`}`,
    jti: randomUUID(),
    iat: now,
    nbf: now,
    exp: now + lifetimeSeconds,
    ref,
    ref_type: branchOf(ref) === undefined ? (tagOf(ref) === undefined ? '' : 'tag') : 'branch',
    sha: job.sha,
    repository,
    repository_id: String(job.repoId),
    repository_owner: job.ownerName,
    repository_owner_id: String(job.ownerId),
    repository_visibility: job.isPrivate ? 'private' : 'public',
    run_id: String(job.runId),
    run_number: String(job.number),
    run_attempt: String(job.attempt),
    actor: job.actorName,
    actor_id: String(job.actorId),
    workflow: job.workflowName || job.workflowId,
    workflow_ref: workflowRef,
    job_workflow_ref: workflowRef,
    event_name: job.event,
    head_ref: job.headRef,
    base_ref: job.baseRef,
    runner_environment: 'self-hosted',
  })
}
