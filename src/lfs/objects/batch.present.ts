import type { RepoCtx } from '../../access/context.ts'
import { formatUnix, nowUnix } from '../../lib/time.ts'
import { repoCloneUrl } from '../../repos/repo-url.ts'
import type { LfsAction, LfsBatchReply } from './batch.schemas.ts'
import type { Addressed, DirectAddress } from './direct.service.ts'
import { lfsType } from '../lfs-errors.ts'

/**
 * Presents the actions for each object of a batch. Addresses of this server need the credentials of the request. Those
 * of object storage carry their own and would refuse others.
 */
export function presentBatch(
  ctx: RepoCtx,
  authorization: string | undefined,
  objects: readonly Addressed[],
): LfsBatchReply {
  const own = (path: string, header: Record<string, string> = {}): LfsAction => {
    const sent = authorization === undefined ? header : { ...header, Authorization: authorization }
    return { href: `${repoCloneUrl(ctx)}/info/lfs/${path}`, ...(Object.keys(sent).length > 0 ? { header: sent } : {}) }
  }
  const direct = ({ url, headers, expiresSeconds }: DirectAddress): LfsAction => ({
    href: url,
    ...(Object.keys(headers).length > 0 ? { header: { ...headers } } : {}),
    expires_in: expiresSeconds,
    expires_at: formatUnix(nowUnix(ctx.clock) + expiresSeconds),
  })
  const actionsOf = ({ oid, sizeBytes, does, direct: address }: Addressed) => {
    if (does === 'download') return { download: address ? direct(address) : own(`objects/${oid}`) }
    return {
      upload: address ? direct(address) : own(`objects/${oid}/${sizeBytes}`),
      verify: own(address?.grant === undefined ? 'verify' : `verify?upload=${address.grant}`, {
        Accept: `${lfsType};q=0.9, */*;q=0.8`,
      }),
    }
  }
  const shown = objects.map((object) => {
    const { oid, sizeBytes: size, does } = object
    if (does === 'nothing') return { oid, size }
    if (does === 'fail') return { oid, size, error: { code: object.code, message: object.message } }
    return { oid, size, actions: actionsOf(object) }
  })
  return { objects: shown.length === 0 ? null : shown }
}
