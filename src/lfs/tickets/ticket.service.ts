import type { SignedInCtx } from '../../access/context.ts'
import { Invalid, NotFound, Unauthenticated, Forbidden } from '../../lib/errors.ts'
import { formatUnix, nowUnix } from '../../lib/time.ts'
import { repoCloneUrl } from '../../repos/repo-url.ts'
import { openForLfs } from '../lfs-access.service.ts'
import { LfsTicket, type TicketProof, writeTicket } from './ticket.ts'

/** Reply to an LFS client over SSH: the address and headers to use. */
export interface IssuedTicket {
  readonly href: string
  readonly header: Readonly<Record<string, string>>
  readonly expires_in: number
  readonly expires_at: string
}

/**
 * Issues a ticket for the objects of a repository to the holder of an SSH key or certificate. Throws refusals with a
 * text for the user.
 */
export async function issueTicket(
  ctx: SignedInCtx,
  address: { readonly owner: string; readonly name: string; readonly unit: 'code' | 'wiki' },
  proof: TicketProof,
  operation: string,
): Promise<IssuedTicket> {
  if (!ctx.config.server.lfsStartServer) throw new NotFound('LFS is switched off')
  if (operation !== 'download' && operation !== 'upload') throw new Invalid('the operation is upload or download')
  if (address.unit === 'wiki') throw new NotFound('wikis have no LFS objects')
  const pathOf = (owner: string, name: string) => `/${owner}/${name}`
  const opened = await openForLfs(ctx, address.owner, address.name, operation, pathOf).catch((error: unknown) => {
    if (!(error instanceof Unauthenticated)) throw error
    throw operation === 'upload'
      ? new Forbidden('the repository does not exist, or the key is not authorised to write it', 'key_read_only')
      : new NotFound('the repository does not exist: not found')
  })
  const ticket = new LfsTicket(opened.repo.id, operation, proof, ctx.viewer.id)
  const { text, expiresUnix } = writeTicket(ctx, ticket)
  return {
    href: `${repoCloneUrl({ ...ctx, ...opened })}/info/lfs`,
    header: { Authorization: `Bearer ${text}` },
    expires_in: expiresUnix - nowUnix(ctx.clock),
    expires_at: formatUnix(expiresUnix),
  }
}
