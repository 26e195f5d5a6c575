import { Readable } from 'node:stream'
import { NotFound } from '../../lib/errors.ts'
import { type GitContext, locate } from '../context.ts'
import type { GitKey } from '../git-key.ts'
import type { GitService, UploadPackRequest } from '../git-service.ts'
import { ready } from '../refs/ref-copy.ts'
import { exists } from '../repositories/repository.ts'
import type { WaitLimits } from './conversation.ts'

/** Allowed form of `GIT_PROTOCOL` (contract, transport). */
const protocolForm = /^[A-Za-z0-9_.-]+=[A-Za-z0-9_.-]+(?::[A-Za-z0-9_.-]+=[A-Za-z0-9_.-]+)*$/
const maxProtocolLength = 256

/** Returns the environment that tells git the client's protocol; nothing for a malformed one. */
export function protocolEnvironment(protocol: string | undefined): Record<string, string> {
  const accepted = protocol !== undefined && protocol.length <= maxProtocolLength && protocolForm.test(protocol)
  return accepted ? { GIT_PROTOCOL: protocol } : {}
}

/** Returns the folder of a repository, whose references are brought up. Throws `NotFound` without it. */
export async function mustExist(context: GitContext, key: GitKey): Promise<string> {
  const { directory } = locate(context, key)
  await ready(context, key)
  if (!exists(context, key)) throw new NotFound('the repository does not exist', 'git_repository_missing')
  return directory
}

/** Returns the flags by which git serves a request. */
export function serviceFlags(request: UploadPackRequest): string[] {
  return [
    ...(request.stateless ? ['--stateless-rpc'] : []),
    ...(request.advertise === true ? ['--advertise-refs'] : []),
  ]
}

/** Returns the waits of a request. */
export const waitLimitsOf = (context: GitContext, { signal }: Pick<UploadPackRequest, 'signal'>): WaitLimits => ({
  idleMs: context.limits.transportIdleMs,
  signal: signal ?? new AbortController().signal,
})

/** A service that has answered already. */
export const answeredService = (bytes: Buffer): GitService => ({
  output: Readable.from([bytes], { objectMode: false }),
  finished: Promise.resolve({ exitCode: 0, stderr: '' }),
})
