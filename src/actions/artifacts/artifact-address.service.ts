import type { Services } from '../../access/context.ts'
import type { ActionArtifactRow } from '../../db/tables/action-storage.ts'
import type { ArtifactId, RunId, TaskId } from '../../lib/ids.ts'
import { nowUnix } from '../../lib/time.ts'
import { findRunningTask, type RunningTask } from '../runners/job-token.store.ts'
import { noArtifact } from './artifact.service.ts'
import { findArtifact, listArtifacts, type ArtifactFilter } from './artifact.store.ts'

/** The lifetime of a signed address, in seconds. */
const addressSeconds = 3600

const purpose = 'action-artifact'
type Verb = 'UploadArtifact' | 'DownloadArtifact'

/** Returns an address that uploads or downloads one artifact without other credentials, while the job runs. */
export function signedAddress(services: Services, task: RunningTask, artifact: ActionArtifactRow, verb: Verb): string {
  const expires = nowUnix(services.clock) + addressSeconds
  const query = new URLSearchParams({
    sig: services.secrets.sign(
      purpose,
      { verb, artifact: artifact.id, task: task.taskId, name: artifact.name },
      expires,
    ),
    expires: String(expires),
    artifactName: artifact.name,
    taskID: String(task.taskId),
    artifactID: String(artifact.id),
  })
  const { rootUrl } = services.config.server
  return `${rootUrl}twirp/github.actions.results.api.v1.ArtifactService/${verb}?${query}`
}

/** Returns the artifact of a signed address; undefined when the signature is wrong or expired, or the job has ended. */
export async function readAddress(
  services: Services,
  query: {
    readonly sig?: string
    readonly artifactName?: string
    readonly taskID?: string
    readonly artifactID?: string
  },
  verb: Verb,
): Promise<ArtifactId | undefined> {
  const signed = services.secrets.verify(purpose, query.sig ?? '', nowUnix(services.clock))
  const isSigned =
    signed?.['verb'] === verb &&
    signed['name'] === query.artifactName &&
    String(signed['task']) === query.taskID &&
    String(signed['artifact']) === query.artifactID
  if (!isSigned || !(await findRunningTask(services.db, signed['task'] as TaskId))) return undefined
  return signed['artifact'] as ArtifactId
}

/** Returns the artifacts of a run, by default those that have not expired. */
export const artifactsOfRun = (
  services: Services,
  runId: RunId,
  filter: ArtifactFilter,
): Promise<ActionArtifactRow[]> => listArtifacts(services.db, runId, filter, services.config.ingot.maxArtifacts)

/** Returns a complete artifact of protocol version 4 by its run and name, or by its id. Throws `NotFound`. */
export async function artifactNamed(
  services: Services,
  runId: RunId | undefined,
  name: string,
  id?: ArtifactId,
): Promise<ActionArtifactRow> {
  const found =
    runId === undefined
      ? id === undefined
        ? undefined
        : await findArtifact(services.db, id)
      : (await artifactsOfRun(services, runId, { isComplete: true, version: 4, name })).at(-1)
  if (!found?.is_whole || found.is_expired || found.name !== name) throw noArtifact()
  return found
}
