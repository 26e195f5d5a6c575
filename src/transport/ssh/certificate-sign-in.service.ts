import type { Services } from '../../access/context.ts'
import { findPersonByPrimary } from '../../auth/account.store.ts'
import type { UserRow } from '../../db/tables/accounts.ts'
import { nowUnix } from '../../lib/time.ts'
import { readCertificate, type SshCertificate, trustedAuthorities } from '../../secrets/ssh-certificate.ts'
import { certificateProblem, usablePrincipals } from './ssh-certificate.rules.ts'

/** A certificate that lets somebody in, and whom; that its holder has the key is still to be proved. */
export interface CertifiedPerson {
  readonly certificate: SshCertificate
  readonly user: UserRow
}

/** Most principals of one certificate that are looked for. */
const maxPrincipals = 32

/**
 * Whom a certificate lets in: the account that its principals name, as far as the settings allow names and addresses. One
 * that is not good, or names nobody or several people, lets in nobody; the reason is in the log.
 */
export async function findCertified(
  services: Services,
  blob: Buffer,
  address: string,
): Promise<CertifiedPerson | undefined> {
  const { sshTrustedUserCaKeys: authorities, sshAuthorizedPrincipalsAllow: allowed } = services.config.server
  const certificate = authorities.length === 0 ? undefined : readCertificate(blob)
  if (!certificate) return undefined
  const refused = (reason: string): undefined => {
    const { name, serial } = certificate
    services.log('info', 'an SSH certificate was refused', { name: name.slice(0, 200), serial: `${serial}`, reason })
  }
  const arrival = { trusted: trustedAuthorities(authorities), address, nowUnix: nowUnix(services.clock) }
  const problem = certificateProblem(certificate, arrival)
  if (problem !== undefined) return refused(problem)
  const principals = usablePrincipals(certificate, allowed)
  if (principals.length > maxPrincipals) return refused('it names too many')
  const found = await Promise.all(principals.map((principal) => findPersonByPrimary(services.db, principal)))
  const users = new Map(found.flatMap((user) => (user ? [[user.id, user]] : [])))
  const [user] = users.values()
  if (user === undefined) return refused('no account is named by it')
  return users.size === 1 ? { certificate, user } : refused('it names several accounts')
}
