import { createHmac, timingSafeEqual } from 'node:crypto'
import type { Services } from '../../access/context.ts'
import type { ActionJobId, RunId, TaskId } from '../../lib/ids.ts'
import { nowUnix } from '../../lib/time.ts'

/** The claims of a runtime token. */
export interface RuntimeClaims {
  readonly taskId: TaskId
  readonly runId: RunId
  readonly jobId: ActionJobId
}

type SigningServices = Pick<Services, 'clock' | 'secrets'>

/** The lifetime of a token, in seconds. It is longer than a job may run. */
const lifetimeSeconds = 24 * 3600

const maxTokenLength = 2048

const header = Buffer.from(JSON.stringify({ alg: 'HS256', typ: 'JWT' })).toString('base64url')

const signatureOf = ({ secrets }: SigningServices, text: string): Buffer =>
  createHmac('sha256', secrets.deriveKey('action-runtime', 32)).update(text).digest()

/** Returns the token for artifacts and caches: a JSON Web Token with the claims that its clients read. */
export function writeRuntimeToken(services: SigningServices, { taskId, runId, jobId }: RuntimeClaims): string {
  const now = nowUnix(services.clock)
  const claims = {
    scp: `Actions.Results:${runId}:${jobId}`,
    TaskID: taskId,
    RunID: runId,
    JobID: jobId,
    ac: JSON.stringify([{ Scope: '', Permission: 2 }]),
    nbf: now,
    exp: now + lifetimeSeconds,
  }
  const signed = `${header}.${Buffer.from(JSON.stringify(claims)).toString('base64url')}`
  return `${signed}.${signatureOf(services, signed).toString('base64url')}`
}

/** Returns the address at which a job requests identity tokens. Clients append parameters to the query. */
export const identityAddress = ({ config }: Pick<Services, 'config'>, runId: RunId): string =>
  `${config.server.rootUrl}api/actions/_apis/pipelines/workflows/${runId}/idtoken?api-version=2.0`

/** Returns the task of a token; undefined for a malformed, forged or expired token. */
export function readRuntimeToken(services: SigningServices, text: string): TaskId | undefined {
  const [head, body, signature, rest] = text.length > maxTokenLength ? [] : text.split('.')
  // The header is compared, not parsed: no other algorithm is accepted.
  if (head !== header || body === undefined || signature === undefined || rest !== undefined) return undefined
  const wanted = signatureOf(services, `${head}.${body}`)
  const given = Buffer.from(signature, 'base64url')
  if (given.length !== wanted.length || !timingSafeEqual(given, wanted)) return undefined
  const claims = JSON.parse(Buffer.from(body, 'base64url').toString('utf8')) as {
    TaskID: TaskId
    exp: number
    nbf: number
  }
  const now = nowUnix(services.clock)
  return now < claims.exp && now >= claims.nbf ? claims.TaskID : undefined
}
