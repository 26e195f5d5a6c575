import type { CredentialReader } from '../auth/credentials.ts'
import { viewerOf } from '../auth/viewer.ts'
import { Unauthenticated } from '../lib/errors.ts'
import { findTicketKey } from './ticket.store.ts'
import { readTicket } from './ticket.ts'

/** Tickets that `git-lfs-authenticate` gave. A key that was removed, or lost its repository, ends them. */
export const lfsTickets: CredentialReader = {
  kind: 'lfs',
  async read(services, _call, presented) {
    const ticket = presented.kind === 'bearer' ? readTicket(services, presented.token) : undefined
    if (!ticket) return undefined
    const found = await findTicketKey(services.db, ticket)
    if (!found) throw new Unauthenticated('the key of this ticket is not there any more', 'lfs_ticket_ended')
    const { keyId, repoId } = ticket
    const credential =
      found.deploysReadOnly === undefined
        ? ({ kind: 'ssh', keyId } as const)
        : ({ kind: 'deploy', keyId, repoId, readOnly: found.deploysReadOnly } as const)
    return { viewer: viewerOf(found.user, credential), principal: ticket }
  },
}
