import { pipeline, Readable } from 'node:stream'
import { asFleeting, isFleeting } from '../../lib/fleeting.ts'
import { answerLsRefs, capabilitiesOf, kindOfRequest, protocolVersion, readWhole } from './advertisement.ts'
import { awaitRequest, startOnRequest, conversation, withoutGreeting } from './conversation.ts'
import { formatOf, type GitContext } from '../context.ts'
import type { GitKey } from '../git-key.ts'
import type { GitService, UploadPackRequest } from '../git-service.ts'
import { withSlot } from '../objects/with-slot.ts'
import { refsStamp } from '../refs/ref-reader.ts'
import { answeredService, mustExist, protocolEnvironment, serviceFlags, waitLimitsOf } from './service.ts'

/** Serves a fetch or clone. */
export async function uploadPack(context: GitContext, key: GitKey, request: UploadPackRequest): Promise<GitService> {
  const cwd = await mustExist(context, key)
  if (request.advertise === true) {
    if (protocolVersion(request.protocol) === 2) return answeredService(await greetingV2(context, key))
    return withSlot(request.share, request.signal, () =>
      runUploadPack(context, cwd, request, undefined, request.signal),
    )
  }
  if (!request.stateless) return converse(context, key, request)
  // git starts when the whole request has arrived, so that a slow or silent client holds no slot.
  const body = request.body === undefined ? noBytes : await readWhole(request.body)
  const kind = protocolVersion(request.protocol) === 2 ? kindOfRequest(body) : 'other'
  // Listing references needs no process.
  if (kind === 'ls-refs') return answeredService(await answerLsRefs(context, key, body))
  // Equal clone requests at equal references have equal answers, so clients share one git.
  const question =
    kind === 'clone'
      ? {
          repository: key,
          refs: await refsStamp(context, key),
          request: `${request.protocol ?? ''} ${body.toString('latin1')}`,
        }
      : undefined
  return context.fetches.join({
    question,
    share: request.share,
    start: (signal) => runUploadPack(context, cwd, request, body, signal),
    signal: request.signal,
  })
}

/** Serves a whole fetch over one connection. */
async function converse(context: GitContext, key: GitKey, request: UploadPackRequest): Promise<GitService> {
  const { body = Readable.from([]) } = request
  const patience = waitLimitsOf(context, request)
  if (protocolVersion(request.protocol) === 2) {
    const answer = (bytes: Buffer): Promise<GitService> =>
      uploadPack(context, key, { ...request, stateless: true, body: Readable.from([bytes], { objectMode: false }) })
    return conversation(body, await greetingV2(context, key), answer, patience)
  }
  // Older protocols keep state between requests, so one git serves all of them.
  const list = await uploadPack(context, key, { ...request, advertise: true })
  const greeting = await readWhole(list.output)
  return startOnRequest(greeting, async (gone) => {
    if (!(await awaitRequest(body, { ...patience, signal: AbortSignal.any([gone, patience.signal]) }))) return undefined
    const cwd = await mustExist(context, key)
    const service = await withSlot(request.share, request.signal, () =>
      runUploadPack(context, cwd, request, body, request.signal),
    )
    const output = pipeline(service.output, withoutGreeting(), () => undefined)
    return { output: isFleeting(service.output) ? asFleeting(output) : output, finished: service.finished }
  })
}

const greetingV2 = async (context: GitContext, key: GitKey): Promise<Buffer> =>
  (await capabilitiesOf(context, await formatOf(context, key))).fetchV2

const noBytes = Buffer.alloc(0)

function runUploadPack(
  context: GitContext,
  cwd: string,
  request: UploadPackRequest,
  input: Readable | Buffer | undefined,
  signal: AbortSignal | undefined,
): Promise<GitService> {
  return context.broker.stream({
    args: ['upload-pack', '--strict', ...serviceFlags(request), cwd],
    name: 'upload-pack',
    cwd,
    kind: 'fetch',
    environment: protocolEnvironment(request.protocol),
    input,
    idleMs: context.limits.transportIdleMs,
    signal,
  })
}

/** A service answered without git. */
/** Serves `git archive --remote` (SSH only). */
export async function uploadArchive(
  context: GitContext,
  key: GitKey,
  request: Pick<UploadPackRequest, 'signal' | 'share'> & { readonly body: Readable },
): Promise<GitService> {
  const cwd = await mustExist(context, key)
  const patience = waitLimitsOf(context, request)
  return startOnRequest(noBytes, async (gone) => {
    const signal = AbortSignal.any([gone, patience.signal])
    if (!(await awaitRequest(request.body, { ...patience, signal }))) return undefined
    return withSlot(request.share, request.signal, () =>
      context.broker.stream({
        args: ['upload-archive', cwd],
        name: 'upload-archive',
        cwd,
        kind: 'archive',
        input: request.body,
        idleMs: context.limits.transportIdleMs,
        signal: request.signal,
      }),
    )
  })
}
