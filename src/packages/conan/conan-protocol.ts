import type { Call } from '../../http/operation.ts'
import { pathText } from '../../http/schema.ts'
import { NotFound } from '../../lib/errors.ts'
import { incomingFileOf } from '../registry/incoming.ts'
import type { PublishCtx } from '../publish.service.ts'
import { json, registry } from '../registry/registry.ts'
import { jsonErrors } from '../registry/registry-errors.ts'
import type { FileOwner, Reference } from './conan.rules.ts'
import { putFile } from './conan.service.ts'

/** What operations of both protocol versions share. */
export const conan = registry(
  'conan',
  jsonErrors((refusal) => ({ message: refusal.message })),
)

/** Clients require exactly this media type. */
export const answer = (body: unknown) => json(body, { contentType: 'application/json' })

/** The path of a recipe below the protocol version. */
export const recipePath = 'conans/{name}/{version}/{user}/{channel}'
export const recipeParams = { name: pathText, version: pathText, user: pathText, channel: pathText }

export interface RevisionParams extends Reference {
  readonly revision: string
}

export interface OfBinaryParams extends RevisionParams {
  readonly binary: string
  readonly binary_revision: string
}

export const binaryOwner = (params: Omit<OfBinaryParams, keyof Reference>): FileOwner => ({
  revision: params.revision,
  binary: { id: params.binary, revision: params.binary_revision },
})

/**
 * Receives a file. With `X-Checksum-Deploy` a client asks whether the server has a content, without sending it. The
 * answer is always no, because knowing a checksum must not give access to a content.
 */
export async function takeFile(
  ctx: PublishCtx,
  reference: Reference,
  location: FileOwner,
  fileName: string,
  call: Call,
) {
  if (String(call.headers['x-checksum-deploy']).toLowerCase() === 'true') {
    throw new NotFound('the content has to be sent', 'conan_content_unknown')
  }
  await putFile(ctx, reference, location, fileName, incomingFileOf(call), call.headers['x-checksum-sha1'])
}
