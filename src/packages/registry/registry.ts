import { ownerUnderQuota } from '../../access/quota/quota.requirements.ts'
import type { ErrorForm } from '../../http/error-forms.ts'
import { jsonType } from '../../http/error-forms.ts'
import { bytesOf } from '../../http/operation.ts'
import { bytes } from '../../http/reply.ts'
import { mayPublish, mayPull, packagesOn } from '../package.requirements.ts'

/**
 * Returns what all operations of a registry share. Their requirements check rights, with the refusals of registries.
 */
export const registry = <const Type extends string>(type: Type, errors: ErrorForm) =>
  ({
    base: 'site',
    family: `${type}-registry`,
    scope: null,
    wrongCredentials: 'refused',
    accepts: ['token', 'basic', 'oauth2', 'job', 'registry'],
    errors,
  }) as const

export const reading = [packagesOn, mayPull] as const

/** Requirements of operations that add content. */
export const publishing = [packagesOn, mayPublish, ownerUnderQuota('size:assets:packages:all')] as const

/** Requirements of operations that change or remove content. */
export const changing = [packagesOn, mayPublish] as const

/** The reply of an operation whose JSON is defined by the registry's protocol. */
export const jsonReply = { 200: bytesOf('application/json') } as const

/** Replies with JSON that the registry's protocol defines. */
export const json = <Status extends number = 200>(
  body: unknown,
  options: { status?: Status; contentType?: string; headers?: Readonly<Record<string, string>> } = {},
) => {
  const { contentType = jsonType, ...more } = options
  return bytes<Status>(contentType, JSON.stringify(body), more)
}
