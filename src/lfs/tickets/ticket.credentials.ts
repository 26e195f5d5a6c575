import type { AuthServices } from '../../auth/auth-services.ts'
import type { CredentialReader } from '../../auth/credentials.ts'
import { viewerOf, type Viewer } from '../../auth/viewer.ts'
import { Unauthenticated } from '../../lib/errors.ts'
import { trustedAuthorities } from '../../secrets/ssh-certificate.ts'
import { findUserById } from '../../users/user.store.ts'
import { findTicketKey } from './ticket.store.ts'
import { type LfsTicket, readTicket } from './ticket.ts'

/**
 * Tickets of `git-lfs-authenticate`. A ticket ends with its key, with the key's access to the repository, or with the
 * trust in the certificate authority.
 */
export const lfsTickets: CredentialReader = {
  kind: 'lfs',
  async read(services, _call, presented) {
    const ticket = presented.kind === 'bearer' ? readTicket(services, presented.token) : undefined
    if (!ticket) return undefined
    return { viewer: await viewerOfTicket(services, ticket), principal: ticket }
  },
}

async function viewerOfTicket({ db, config }: AuthServices, ticket: LfsTicket): Promise<Viewer> {
  const { proof, repoId, userId } = ticket
  if (proof.keyId === undefined) {
    const { authority, serial } = proof
    const isTrusted = trustedAuthorities(config.server.sshTrustedUserCaKeys).has(authority)
    const user = isTrusted ? await findUserById(db, userId) : undefined
    if (!user) throw new Unauthenticated('the certificate of this ticket is not trusted', 'lfs_ticket_ended')
    return viewerOf(user, { kind: 'certificate', authority, serial })
  }
  const { keyId } = proof
  const found = await findTicketKey(db, keyId, ticket)
  if (!found) throw new Unauthenticated('the key of this ticket does not exist', 'lfs_ticket_ended')
  const { user, deploysReadOnly: readOnly } = found
  return viewerOf(user, readOnly === undefined ? { kind: 'ssh', keyId } : { kind: 'deploy', keyId, repoId, readOnly })
}
