import { ownerUnderQuota } from '../../access/quota/quota.requirements.ts'
import type { ErrorForm } from '../../http/error-forms.ts'
import { jsonType } from '../../http/error-forms.ts'
import { bytesOf } from '../../http/operation.ts'
import { bytes } from '../../http/reply.ts'
import { mayPublish, mayPull, packagesOn } from '../package.requirements.ts'

/** What all operations of a registry have in common. Who may is asked by their requirements, which answer as registries do. */
export const registry = <const Type extends string>(type: Type, errors: ErrorForm) =>
  ({
    base: 'site',
    family: `${type}-registry`,
    scope: null,
    wrongCredentials: 'refused',
    accepts: ['token', 'basic', 'oauth2', 'job', 'registry'],
    errors,
  }) as const

/** Reading from a registry. */
export const reading = [packagesOn, mayPull] as const

/** Publishing to it. */
export const publishing = [packagesOn, mayPublish, ownerUnderQuota('size:assets:packages:all')] as const

/** Changing and removing what is there. */
export const changing = [packagesOn, mayPublish] as const

/** The reply of an operation that answers JSON whose form its registry's protocol gives. */
export const jsonReply = { 200: bytesOf('application/json') } as const

/** JSON in a form that the registry's protocol gives. */
export const json = <Status extends number = 200>(
  body: unknown,
  options: { status?: Status; contentType?: string; headers?: Readonly<Record<string, string>> } = {},
) => {
  const { contentType = jsonType, ...more } = options
  return bytes<Status>(contentType, JSON.stringify(body), more)
}
